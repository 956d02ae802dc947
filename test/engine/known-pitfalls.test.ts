/**
 * Pitfalls that other engines are known for, a regression test each: what went wrong there must not go wrong here.
 * Source  risk-engine §23, and the section that each title names
 */
import { describe, expect } from 'vitest'
import type { FuturesInstrument } from '../../src/engine/catalog/catalog.ts'
import type { Lots, Ticks } from '../../src/engine/numbers/numbers.ts'
import type { PlaceOrder } from '../../src/engine/protocol/command.ts'
import type { FillEvent, OrderRecord } from '../../src/engine/protocol/event.ts'
import type { PositionView } from '../../src/engine/protocol/query.ts'
import type { WalletType } from '../../src/engine/vocabulary.ts'
import { coinId, dayMs, type Exchange, firstDay, hourMs, instrumentId, secondMs } from './support/exchange.ts'
import { coins, scaled, share, units } from './support/figures.ts'
import { coinListings, type CoinName, type FuturesRecord, type MarketName, markets } from './support/listings.ts'
import { hedgers, plenty, traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'
import { endedTriggers, plan, outcomeOf, waiting } from './support/triggers.ts'

function lever(exchange: Exchange, who: string, leverage: number, market: MarketName = exchange.market): void {
  const given = { interface: 'v2', positionSide: undefined, marginMode: undefined, leverage } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid(who), instrument: instrumentId(market), ...given })
}

function insure(exchange: Exchange, amount = '1000000', coin: CoinName = 'USDT'): void {
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId(coin), amount: units(amount) })
}

/** Gives Alice a position against Bob, at 100. */
function take(exchange: Exchange, position: string): void {
  const [side, quantity] = position.split(' ')
  const [mine, theirs] = side === 'long' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const)
  exchange.given(`bob: ${theirs} ${quantity} @ 100`, `alice: ${mine} ${quantity} @ 100`)
}

/** Two others trade one lot at a price: it is the last price. */
function last(exchange: Exchange, price: string): void {
  exchange.given(`dave: sell 1 @ ${price}`, `erin: buy 1 ioc @ ${price}`)
}

function wallet(exchange: Exchange, who = 'alice'): string {
  return exchange.wallet(who, 'usdt_futures', 'USDT')
}

/** Orders of the venue itself for somebody, oldest first. */
function forced(exchange: Exchange, who: string): OrderRecord[] {
  return exchange.applied
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.kind === 'order-ended' ? [event.order] : []))
    .filter(({ uid, cause }) => uid === exchange.uid(who) && cause !== 'user')
}

// Reduce-only

const bids = [99, 98, 97, 96].map((price) => `carol: buy 4 @ ${price}`)
const asks = [101, 102, 103, 104].map((price) => `carol: sell 4 @ ${price}`)

table(
  '§18.1: a reduce-only order that takes several levels stops where its position ends',
  `
    position | order                               | outcome           | book
    long 10  | alice: sell 16 reduce-only @ 96     | filled 10         | bids 2 @ 97, 4 @ 96
    long 10  | alice: sell 16 reduce-only          | filled 10         | bids 2 @ 97, 4 @ 96
    long 10  | alice: sell 16 reduce-only ioc @ 96 | filled 10         | bids 2 @ 97, 4 @ 96
    long 10  | alice: sell 16 reduce-only fok @ 96 | filled 10         | bids 2 @ 97, 4 @ 96
    long 10  | alice: sell 16 reduce-only @ 98     | filled 8, rests 2 | bids 4 @ 97, 4 @ 96
    short 10 | alice: buy 16 reduce-only @ 104     | filled 10         | asks 2 @ 103, 4 @ 104
    short 10 | alice: buy 16 reduce-only           | filled 10         | asks 2 @ 103, 4 @ 104
  `,
  (exchange, { position, order, outcome, book }) => {
    traders(exchange, 'alice', 'bob', 'carol')
    take(exchange, position)
    exchange.given(...(position.startsWith('long') ? bids : asks))
    expect(exchange.place(order)).toBe(outcome)
    expect(exchange.depth()).toContain(book)
    expect(exchange.holds('alice')).toBe(outcome.includes('rests') ? 'long 2' : 'flat')
    expect(exchange.fills().filter(({ uid }) => uid === exchange.uid('alice'))).not.toContainEqual(
      expect.objectContaining({ effect: 'open' }),
    )
  },
)

table(
  '§18.4: in hedge mode a close takes several levels and opens neither side',
  // Alice long 10 and short 4; carol's bids and asks are four levels of 4
  `
    order                           | outcome                       | after
    alice: buy 15 close             | filled 10                     | short 4
    alice: buy 15 close reduce-only | filled 10                     | short 4
    alice: buy 10 close @ 96        | filled 10                     | short 4
    alice: buy 11 close @ 96        | refused insufficient-position | long 10, short 4
    alice: sell 9 close             | filled 4                      | long 10
    alice: sell 4 close @ 104       | filled 4                      | long 10
  `,
  (exchange, { order, outcome, after }) => {
    hedgers(exchange, 'alice')
    traders(exchange, 'bob', 'carol')
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 open @ 100', 'bob: buy 4 @ 100', 'alice: sell 4 open @ 100')
    exchange.given(...bids, ...asks)
    expect(exchange.place(order)).toBe(outcome)
    expect(exchange.holds('alice')).toBe(after)
  },
)

