/**
 * Self-trade prevention: the taker's mode decides, over the main account with its sub-accounts.
 *
 * Source  interface.md E2 and E3 stpMode; design §4.35; risk-engine.md §19
 */
import { expect } from 'vitest'
import { parseOrder, withWords } from '../support/order-language.ts'
import type { Person } from '../support/person.ts'
import {
  type Market,
  btcMargin,
  btcPerpetual,
  btcSpot,
  fills,
  openUnifiedOrders,
  takenInBatch,
  unifiedAsset,
  unifiedOrder,
  unifiedOutcome,
} from '../support/trading.ts'
import { listed } from '../support/text-table.ts'
import { orderLines } from '../support/order-language.ts'
import { row, stage, table } from './conformance.ts'

const at = stage()

const funds = { uta: { USDT: '1000000', BTC: '20' } } as const

const cases =
  // Alice's own orders rest, Bob's behind them
  `
  case                                                 | resting                                 | incoming                                   | expected            | open
  none: trades with itself                             | Alice: sell 0.1 @ 60000                 | buy 0.1 @ 60000                            | filled 0.1          | -
  none said: the default trades                        | Alice: sell 0.1 @ 60000                 | buy 0.1 stp:none @ 60000                   | filled 0.1          | -
  cancel_taker: the taker goes, the maker stays        | Alice: sell 0.1 @ 60000                 | buy 0.1 stp:cancel-taker @ 60000           | canceled 0 of 0.1   | sell 0.1 @ 60000
  cancel_taker: earlier fills stand                    | Bob: sell 0.1 @ 59990;                  | buy 0.3 stp:cancel-taker @ 60000           | canceled 0.1 of 0.3 | sell 0.1 @ 60000
                                                       | Alice: sell 0.1 @ 60000                 |                                            |                     |
  cancel_maker: the maker goes, the taker goes on      | Alice: sell 0.1 @ 60000;                | buy 0.1 stp:cancel-maker @ 60000           | filled 0.1          | -
                                                       | Bob: sell 0.1 @ 60000                   |                                            |                     |
  cancel_maker: with nothing behind, the taker rests   | Alice: sell 0.1 @ 60000                 | buy 0.1 stp:cancel-maker @ 60000           | live 0 of 0.1       | buy 0.1 @ 60000
  cancel_maker: several makers go                      | Alice: sell 0.1 @ 60000;                | buy 0.1 stp:cancel-maker @ 60020           | filled 0.1          | -
                                                       | sell 0.1 @ 60010; Bob: sell 0.1 @ 60020 |                                            |                     |
  cancel_both: both go                                 | Alice: sell 0.1 @ 60000;                | buy 0.1 stp:cancel-both @ 60000            | canceled 0 of 0.1   | -
                                                       | Bob: sell 0.1 @ 60000                   |                                            |                     |
  cancel_both: earlier fills stand, later orders stay  | Bob: sell 0.1 @ 59990;                  | buy 0.3 stp:cancel-both @ 60010            | canceled 0.1 of 0.3 | sell 0.1 @ 60010
                                                       | Alice: sell 0.1 @ 60000;                |                                            |                     |
                                                       | sell 0.1 @ 60010                        |                                            |                     |
  an order that meets only others is untouched         | Bob: sell 0.1 @ 60000;                  | buy 0.1 stp:cancel-both @ 60010            | filled 0.1          | sell 0.1 @ 60010
                                                       | Alice: sell 0.1 @ 60010                 |                                            |                     |
  the maker’s own mode does not count                  | Alice: sell 0.1 stp:cancel-both @ 60000 | buy 0.1 @ 60000                            | filled 0.1          | -
  fok and cancel_taker count only what lies ahead      | Bob: sell 0.1 @ 59990;                  | buy 0.2 fok stp:cancel-taker @ 60010       | canceled 0 of 0.2   | sell 0.1 @ 60000
                                                       | Alice: sell 0.1 @ 60000;                |                                            |                     |
                                                       | Bob: sell 0.1 @ 60010                   |                                            |                     |
  fok and cancel_taker: enough lies ahead              | Bob: sell 0.2 @ 59990;                  | buy 0.2 fok stp:cancel-taker @ 60000       | filled 0.2          | sell 0.1 @ 60000
                                                       | Alice: sell 0.1 @ 60000                 |                                            |                     |
  fok and cancel_maker skip what is own                | Bob: sell 0.1 @ 59990;                  | buy 0.2 fok stp:cancel-maker @ 60010       | filled 0.2          | -
                                                       | Alice: sell 0.1 @ 60000;                |                                            |                     |
                                                       | Bob: sell 0.1 @ 60010                   |                                            |                     |
  fok and cancel_maker: too little without the own     | Bob: sell 0.1 @ 59990;                  | buy 0.2 fok stp:cancel-maker @ 60000       | canceled 0 of 0.2   | sell 0.1 @ 60000
                                                       | Alice: sell 0.1 @ 60000                 |                                            |                     |
  post_only that would cross an own order is cancelled | Alice: sell 0.1 @ 60000                 | buy 0.1 post-only stp:cancel-maker @ 60000 | canceled 0 of 0.1   | sell 0.1 @ 60000
`

