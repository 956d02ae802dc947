/**
 * The dictionary between the engine and the v3 wire: the only place of v3 spellings.
 *
 * Numbers   exact decimal text, shortest form (figures.ts)
 * Statuses  `cancelled`, with two l; `crossed` for what the engine calls cross
 * Not here  what the records carry (records.ts), how requests are read (placing.ts and its neighbours)
 */
export * from './dictionary/account.ts'
export * from './dictionary/bills.ts'
export * from './dictionary/chain-transfers.ts'
export * from './dictionary/market.ts'
export * from './dictionary/strategies.ts'
export * from './dictionary/sub-accounts.ts'
export * from './dictionary/trading.ts'