table(
  '§18.4: in hedge mode a close of a side that is not there is refused, whatever else is open',
  `
    order                                 | outcome
    alice: sell 1 close                   | refused nothing-to-reduce
    alice: sell 1 close reduce-only @ 104 | refused nothing-to-reduce
    uma: buy 1 short                      | refused nothing-to-reduce
    uma: buy 1 short reduce-only @ 104    | refused nothing-to-reduce
  `,
  (exchange, { order, outcome }) => {
    hedgers(exchange, 'alice')
    traders(exchange, 'bob', 'carol').join('uma', { mode: 'unified', funds: { uta: '100000 USDT' } })
    exchange.must({ kind: 'set-hold-mode', uid: exchange.uid('uma'), line: undefined, holdMode: 'hedge_mode' })
    exchange.given('bob: sell 20 @ 100', 'alice: buy 10 open @ 100', 'uma: buy 10 long @ 100', ...bids, ...asks)
    expect(exchange.place(order)).toBe(outcome)
    expect([exchange.holds('alice'), exchange.holds('uma')]).toEqual(['long 10', 'long 10'])
  },
)

function modify(exchange: Exchange, who: string, change: { trigger: number; lots?: number }): string {
  const version = exchange.account(who).mode === 'classic' ? 'v2' : 'v3'
  const ask = { uid: exchange.uid(who), interface: version, category: undefined, instrument: undefined } as const
  const [found] = exchange.query({ kind: 'triggers', ...ask, kinds: ['plan'] })
  const { lots } = change
  return outcomeOf(
    exchange.apply({
      kind: 'modify-trigger',
      uid: exchange.uid(who),
      order: { orderId: found.orderId, clientOid: '' },
      kinds: [],
      trigger: change.trigger as Ticks,
      by: 'last',
      execute: 0,
      quantity: lots === undefined ? undefined : { unit: 'lots', lots: lots as Lots },
      takeProfit: undefined,
      stopLoss: undefined,
    }),
  )
}

table(
  '§18.3: a reduce-only plan stays reduce-only when it is changed (orders themselves cannot be)',
  [
    // change, what then comes of it, after
    [{ trigger: 98 }, 'plan executed', 'flat'],
    [{ trigger: 98, lots: 7 }, 'plan executed', 'long 3'],
    [{ trigger: 98, lots: 99 }, 'plan executed', 'flat'],
  ],
  (exchange, change, ended, after) => {
    traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
    take(exchange, 'long 10')
    exchange.given('carol: buy 200 @ 96')
    plan(exchange, 'alice: sell 10 reduce-only', 'last 97')
    expect(modify(exchange, 'alice', change)).toBe('modified')
    last(exchange, '98')
    expect(endedTriggers(exchange)).toEqual([ended])
    expect(exchange.holds('alice')).toBe(after)
    expect(exchange.ended().find(({ cause }) => cause === 'trigger')).toMatchObject({ reduceOnly: true })
  },
)

scenario('§18.3: changed after its position is gone it opens nothing', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol', 'dave', 'erin')
  take(exchange, 'long 10')
  plan(exchange, 'alice: sell 10 reduce-only', 'last 97')
  exchange.given('bob: buy 10 @ 100', 'alice: sell 10 @ 100', 'carol: buy 20 @ 96')
  expect(modify(exchange, 'alice', { trigger: 98, lots: 20 })).toBe('modified')
  last(exchange, '98')
  expect(endedTriggers(exchange)).toEqual(['plan failed nothing-to-reduce'])
  expect(exchange.holds('alice')).toBe('flat')
})

// Partial fills

/** An order of ten filled in three parts, the last of which is 4; what stands after each. */
table(
  '§4, §10: each part of a fill reaches the position, the wallet and the order; the last one too',
  [
    // Alice's order, who fills it, in parts; after each part: holds, wallet, filled and fee of the order
    [
      'maker',
      [
        ['long 3', '999.94', 3, '0.06'],
        ['long 6', '999.88', 6, '0.12'],
        ['long 10', '999.8', 10, '0.2'],
      ],
    ],
    ['taker', [['long 10', '999.4', 10, '0.6']]],
  ] as const,
  (exchange, scope, after) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1000 USDT' } })
    const parts = ['bob: sell 3 @ 100', 'bob: sell 3 @ 100', 'bob: sell 4 @ 100']
    const order = 'alice: buy 10 oid:mine @ 100'
    const steps = scope === 'maker' ? [[order, parts[0]], [parts[1]], [parts[2]]] : [[...parts, order]]
    for (const [index, [holds, left, filled, fee]] of after.entries()) {
      exchange.given(...steps[index])
      expect(exchange.holds('alice')).toBe(holds)
      const { balance, held } = exchange.balance('alice', 'usdt_futures', 'USDT')
      expect(coins(balance)).toBe(left)
      expect(held === 0n).toBe(filled === 10)
      const reference = { orderId: undefined, clientOid: 'mine' }
      const record =
        exchange.query({ kind: 'order', uid: exchange.uid('alice'), order: reference }) ??
        exchange.ended().find(({ clientOid }) => clientOid === 'mine')
      expect(record).toMatchObject({ filled, fee: units(fee) })
    }
    expect(coins(exchange.position('alice').fees)).toBe(after.at(-1)?.[3])
  },
)