for (const market of [btcPerpetual, btcSpot]) {
  table(
    {
      rule: `stpMode ${market.category}`,
      decision: 'the taker’s mode decides; the fok check never counts own quantity (risk-engine §19)',
    },
    cases,
    async ({ resting, incoming, expected, open }) => {
      const alice = await at.person('Alice', { funds })
      const bob = await at.person('Bob', { funds })
      for (const order of orderLines(resting)) {
        const { who } = parseOrder(order)
        await takenInBatch(who === 'Alice' ? alice : bob, withWords(order, { who: undefined }), market)
      }
      expect(await unifiedOutcome(alice, await takenInBatch(alice, incoming, market))).toBe(expected)
      expect(await openUnifiedOrders(alice, market)).toEqual(listed(open))
    },
  )
}

row('stpMode', 'prevented quantity leaves neither a fill nor a fee nor a hold', async () => {
  const alice = await at.person('Alice', { funds })
  await takenInBatch(alice, 'sell 0.1 @ 60000', btcSpot)
  await takenInBatch(alice, 'buy 0.1 stp:cancel-both @ 60000', btcSpot)
  expect(await fills(alice)).toEqual([])
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ available: '1000000', locked: '0' })
  expect(await unifiedAsset(alice, 'BTC')).toMatchObject({ available: '20', locked: '0' })
})

row('stpMode', 'the record says what cancelled it', async () => {
  const alice = await at.person('Alice', { funds })
  const maker = await takenInBatch(alice, 'sell 0.1 @ 60000', btcSpot)
  const taker = await takenInBatch(alice, 'buy 0.1 stp:cancel-both @ 60000', btcSpot)
  for (const { orderId = '' } of [maker, taker]) {
    expect(await unifiedOrder(alice, { orderId })).toMatchObject({
      orderStatus: 'cancelled',
      cancelReason: 'stp_cancel',
    })
  }
})

async function meetsOf(first: Person, second: Person, market: Market): Promise<string> {
  await takenInBatch(first, 'sell 0.1 @ 60000', market)
  return unifiedOutcome(second, await takenInBatch(second, 'buy 0.1 stp:cancel-taker @ 60000', market))
}

const family = {
  rule: 'design §4.35',
  decision: 'self-trade prevention looks at the main account with its sub-accounts',
} as const

row(family, 'a sub-account does not trade with its main account', async () => {
  const main = await at.person('Main', { funds })
  const sub = await at.person('Sub', { parent: main, funds })
  expect(await meetsOf(main, sub, btcPerpetual)).toBe('canceled 0 of 0.1')
})

row(family, 'two sub-accounts of one main do not trade', async () => {
  const main = await at.person('Main')
  const first = await at.person('First', { parent: main, funds })
  const second = await at.person('Second', { parent: main, funds })
  expect(await meetsOf(first, second, btcPerpetual)).toBe('canceled 0 of 0.1')
})

row(family, 'two main accounts trade', async () => {
  const first = await at.person('First', { funds })
  const second = await at.person('Second', { funds })
  expect(await meetsOf(first, second, btcPerpetual)).toBe('filled 0.1')
})

row(family, 'a margin order does not trade with an own spot order', async () => {
  const alice = await at.person('Alice', { funds })
  await takenInBatch(alice, 'sell 0.1 @ 60000', btcSpot)
  const taker = await takenInBatch(alice, 'buy 0.1 stp:cancel-taker @ 60000', btcMargin)
  expect(await unifiedOutcome(alice, taker)).toBe('canceled 0 of 0.1')
})
