/**
 * The dictionary between the engine and the v2 wire: the only place of v2 spellings.
 *
 * Inside    words.ts spells modes, sides and causes; figures.ts writes numbers; the others make the records (records.ts
 *           says what they carry)
 * Source    interface.md; wire/client-endpoints.md §4, §5
 */
export * from './dictionary/bills.ts'
export * from './dictionary/chain-transfers.ts'
export * from './dictionary/convert.ts'
export * from './dictionary/figures.ts'
export * from './dictionary/futures.ts'
export * from './dictionary/listing.ts'
export * from './dictionary/margin.ts'
export * from './dictionary/market.ts'
export * from './dictionary/spot.ts'
export * from './dictionary/sub-accounts.ts'
export * from './dictionary/plans.ts'
export * from './dictionary/transfers.ts'
export * from './dictionary/words.ts'