scenario('§4: a sweep over three levels books each at its own price', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1000 USDT' } })
  exchange.given('bob: sell 3 @ 100', 'bob: sell 3 @ 101', 'bob: sell 4 @ 102', 'alice: buy 10 @ 102')
  const own = exchange.fills().filter(({ uid }) => uid === exchange.uid('alice'))
  expect(own.map(({ quantity, notional, fee }) => [quantity, coins(notional), coins(fee)])).toEqual([
    [3, '300', '0.18'],
    [3, '303', '0.1818'],
    [4, '408', '0.2448'],
  ])
  expect(exchange.position('alice')).toMatchObject({ quantity: 10, entryNotional: 101_100_000_000n })
  expect(wallet(exchange)).toBe('999.3934')
})

scenario('§10: of a spot order every part is delivered, the last as well', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { spot: '1000 USDT' } }).market = 'SOL/USDT'
  exchange.given('alice: buy 10 @ 100')
  const parts = [
    ['3', '2.997', '0 + 700 held'],
    ['3', '5.994', '0 + 400 held'],
    ['4', '9.99', '0'],
  ]
  for (const [part, received, left] of parts) {
    exchange.given(`bob: sell ${part} @ 100`)
    expect(exchange.wallet('alice', 'spot', 'SOL')).toBe(received)
    expect(exchange.wallet('alice', 'spot', 'USDT')).toBe(left)
  }
})

// Self-trade prevention, holds

for (const market of ['SOLUSDT', 'SOL/USDT'] as const) {
  table(
    `§19: a fok that its own orders keep from filling whole rests nowhere and holds nothing (${market})`,
    `
      mode         | outcome
      cancel-taker | canceled self-trade
      cancel-maker | canceled no-liquidity
      cancel-both  | canceled self-trade
    `,
    (exchange, { mode, outcome }) => {
      traders(exchange, 'alice', 'bob').market = market
      exchange.given('bob: sell 2 @ 100', 'alice: sell 3 @ 101', 'bob: sell 4 @ 102')
      const [at, coin] = market === 'SOLUSDT' ? (['usdt_futures', 'USDT'] as const) : (['spot', 'USDT'] as const)
      const before = exchange.balance('alice', at, coin).held
      expect(exchange.place(`alice: buy 7 fok stp:${mode} @ 102`)).toBe(outcome)
      expect(exchange.depth()).toBe('bids none / asks 2 @ 100, 3 @ 101, 4 @ 102')
      expect(exchange.balance('alice', at, coin).held).toBe(before)
      expect(exchange.fills()).toEqual([])
    },
  )
}

function cancelAll(exchange: Exchange, who: string): void {
  for (const category of ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const) {
    exchange.must({ kind: 'cancel-orders', uid: exchange.uid(who), interface: 'v2', category, instrument: undefined })
  }
}

table(
  '§11, §20.3: however an order ends, nothing stays held',
  `
    how                             | lines
    filled in parts                 | alice: buy 7 @ 100; bob: sell 3 @ 100; sell 4 @ 100
    filled in part, then canceled   | alice: buy 7 @ 100; bob: sell 3 @ 100
    ioc                             | bob: sell 3 @ 100; alice: buy 7 ioc @ 100
    post-only                       | bob: sell 3 @ 100; alice: buy 7 post-only @ 100
    fok                             | bob: sell 3 @ 100; alice: buy 7 fok @ 100
    market                          | bob: sell 3 @ 100; alice: buy 7
    removed by its own taker        | alice: sell 3 @ 101; buy 7 stp:cancel-maker @ 101
    removed with its own taker      | alice: sell 3 @ 101; buy 7 stp:cancel-both @ 101
    beside a position that it flips | bob: sell 5 @ 100; alice: buy 5 @ 100; sell 9 @ 101
    reduced, then flipped           | bob: sell 5 @ 100; alice: buy 5 @ 100; sell 9 @ 101; bob: buy 7 @ 101; buy 1 @ 101
    reduce-only that made way       | bob: sell 5 @ 100; alice: buy 5 @ 100; sell 5 reduce-only @ 104; sell 4 reduce-only @ 103; bob: buy 2 @ 103
    spot                            | alice: buy 7 SOL/USDT @ 100; bob: sell 3 SOL/USDT @ 100; alice: sell 2 SOL/USDT @ 101
    margin                          | alice: buy 7 SOL/USDT on-margin @ 100; bob: sell 3 SOL/USDT @ 100
  `,
  (exchange, { lines }) => {
    traders(exchange, 'alice', 'bob').given(lines)
    cancelAll(exchange, 'alice')
    cancelAll(exchange, 'bob')
    for (const who of ['alice', 'bob']) {
      for (const at of Object.keys(plenty) as WalletType[]) {
        for (const { held } of exchange.query({ kind: 'balances', uid: exchange.uid(who), wallet: at })) {
          expect(held).toBe(0n)
        }
      }
    }
  },
)

