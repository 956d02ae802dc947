/**
 * Whatever random traders do to a venue: read page by page, the bills of every wallet and coin follow one another from
 * nothing to its balance.
 *
 * Source  wire/client-endpoints.md §4; src/engine/ledger-postings/bills.ts, src/history/bill-table.ts
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { walletTypes } from '../../src/engine/vocabulary.ts'
import { type AccountBill, type History, openHistory } from '../../src/history/history.ts'
import { admitRandomTraders, RandomTraders, fillFunds } from '../engine/support/random-traders.ts'
import { Exchange } from '../engine/support/exchange.ts'
import { tries } from '../support/depth.ts'

const commands = 600

/** All bills of a wallet and coin, oldest first, read in pages of a size. */
async function billsOf(history: History, uid: number, where: Pick<AccountBill, 'wallet' | 'coin'>, limit: number) {
  const found: AccountBill[] = []
  let beforeId: number | undefined
  do {
    const page = await history.bills({ uid, ...where, limit, beforeId })
    found.push(...page.rows)
    beforeId = page.next
  } while (beforeId !== undefined)
  return found.toReversed()
}

test('bills add up to balances', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 200 }), fc.boolean(), async (seed, limit, hasFund) => {
      const exchange = new Exchange()
      admitRandomTraders(exchange)
      if (hasFund) fillFunds(exchange)
      const randomTraders = new RandomTraders(exchange, seed)
      for (let count = 0; count < commands; count++) exchange.apply(randomTraders.next())
      const history = await openHistory(':memory:')
      try {
        for (const [place, { events }] of exchange.applied.entries()) history.record(place + 1, 0, events)
        let seen = 0
        for (const { uid } of exchange.query({ kind: 'accounts' })) {
          for (const wallet of walletTypes) {
            for (const { coin, balance } of exchange.query({ kind: 'balances', uid, wallet })) {
              const bills = await billsOf(history, uid, { wallet, coin }, limit)
              let end = 0n
              for (const bill of bills) {
                expect(bill.balance, `bill ${bill.id}, ${bill.type}`).toBe(end + bill.amount)
                end = bill.balance
              }
              expect(end, `${uid} ${wallet} ${coin}`).toBe(balance)
              seen += bills.length
            }
          }
        }
        expect(seen).toBeGreaterThan(100)
      } finally {
        await history.close()
      }
    }),
    { numRuns: tries(12) },
  )
}, 240_000)