scenario('§11, §20.3: in hedge mode neither, where each side holds for itself', (exchange) => {
  hedgers(exchange, 'alice')
  traders(exchange, 'bob').given('alice: buy 7 open @ 100', 'bob: sell 3 @ 100', 'bob: sell 4 @ 100')
  exchange.given('alice: sell 3 open @ 100', 'bob: buy 2 @ 100', 'bob: buy 1 @ 100')
  expect(exchange.holds('alice')).toBe('long 7, short 3')
  expect(exchange.balance('alice', 'usdt_futures', 'USDT').held).toBe(0n)
})

scenario('§14, §20.3: a liquidated account holds nothing for the orders that went with it', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '200 USDT' } })
  insure(exchange)
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100', 'alice: buy 5 @ 98', 'alice: sell 4 reduce-only @ 104')
  exchange.prices({ SOL: '79' })
  expect(exchange.holds('alice')).toBe('flat')
  expect(exchange.resting()).toEqual([])
  expect(exchange.balance('alice', 'usdt_futures', 'USDT').held).toBe(0n)
})

// Auto-deleveraging

/** Alice's long of 0.25 is bankrupt and the fund empty; of two equal shorts who opened first is named first. */
table(
  '§15: of equals the older position is deleveraged, not the lower uid; every replica agrees',
  `
    first | second
    bob   | carol
    carol | bob
  `,
  (exchange, { first, second }) => {
    traders(exchange, 'bob', 'carol', 'dave').join('alice', { funds: { usdt_futures: '1000 USDT' } })
    exchange.market = 'BTCUSDT'
    exchange.given(`${first}: sell 0.25 isolated @ 60000`, `${second}: sell 0.25 isolated @ 60000`)
    exchange.given('alice: buy 0.25 isolated @ 60000', 'dave: buy 0.25 @ 60000')
    exchange.prices({ BTC: '55000' })
    expect(exchange.holds('alice')).toBe('flat')
    expect([exchange.holds(first), exchange.holds(second)]).toEqual(['flat', 'short 0.25'])
    expect(forced(exchange, first)).toMatchObject([{ cause: 'adl', fee: 0n }])
    expect(forced(exchange, second)).toEqual([])
  },
)

scenario('§15: what stands behind a position counts in its rank, in a unified account as well', (exchange) => {
  traders(exchange, 'bob', 'dave').join('alice', { funds: { usdt_futures: '1000 USDT' } })
  exchange.join('uma', { mode: 'unified', funds: { uta: '100 BTC' } }).market = 'BTCUSDT'
  // Uma opened first and has a hundred bitcoin behind a quarter: next to no leverage. Bob has 20x.
  exchange.given('uma: sell 0.25 @ 60000', 'bob: sell 0.25 isolated @ 60000')
  exchange.given('alice: buy 0.25 isolated @ 60000', 'dave: buy 0.25 @ 60000')
  exchange.prices({ BTC: '55000' })
  expect([exchange.holds('bob'), exchange.holds('uma')]).toEqual(['flat', 'short 0.25'])
})

/** Bob short half a bitcoin from 50,000, Alice long half from 60,000 with 1,500 behind it, and no fund. */
function losingCounterparty(exchange: Exchange): void {
  traders(exchange, 'carol').join('alice', { funds: { usdt_futures: '2000 USDT' } }).market = 'BTCUSDT'
  exchange.prices({ BTC: '50000' }).given('carol: buy 0.5 @ 50000', 'bob: sell 0.5 @ 50000')
  exchange.prices({ BTC: '60000' }).given('carol: sell 0.5 @ 60000', 'alice: buy 0.5 isolated @ 60000')
}

scenario(
  '§15: deleveraged at a loss that the wallet does not have, its other profit pays; nothing is made',
  (exchange) => {
    exchange.join('bob', { funds: { usdt_futures: '3300 USDT' } })
    traders(exchange, 'dave').given('dave: sell 10 ETHUSDT @ 3000', 'bob: buy 10 ETHUSDT @ 3000')
    exchange.prices({ ETH: '4000' })
    losingCounterparty(exchange)
    const before = units(wallet(exchange, 'bob'))
    exchange.prices({ BTC: '55000' })
    const [adl] = forced(exchange, 'bob')
    expect(adl).toMatchObject({ cause: 'adl', realizedPnl: units('-3517.15') }) // 0.5 × (50,000 − 57,034.3)
    expect(wallet(exchange, 'bob')).toBe('0')
    const left = exchange.position('bob', 'ETHUSDT').unrealizedPnl
    expect(coins(left)).toBe(coins(units('10000') - (units('3517.15') - before)))
    // Of Alice's 17.15 the closing fee took 17.11029.
    expect(exchange.house('insurance', 'USDT')).toBe('0.03971')
  },
)

scenario('§15, §16: a unified wallet without the coin owes what deleveraging cost it', (exchange) => {
  exchange.join('bob', { mode: 'unified', funds: { uta: '1 BTC, 1000 USDT' } })
  losingCounterparty(exchange)
  const { balance } = exchange.balance('bob', 'uta', 'USDT')
  exchange.prices({ BTC: '55000' })
  expect(exchange.holds('bob')).toBe('flat')
  expect(exchange.wallet('bob', 'uta', 'USDT')).toBe('0')
  expect(exchange.balance('bob', 'uta', 'USDT').principal).toBe(units('3517.15') - balance)
  expect(exchange.house('insurance', 'USDT')).toBe('0.03971')
})

// Triggers

table(
  '§14b: what a trigger places is checked like any order at that moment, and leaves nothing when it is refused',
  `
    line                            | leverage | funds  | ended
    alice: buy 100 @ 104            | 20       | 10     | plan failed insufficient-margin
    alice: buy 100                  | 20       | 10     | plan failed insufficient-margin
    alice: buy 2100 @ 104           | 125      | 100000 | plan failed position-tier-exceeded
    alice: sell 5 reduce-only @ 104 | 20       | 100000 | plan failed nothing-to-reduce
    alice: buy 5 @ 104              | 20       | 100000 | plan executed
  `,
  (exchange, { line, leverage, funds, ended }) => {
    traders(exchange, 'carol', 'dave', 'erin').join('alice', { funds: { usdt_futures: `${funds} USDT` } })
    lever(exchange, 'alice', Number(leverage))
    exchange.given('carol: sell 5000 @ 105')
    expect(plan(exchange, line, 'last 104')).toBe('placed')
    expect(exchange.balance('alice', 'usdt_futures', 'USDT').held).toBe(0n)
    last(exchange, '104')
    expect(endedTriggers(exchange)).toEqual([ended])
    expect(waiting(exchange, 'alice')).toEqual([])
    expect(exchange.holds('alice')).toBe('flat')
    const open = ended === 'plan executed'
    expect(exchange.resting().filter((order) => order.startsWith('alice'))).toHaveLength(open ? 1 : 0)
    expect(exchange.balance('alice', 'usdt_futures', 'USDT').held > 0n).toBe(open)
  },
)

// Liquidation prices

interface Cheap {
  readonly kind: 'linear' | 'inverse'
  readonly price: string
  readonly priceDecimals: number
  readonly quantityStep: number
}

/** A coin of that price and a contract on it, Alice's and Bob's orders in it, and its index. */
function listCheap(exchange: Exchange, { kind, price, ...steps }: Cheap) {
  const coin = { ...coinListings[coinId('SOL')], name: 'TINY', listingPriceE8: units(price) }
  const coinReply = exchange.must({ kind: 'list-coin', coin })
  const base = coinReply.kind === 'listed' ? coinReply.id : -1
  const like = kind === 'linear' ? 'SOLUSDT' : 'BTCUSD'
  const own = kind === 'linear' ? { base } : { base, settle: base }
  const record = { ...markets[like], ...own, ...steps, quantityDecimals: 0, sizeDecimals: 0, symbol: 'TINY' }
  const reply = exchange.must({ kind: 'list-instrument', instrument: record as FuturesRecord })
  const instrument = reply.kind === 'listed' ? reply.id : -1
  const settle = kind === 'linear' ? coinId('USDT') : base
  const ticks = Number(scaled(price, steps.priceDecimals)) as Ticks
  return {
    open(side: 'buy' | 'sell', quantity: number, leverage: number): void {
      for (const [who, words] of [
        ['bob', `${side === 'buy' ? 'sell' : 'buy'} 1 @ 100`],
        ['alice', `${side} 1 isolated @ 100`],
      ]) {
        const uid = exchange.uid(who)
        const where = { wallet: kind === 'linear' ? 'usdt_futures' : 'coin_futures', coin: settle } as const
        exchange.must({ kind: 'deposit', uid, ...where, amount: units('1000000') })
        const lots = (quantity / steps.quantityStep) as Lots
        const order = exchange.order(`${who}: ${words}`)
        const { category } = exchange.query({ kind: 'catalog' }).instruments[instrument]
        const given = { interface: 'v2', positionSide: undefined, marginMode: undefined, leverage } as const
        exchange.must({ kind: 'set-leverage', uid, instrument, ...given })
        const placed: PlaceOrder = { ...order, category, instrument, price: ticks, quantity: { unit: 'lots', lots } }
        exchange.must(placed)
      }
    },
    position(): PositionView | undefined {
      const { category } = exchange.query({ kind: 'catalog' }).instruments[instrument] as FuturesInstrument
      const ask = { kind: 'positions', uid: exchange.uid('alice'), interface: 'v2', line: category } as const
      return exchange.query({ ...ask, instrument })[0]
    },
    index(ticksNow: number): void {
      const usd = BigInt(ticksNow) * 10n ** BigInt(8 - steps.priceDecimals)
      exchange.must({ kind: 'set-index-prices', prices: [[base, usd]] })
    },
    insure(): void {
      exchange.must({ kind: 'fund-house', account: 'insurance', coin: settle, amount: units('10000000') })
    },
  }
}

table(
  '§5, §8: coins of little worth, large lots and many decimals: shown, reached and taken over to the tick',
  [
    // contract, side and quantity, at 10x: liquidation and bankruptcy price in ticks of the last decimal
    // (1,500 − 15,000) / (100,000 × −0.9954) = 0.135623…, / −0.9994 = 0.135081…
    [{ kind: 'linear', price: '0.15', priceDecimals: 5, quantityStep: 1 }, 'buy 100000', 13_563, 13_509],
    // 16,500 / (100,000 × 1.0046) = 0.164244…, / 1.0006 = 0.164901…
    [{ kind: 'linear', price: '0.15', priceDecimals: 5, quantityStep: 1 }, 'sell 100000', 16_424, 16_490],
    // contracts of 1,000 coins: 21,105 / (10⁹ × 0.9954) = 0.0000212025…, / 0.9994 = 0.0000211176…
    [{ kind: 'linear', price: '0.00002345', priceDecimals: 8, quantityStep: 1000 }, 'buy 1000000000', 2_121, 2_112],
    // 25,795 / (10⁹ × 1.0046) = 0.0000256768…, / 1.0006 = 0.0000257795…
    [{ kind: 'linear', price: '0.00002345', priceDecimals: 8, quantityStep: 1000 }, 'sell 1000000000', 2_567, 2_577],
    // 10,000 × 1.0046 / (6,666.67 + 66,666.67) = 0.136990…, × 1.0006 = 0.136445…
    [{ kind: 'inverse', price: '0.15', priceDecimals: 5, quantityStep: 1 }, 'buy 10000', 13_700, 13_645],
    // 10,000 × 0.9954 / (66,666.67 − 6,666.67) = 0.1659 exactly: there it goes; × 0.9994 = 0.166566…
    [{ kind: 'inverse', price: '0.15', priceDecimals: 5, quantityStep: 10 }, 'sell 10000', 16_590, 16_656],
  ] as const,
  (exchange, cheap, order, liquidation, bankruptcy) => {
    exchange.join('alice').join('bob')
    const tiny = listCheap(exchange, cheap)
    tiny.insure()
    const [side, quantity] = order.split(' ') as ['buy' | 'sell', string]
    tiny.open(side, Number(quantity), 10)
    expect(tiny.position()?.liquidationPrice).toBe(liquidation)
    const away = side === 'buy' ? 1 : -1
    tiny.index(liquidation + away)
    expect(tiny.position()).toBeDefined()
    tiny.index(liquidation - away)
    expect(tiny.position()).toBeUndefined()
    expect(forced(exchange, 'alice').map(({ price }) => price)).toEqual([bankruptcy])
  },
)

scenario('§7: a hedge whose loss and maintenance cancel out at any price has no liquidation price', (exchange) => {
  hedgers(exchange, 'alice')
  traders(exchange, 'bob').market = 'BTCUSDT'
  // 1 × 0.46 % less 0.0046 of net: the divisor is zero.
  exchange.given('bob: sell 1 @ 60000', 'alice: buy 1 open @ 60000')
  exchange.given('bob: buy 0.9954 @ 60000', 'alice: sell 0.9954 open @ 60000')
  expect(exchange.positions('alice').map(({ liquidationPrice }) => liquidationPrice)).toEqual([0, 0])
})

scenario('§8: a cross short of exactly its own coin has none either', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { coin_futures: '0.5003 BTC' } }).market = 'BTCUSD'
  exchange.given('bob: buy 30000 @ 60000', 'alice: sell 30000 @ 60000')
  expect(exchange.wallet('alice', 'coin_futures', 'BTC')).toBe('0.5')
  expect(exchange.position('alice').liquidationPrice).toBe(0)
  exchange.leap({ BTC: '6000000' })
  expect(exchange.holds('alice')).toBe('short 30000')
})

// Margin

table(
  '§3, §6: initial margin admits, maintenance margin liquidates; between them one may stay and leave, not add',
  // Alice has 1,500 behind half a bitcoin from 60,000 at 20x; mark, one more order, after the mark, after a close
  `
    mark    | more                        | after
    // 1,500 of 1,500
    60000   | refused insufficient-margin | long 0.5
    // 1,250 of 1,487.5; 136.85 to stay
    59500   | refused insufficient-margin | long 0.5
    // 132 of 1,431.6; 131.7072
    57264   | refused insufficient-margin | long 0.5
    57263.4 | refused insufficient-margin | flat
  `,
  (exchange, { mark, more, after }) => {
    traders(exchange, 'bob', 'carol').join('alice', { funds: { usdt_futures: '1518 USDT' } }).market = 'BTCUSDT'
    insure(exchange)
    exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 @ 60000').prices({ BTC: mark })
    expect(exchange.holds('alice')).toBe(after)
    if (after === 'flat') return
    expect(exchange.place(`alice: buy 0.0001 @ ${mark}`)).toBe(more)
    exchange.given(`carol: buy 0.5 @ ${mark}`)
    expect(exchange.place(`alice: sell 0.5 reduce-only @ ${mark}`)).toBe('filled 0.5')
  },
)

scenario('§14: a large position is cut to what the first tier carries: of 40 at 57,000 stay 3.5087', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '140000 USDT' } }).market = 'BTCUSDT'
  insure(exchange, '10000000')
  exchange.given('bob: sell 40 @ 60000', 'alice: buy 40 @ 60000', 'bob: buy 40 @ 57100').prices({ BTC: '57000' })
  const [first] = forced(exchange, 'alice')
  expect(first.cause).toBe('reduce')
  expect(exchange.quantity(first.quantity)).toBe('36.4913')
  // 140,000 − 1,440 of fee − 36.4913 × 2,900 − 1,250.19… of fee is no longer too little for what stays.
  expect(exchange.holds('alice')).toBe('long 3.5087')
  expect(forced(exchange, 'alice')).toHaveLength(1)
})

table(
  '§6: a classic futures wallet counts its margin coin and nothing else',
  [
    // what Alice has beside ten of the margin coin, market, order that needs more than ten
    [{ usdt_futures: '10 USDT', coin_futures: '50 BTC', usdc_futures: '900000 USDC' }, 'SOLUSDT', 'buy 10 @ 100'],
    [
      { usdt_futures: '10 USDT', spot: '50 BTC, 900000 USDT', crossed_margin: '900000 USDT' },
      'SOLUSDT',
      'sell 10 @ 100',
    ],
    [{ coin_futures: '0.001 BTC', usdt_futures: '900000 USDT', spot: '50 BTC' }, 'BTCUSD', 'buy 30000 @ 60000'],
    [{ usdc_futures: '10 USDC', usdt_futures: '900000 USDT' }, 'ETHPERP', 'buy 1 @ 3000'],
  ] as const,
  (exchange, funds, market, order) => {
    exchange.join('alice', { funds }).market = market
    expect(exchange.place(`alice: ${order}`)).toBe('refused insufficient-margin')
  },
)

scenario('§6, §14: a liquidation reaches one margin coin of one wallet; all else stays', (exchange) => {
  const funds = { usdt_futures: '200 USDT', coin_futures: '1 BTC', usdc_futures: '5000 USDC', spot: '7000 USDT' }
  traders(exchange, 'bob').join('alice', { funds })
  insure(exchange)
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  exchange.given('bob: sell 1 ETHPERP @ 3000', 'alice: buy 1 ETHPERP @ 3000')
  exchange.prices({ SOL: '79' })
  expect(exchange.holds('alice')).toBe('flat')
  expect(wallet(exchange)).toBe('0')
  expect(exchange.holds('alice', 'ETHPERP')).toBe('long 1')
  expect(exchange.wallet('alice', 'coin_futures', 'BTC')).toBe('1')
  expect(exchange.wallet('alice', 'spot', 'USDT')).toBe('7000')
  expect(exchange.wallet('alice', 'usdc_futures', 'USDC')).toBe('4998.2')
})

describe('§11, §14: a breach refuses the order or liquidates the account, and the venue goes on', () => {
  for (const fund of ['0', '1000000']) {
    scenario(`with ${fund} in the insurance fund`, (exchange) => {
      traders(exchange, 'bob', 'carol').join('alice', { funds: { usdt_futures: '60 USDT' } })
      if (fund !== '0') insure(exchange, fund)
      expect(exchange.place('alice: buy 20 @ 100')).toBe('refused insufficient-margin')
      exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
      exchange.prices({ SOL: '50' })
      expect(exchange.holds('alice')).toBe('flat')
      exchange.wait(secondMs).runTimers()
      expect(exchange.place('alice: buy 1 @ 50')).toBe('refused insufficient-margin')
      exchange.pay('alice', 'usdt_futures', '100 USDT')
      exchange.given('carol: sell 5 @ 50')
      expect(exchange.place('alice: buy 5 @ 50')).toBe('filled 5')
      exchange.at = firstDay + 8 * hourMs
      exchange.runTimers()
      expect(coins(exchange.position('alice').funding ?? 0n)).toBe('-0.025')
    })
  }
})

// Funding

/** Runs what falls due, as often as a busy venue would, and trades in between. */
function busy(exchange: Exchange, until: number, every: number): void {
  while (exchange.at + every <= until) {
    exchange.wait(every - 3)
    exchange.given('dave: sell 1 SOL/USDT @ 100', 'erin: buy 1 SOL/USDT @ 100')
    exchange.runTimers()
  }
}

table(
  '§13: funding is paid once at each boundary, however many commands, timers and prices come between',
  [
    [secondMs * 7, 8 * hourMs + 20 * secondMs, 1],
    [hourMs / 3, dayMs + 1, 3],
    [5 * hourMs, 2 * dayMs + 1, 6],
  ],
  (exchange, every, until, boundaries) => {
    traders(exchange, 'alice', 'bob', 'dave', 'erin').given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
    if (every < hourMs / 60) exchange.at = firstDay + 8 * hourMs - 20 * secondMs
    busy(exchange, firstDay + until, every)
    exchange.at = firstDay + until
    exchange.runTimers()
    const events = exchange.applied.flatMap((step) => step.events)
    const paid = events.flatMap((event) => (event.kind === 'funding-payment' ? [event] : []))
    for (const [who, amount] of [
      ['alice', '-0.1'],
      ['bob', '0.1'],
    ]) {
      const own = paid.filter(({ uid }) => uid === exchange.uid(who))
      expect(own.map((payment) => coins(payment.amount))).toEqual(Array(boundaries).fill(amount))
      expect(new Set(own.map(({ at }) => at)).size).toBe(boundaries)
      expect(own.every(({ at }) => (at - firstDay) % (8 * hourMs) === 0)).toBe(true)
    }
  },
)

table(
  '§13: above the index longs pay shorts, below it shorts pay longs',
  [
    // quotes of Ann and Ben around an index of 60,000; Alice is long
    ['60060', '60070', '-', ''],
    ['59930', '59940', '', '-'],
  ],
  (exchange, bid, ask, long, short) => {
    traders(exchange, 'alice', 'bob', 'ann', 'ben').market = 'BTCUSDT'
    exchange.given('bob: sell 0.5 @ 60000', 'alice: buy 0.5 @ 60000', `ann: sell 10 @ ${ask}`, `ben: buy 10 @ ${bid}`)
    exchange.wait(90 * secondMs)
    exchange.must({ kind: 'settle-funding', instrument: instrumentId('BTCUSDT') })
    // A premium of 0.1 % either way is 0.05 % of 30,000.
    expect(coins(exchange.position('alice').funding ?? 0n)).toBe(`${long}15`)
    expect(coins(exchange.position('bob').funding ?? 0n)).toBe(`${short}15`)
  },
)

// Maker rebates

function rebate(exchange: Exchange, market: MarketName): void {
  const same = {
    status: undefined,
    tiers: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  const instrument = instrumentId(market)
  exchange.must({ kind: 'set-instrument', instrument, makerFeeRate: share('-0.0001'), ...same })
}

function fillsOf(exchange: Exchange, who: string): FillEvent[] {
  return exchange.fills().filter(({ uid }) => uid === exchange.uid(who))
}

scenario(
  '§10: a maker rebate is paid to the wallet, and counts as a negative fee wherever fees are shown',
  (exchange) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1000 USDT' } })
    rebate(exchange, 'SOLUSDT')
    exchange.given('alice: buy 10 @ 100', 'bob: sell 4 @ 100')
    expect(fillsOf(exchange, 'alice').map(({ fee }) => coins(fee))).toEqual(['-0.04'])
    exchange.given('bob: sell 6 @ 100')
    expect(fillsOf(exchange, 'alice').map(({ fee }) => coins(fee))).toEqual(['-0.06'])
    expect(exchange.ended().find(({ uid }) => uid === exchange.uid('alice'))).toMatchObject({ fee: units('-0.1') })
    expect(wallet(exchange)).toBe('1000.1')
    const position = exchange.position('alice')
    expect(coins(position.fees)).toBe('-0.1')
    expect(coins(position.realizedPnl)).toBe('0')
    // 999.9 / (10 × 0.9994) = 100.05…
    expect(exchange.price(position.breakEvenPrice)).toBe('101')
    // Bob's 0.6 less Alice's 0.1
    expect(exchange.house('fees', 'USDT')).toBe('0.5')
  },
)

scenario('§1, §10: a rebate is rounded against the account, a fill at a time', (exchange) => {
  traders(exchange, 'alice', 'bob').market = 'BTCUSD'
  rebate(exchange, 'BTCUSD')
  exchange.given('alice: buy 3 @ 60000', 'bob: sell 1 @ 60000')
  // 1 / 60,000 × 0.01 % is 0.1666… of a unit: nothing, three times
  expect(fillsOf(exchange, 'alice').map(({ fee }) => fee)).toEqual([0n])
  exchange.given('bob: sell 1 @ 60000')
  expect(fillsOf(exchange, 'alice').map(({ fee }) => fee)).toEqual([0n])
  exchange.given('bob: sell 1 @ 60000')
  expect(fillsOf(exchange, 'alice').map(({ fee }) => fee)).toEqual([0n])
  // 12,345 / 60,000 × 0.01 % is 2,057.5 units
  exchange.given('alice: buy 12345 @ 60000', 'bob: sell 12345 @ 60000')
  expect(fillsOf(exchange, 'alice').map(({ fee }) => fee)).toEqual([-2_057n])
})

scenario('a quantity in a unit that the order does not count in is refused, and holds nothing', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 1 BTC/USDT @ 60000')
  const order = exchange.order('alice: buy 60000 USDT BTC/USDT')
  const lots = { unit: 'lots', lots: 1_000_000 as Lots } as const
  const quote = { unit: 'quote', amount: units('60000') } as const
  const base = { unit: 'base', amount: units('1') } as const
  const limit = { orderType: 'limit', price: 6_000_000 as Ticks } as const
  for (const wrong of [
    { quantity: lots },
    { quantity: base },
    { ...limit, quantity: quote },
    { ...limit, quantity: base },
  ]) {
    expect(exchange.refusal({ ...order, ...wrong })).toBe('quantity-unit-unsuitable')
  }
  const contract = { instrument: instrumentId('BTCUSDT'), category: 'USDT-FUTURES' } as const
  for (const quantity of [quote, base]) {
    expect(exchange.refusal({ ...order, ...contract, quantity })).toBe('quantity-unit-unsuitable')
  }
})
