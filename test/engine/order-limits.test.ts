/**
 * What an order needs before it may be placed: known account and market, a free client order id, room among open orders,
 * bounds of quantity, value and price.
 * Source  interface E2, "Limits"; design §4.6, §4.18, §4.20, §4.23, §4.25, §4.31
 */
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Lots } from '../../src/engine/numbers/numbers.ts'
import type { PlaceOrder } from '../../src/engine/protocol/command.ts'
import { decode, encode } from '../../src/engine/storage/storage.ts'
import type { HoldMode } from '../../src/engine/vocabulary.ts'
import { dayMs, Exchange, instrumentId, type Joining } from './support/exchange.ts'
import { traders, unifieds } from './support/people.ts'
import { scenario, table } from './support/table.ts'

// Open orders

for (const [market, other] of [
  ['SOLUSDT', 'BTCUSD'],
  ['SOL/USDT', 'BTC/USDT'],
] as const) {
  scenario(`design §4.18: at most 400 open orders, here ${market}`, (exchange) => {
    traders(exchange, 'alice', 'bob').market = market
    for (let count = 1; count <= 400; count++) exchange.given(`alice: buy 1 oid:n-${count} @ ${(count % 90) + 1}`)
    expect(exchange.place('alice: buy 1 @ 50')).toBe('refused open-orders-max')
    expect(exchange.place(`alice: buy 1 ${other} @ 1000`)).toBe('refused open-orders-max')
    expect(exchange.place('alice: buy 1 post-only @ 50')).toBe('refused open-orders-max')
    // What cannot rest is no open order; another account has its own count.
    expect(exchange.place('alice: buy 1 ioc @ 50')).toBe('canceled no-liquidity')
    expect(exchange.place('bob: buy 1 @ 50')).toBe('rests 1')
    exchange.cancel('alice', 'n-7')
    expect(exchange.place('alice: buy 1 @ 50')).toBe('rests 1')
    expect(exchange.place('alice: buy 1 @ 50')).toBe('refused open-orders-max')
  })
}

scenario('futures and spot are counted apart, spot and margin together', (exchange) => {
  traders(exchange, 'alice')
  for (let count = 1; count <= 400; count++) {
    exchange.given(`alice: buy 1 SOLUSDT @ 10`, `alice: buy 1 SOL/USDT${count % 2 === 0 ? ' on-margin' : ''} @ 10`)
  }
  expect(exchange.place('alice: buy 1 SOLUSDT @ 50')).toBe('refused open-orders-max')
  expect(exchange.place('alice: buy 1 SOL/USDT @ 50')).toBe('refused open-orders-max')
  expect(exchange.place('alice: buy 1 SOL/USDT on-margin @ 50')).toBe('refused open-orders-max')
})

table(
  'at 400 open orders a closing order comes in the place of those that it displaces (design §4.9, §4.10, §4.18)',
  // mode            position and a close that rests                             then
  `
    hold mode    | given                                                                       | closes
    one_way_mode | bob: sell 2 @ 100; alice: buy 2 @ 100; sell 2 reduce-only @ 120             | reduce-only
    hedge_mode   | bob: sell 2 open @ 100; alice: buy 2 open @ 100; sell 2 close long v3 @ 120 | close long v3
  `,
  (exchange, { holdMode, given, closes }) => {
    unifieds(exchange, 'alice', 'bob')
    for (const who of ['alice', 'bob']) {
      exchange.must({ kind: 'set-hold-mode', uid: exchange.uid(who), line: undefined, holdMode: holdMode as HoldMode })
    }
    exchange.given(given)
    const open = holdMode === 'hedge_mode' ? 'open ' : ''
    for (let count = 1; count < 400; count++) exchange.given(`alice: buy 1 ${open}@ ${(count % 40) + 50}`)
    expect(exchange.place(`alice: buy 1 ${open}@ 50`)).toBe('refused open-orders-max')
    expect(exchange.place(`alice: sell 1 ${closes} @ 110`)).toBe('canceled sell 2 @ 120, rests 1')
    expect(exchange.resting().filter((line) => line.includes('sell'))).toEqual(['alice sell 1 @ 110'])
    // It displaces nothing, so that it would be one more.
    expect(exchange.place(`alice: sell 1 ${closes} @ 111`)).toBe('refused open-orders-max')
  },
)

scenario('at most 150 positions: another one is refused; what is held grows, turns round and closes', (exchange) => {
  traders(exchange, 'alice', 'bob', 'carol').given('bob: sell 1 @ 100')
  const [template] = exchange.applied.slice(-1).map(({ command }) => command)
  if (template?.kind !== 'place-order') throw new Error('an order')
  const { id, ...listed } = exchange.instrument('SOLUSDT')
  const { length } = exchange.query({ kind: 'catalog' }).instruments
  const place = (who: string, side: 'buy' | 'sell', instrument: number, more: Partial<PlaceOrder> = {}) =>
    exchange.refusal({ ...template, uid: exchange.uid(who), side, instrument, ...more })

  exchange.given('alice: buy 1 @ 100')
  for (let instrument = length; instrument < length + 150; instrument++) {
    exchange.must({ kind: 'list-instrument', instrument: { ...listed, symbol: `N${instrument}USDT` } })
    expect(place('bob', 'sell', instrument)).toBe(instrument < length + 149 ? 'accepted' : 'positions-max')
    expect(place('carol', 'sell', instrument)).toBe('accepted')
    expect(place('alice', 'buy', instrument)).toBe(instrument < length + 149 ? 'accepted' : 'positions-max')
  }
  expect(place('alice', 'buy', length)).toBe('accepted')
  expect(place('bob', 'sell', length)).toBe('accepted')
  const { quantity } = template
  if (quantity.unit !== 'lots') throw new Error('lots')
  expect(place('alice', 'sell', id, { quantity: { ...quantity, lots: (2 * quantity.lots) as Lots } })).toBe('accepted')
  expect(place('carol', 'buy', id)).toBe('accepted')
  expect(place('bob', 'buy', id)).toBe('accepted')
  expect(exchange.holds('alice', 'SOLUSDT')).toBe('short 1')
  expect(place('alice', 'buy', id)).toBe('accepted')
  expect(place('carol', 'sell', id)).toBe('accepted')
  expect(exchange.holds('alice', 'SOLUSDT')).toBe('flat')
  expect(place('alice', 'buy', length + 149)).toBe('accepted')
  expect(place('alice', 'buy', id)).toBe('positions-max')
})

scenario('a position is not moved to who holds 150, unless it holds that one', (exchange) => {
  unifieds(exchange, 'main', 'bob', 'carol')
  const coins = '1000000 USDT'
  exchange.join('sub', { mode: 'unified', parent: 'main', funds: { uta: coins } })
  exchange.given('bob: sell 1 @ 100', 'main: buy 1 @ 100')
  const [template] = exchange.applied.slice(-1).map(({ command }) => command)
  if (template?.kind !== 'place-order' || template.quantity.unit !== 'lots') throw new Error('an order of lots')
  const { quantity } = template
  const { id, ...listed } = exchange.instrument('SOLUSDT')
  const { length } = exchange.query({ kind: 'catalog' }).instruments
  const place = (who: string, side: 'buy' | 'sell', instrument: number) =>
    exchange.must({ ...template, uid: exchange.uid(who), side, instrument })
  for (let instrument = length; instrument < length + 150; instrument++) {
    exchange.must({ kind: 'list-instrument', instrument: { ...listed, symbol: `N${instrument}USDT` } })
    place('carol', 'sell', instrument)
    place('sub', 'buy', instrument)
  }
  const [actorUid, toUid] = [exchange.uid('main'), exchange.uid('sub')]
  const moved = (instrument: number) =>
    exchange.refusal({
      kind: 'move-position',
      actorUid,
      fromUid: actorUid,
      toUid,
      instrument,
      side: 'long',
      quantity: quantity.lots,
    })
  expect(moved(id)).toBe('positions-max')
  place('carol', 'sell', length)
  place('main', 'buy', length)
  expect(moved(length)).toBe('accepted')
})

// Client order ids

scenario('design §4.6: a client order id is taken while its order lives and a day after, then free', (exchange) => {
  traders(exchange, 'alice', 'bob').given('alice: buy 1 oid:mine @ 90')
  expect(exchange.place('alice: sell 7 SOL/USDT oid:mine @ 110')).toBe('refused duplicate-client-order-id')
  expect(exchange.place('bob: buy 1 oid:mine @ 90')).toBe('rests 1')
  exchange.wait(3 * dayMs)
  expect(exchange.place('alice: buy 1 oid:mine @ 90')).toBe('refused duplicate-client-order-id')
  exchange.cancel('alice', 'mine')
  const ended = exchange.at
  expect(exchange.place('alice: buy 1 oid:mine @ 90')).toBe('refused duplicate-client-order-id')
  exchange.at = ended + dayMs - 1
  expect(exchange.place('alice: buy 1 oid:mine @ 90')).toBe('refused duplicate-client-order-id')
  expect(exchange.place('alice: buy 1 oid:mine @ 90')).toBe('rests 1')
  expect(exchange.place('alice: buy 1 oid:mine @ 90')).toBe('refused duplicate-client-order-id')
})

scenario('of ids that are free again nothing is kept, however many there were', (exchange) => {
  traders(exchange, 'alice')
  for (let index = 0; index < 4_100; index++) exchange.place(`alice: buy 1 ioc oid:o${index} @ 90`)
  exchange.wait(dayMs)
  expect(exchange.place('alice: buy 1 ioc oid:o4099 @ 90')).toBe('canceled no-liquidity')
  expect(exchange.place('alice: buy 1 ioc oid:o4099 @ 90')).toBe('refused duplicate-client-order-id')
  const { accounts } = decode([exchange.save()]) as Saved
  expect(accounts.ended.clientOids).toEqual(['o4099'])
  expect([...(accounts.list.find(({ name }) => name === 'alice')?.clientOids.keys() ?? [])]).toEqual(['o4099'])
})

test('ids of ended orders in a state that was saved before they were columns stay taken as long', () => {
  const exchange = new Exchange()
  traders(exchange, 'alice').given('alice: buy 1 oid:mine @ 90')
  exchange.cancel('alice', 'mine')
  const endedAt = exchange.at
  const saved = decode([exchange.save()]) as Saved
  const { ended } = saved.accounts
  const before = ended.accounts.map((account, index) => [account, ended.clientOids[index], ended.takenUntil[index]])
  const load = () => {
    const older = { ...saved, accounts: { ...saved.accounts, ended: structuredClone(before) } }
    return Engine.load(encode(older), () => {})
  }
  const placing = exchange.applied.find(({ command }) => command.kind === 'place-order')!.command
  expect(load().apply(placing, saved.sequence + 1, endedAt + dayMs)).toMatchObject({ kind: 'refused' })
  expect(load().apply(placing, saved.sequence + 1, endedAt + dayMs + 1)).toMatchObject({ kind: 'placed' })
})

interface Saved {
  readonly sequence: number
  readonly accounts: {
    readonly list: readonly { readonly name: string; readonly clientOids: ReadonlyMap<string, number> }[]
    readonly ended: {
      readonly accounts: readonly number[]
      readonly clientOids: readonly string[]
      readonly takenUntil: readonly number[]
    }
  }
}

scenario('the refusal of a duplicate names the order that is there', (exchange) => {
  traders(exchange, 'alice').given('alice: buy 1 oid:mine @ 90')
  const first = exchange.applied.at(-1)?.reply
  exchange.place('alice: buy 1 oid:mine @ 90')
  const refusal = exchange.applied.at(-1)?.reply
  if (first?.kind !== 'placed' || refusal?.kind !== 'refused') throw new Error('placed, then refused')
  expect(refusal.refusal).toEqual({ kind: 'duplicate-client-order-id', orderId: first.orderId })
})

scenario('design §4.29: a refused order leaves its id free, one canceled at once does not', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1 USDT' } })
  expect(exchange.place('alice: buy 1 oid:mine @ 90')).toBe('refused insufficient-margin')
  expect(exchange.place('alice: sell 1 reduce-only oid:mine @ 90')).toBe('refused nothing-to-reduce')
  exchange.pay('alice', 'usdt_futures', '1000 USDT')
  expect(exchange.place('alice: buy 1 ioc oid:mine @ 90')).toBe('canceled no-liquidity')
  expect(exchange.place('alice: buy 1 oid:mine @ 90')).toBe('refused duplicate-client-order-id')
})

scenario("the id that the venue made is the order's number, and taken while the order lives", (exchange) => {
  traders(exchange, 'alice', 'bob').given('alice: buy 1 @ 90')
  const { reply } = exchange.applied.at(-1) ?? {}
  if (reply?.kind !== 'placed') throw new Error('placed')
  expect(reply.clientOid).toBe(String(reply.orderId))
  expect(exchange.place(`alice: buy 1 oid:${reply.clientOid} @ 90`)).toBe('refused duplicate-client-order-id')
  expect(exchange.place(`alice: buy 1 oid:0${reply.clientOid} @ 90`)).toBe('rests 1')
  expect(exchange.place(`bob: buy 1 oid:${reply.clientOid} @ 90`)).toBe('rests 1')
  expect(exchange.cancel('alice', reply.clientOid)).toEqual({
    kind: 'canceled',
    orders: [{ orderId: reply.orderId, clientOid: reply.clientOid }],
  })
})

// Bounds of ETHPERP: 0.01 to 1000 (market 100), worth at least 50, within 10 % of the mark of 3000

table(
  'quantity, value and price: at the bound, one step beyond',
  `
    order                      | outcome
    alice: buy 0.02 @ 3000     | rests 0.02
    alice: buy 0.017 @ 3000    | rests 0.017
    alice: buy 0.017 @ 2941.18 | rests 0.017
    alice: buy 0.017 @ 2941.17 | refused notional-below-minimum
    alice: buy 0.016 @ 3000    | refused notional-below-minimum
    alice: buy 0.01 @ 3000     | refused notional-below-minimum
    alice: buy 0.009 @ 3000    | refused quantity-below-minimum
    alice: buy 0 @ 3000        | refused quantity-below-minimum
    alice: buy 1000 @ 3000     | rests 1000
    alice: buy 1000.001 @ 3000 | refused quantity-above-maximum
    alice: buy 100             | canceled no-liquidity
    alice: buy 100.001         | refused quantity-above-maximum
    alice: buy 1 @ 3300        | rests 1
    alice: buy 1 @ 3300.01     | refused price-above-limit
    alice: buy 1 @ 1000        | rests 1
    alice: sell 1 @ 2700       | rests 1
    alice: sell 1 @ 2699.99    | refused price-below-limit
    alice: sell 1 @ 9000       | rests 1
  `,
  (exchange, { order, outcome }) => {
    traders(exchange, 'alice').market = 'ETHPERP'
    expect(exchange.place(order)).toBe(outcome)
  },
)

table(
  'a position may be closed below every minimum',
  `
    order                                | outcome
    alice: sell 0.001 reduce-only @ 3000 | rests 0.001
    alice: sell 0.001 reduce-only        | canceled no-liquidity
    alice: sell 0.001 @ 3000             | refused quantity-below-minimum
  `,
  (exchange, { order, outcome }) => {
    traders(exchange, 'alice', 'bob').market = 'ETHPERP'
    exchange.given('bob: sell 0.02 @ 3000', 'alice: buy 0.02 @ 3000')
    expect(exchange.place(order)).toBe(outcome)
  },
)

table(
  'the least value of a spot order, limit and market (5 USDC)',
  `
    order                         | outcome
    alice: buy 0.00008 @ 62500    | rests 0.00008
    alice: buy 0.00008 @ 62499.99 | refused notional-below-minimum
    alice: buy 5 USDC             | canceled no-liquidity
    alice: buy 4.99999999 USDC    | refused notional-below-minimum
    alice: sell 0.00009           | canceled no-liquidity
    alice: sell 0.00008           | refused notional-below-minimum
  `,
  (exchange, { order, outcome }) => {
    traders(exchange, 'alice').market = 'BTC/USDC'
    expect(exchange.place(order)).toBe(outcome)
  },
)

table(
  'quantities beyond all money are refused, whatever the market',
  [
    ['alice: buy 9000000000000000 SOLUSDT @ 1'],
    ['alice: buy 9000000000000000 SOLUSDT @ 1000000000'],
    ['alice: buy 900000000000 BTCUSDT @ 100000000'],
    ['alice: sell 900000000000 BTCUSDT @ 0.1'],
    ['alice: buy 9000000000000000 BTCUSD @ 0.1'],
    ['alice: sell 9000000000000000 BTCUSD @ 100000'],
    ['alice: buy 9000000000000000 SOL/USDT @ 1'],
    ['alice: sell 9000000000000000 SOL/USDT @ 1'],
    ['alice: buy 9000000000 BTC/USDT @ 10000000'],
    ['alice: buy 92233720368 SOL/USDT USDT'],
    ['alice: buy 92233720368 BTCUSD BTC @ 60000'],
    ['alice: buy 92233720368 BTCUSD BTC'],
  ],
  (exchange, order) => {
    traders(exchange, 'alice')
    expect(exchange.place(order)).toMatch(
      /^refused (quantity-above-maximum|insufficient-available|position-tier-exceeded)$/,
    )
    const leverage = { interface: 'v2', leverage: 1, positionSide: undefined, marginMode: undefined } as const
    for (const market of ['SOLUSDT', 'BTCUSDT', 'BTCUSD'] as const) {
      exchange.must({ kind: 'set-leverage', uid: exchange.uid('alice'), instrument: instrumentId(market), ...leverage })
    }
    expect(exchange.place(order)).toMatch(
      /^refused (quantity-above-maximum|insufficient-available|position-tier-exceeded)$/,
    )
  },
)

const precedence = [
  'unknown account',
  'account that changes its mode',
  'classic account on v3',
  'unknown market',
  'halted market',
  'contract that is not announced',
  'duplicate id',
  'threshold of the day',
  'wrong margin coin',
  'margin mode in use',
  'price beyond the band',
  'quantity below the least',
  'value below the least',
  'no money',
]

// Markets that are closed, accounts that may not

table(
  'a market that is not online takes no order and lets every order go',
  [['cancel_only'], ['halted']] as const,
  (exchange, status) => {
    traders(exchange, 'alice').given('alice: buy 1 oid:mine @ 90')
    setStatus(exchange, status)
    expect(exchange.place('alice: buy 1 @ 90')).toBe('refused instrument-closed')
    expect(exchange.cancel('alice', 'mine').kind).toBe('canceled')
    setStatus(exchange, 'online')
    expect(exchange.place('alice: buy 1 @ 90')).toBe('rests 1')
  },
)

function setStatus(exchange: Exchange, status: 'online' | 'cancel_only' | 'halted'): void {
  const none = {
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  exchange.must({ kind: 'set-instrument', instrument: instrumentId(exchange.market), status, ...none })
}

scenario('design §4.23: a copy trader trades only announced contracts, and any spot pair', (exchange) => {
  traders(exchange, 'alice')
  const announce = (...instruments: number[]) =>
    exchange.must({ kind: 'set-copy-trader', uid: exchange.uid('alice'), instruments })
  announce(instrumentId('BTCUSDT'))
  expect(exchange.place('alice: buy 1 SOLUSDT @ 90')).toBe('refused instrument-not-announced')
  expect(exchange.place('alice: buy 1 BTCUSDT @ 50000')).toBe('rests 1')
  expect(exchange.place('alice: buy 1 SOL/USDT @ 90')).toBe('rests 1')
  announce(instrumentId('BTCUSDT'), instrumentId('SOLUSDT'))
  expect(exchange.place('alice: buy 1 SOLUSDT @ 90')).toBe('rests 1')
  announce()
  expect(exchange.place('alice: buy 1 ETHUSDT @ 2000')).toBe('rests 1')
})

scenario('only contracts can be announced', (exchange) => {
  traders(exchange, 'alice')
  for (const instruments of [[0], [99]]) {
    expect(exchange.refusal({ kind: 'set-copy-trader', uid: exchange.uid('alice'), instruments })).toBe(
      'instrument-unknown',
    )
  }
})

scenario('design §4.20: orders of a family are counted by UTC day, and refused beyond the threshold', (exchange) => {
  traders(exchange, 'alice', 'bob').join('alicia', { parent: 'alice', funds: { usdt_futures: '100 USDT' } })
  exchange.must({ kind: 'configure-venue', dailyOrdersRestriction: 3 })
  exchange.given('alice: buy 1 @ 90', 'alicia: buy 1 @ 90', 'alice: buy 1 ioc @ 90')
  expect(exchange.account('alice').dailyOrders).toBe(3)
  expect(exchange.account('alicia').dailyOrders).toBe(3)
  expect(exchange.applied.at(-1)?.reply).toMatchObject({ dailyOrders: 3 })
  expect(exchange.place('alice: buy 1 @ 90')).toBe('refused daily-orders-max')
  expect(exchange.place('alicia: buy 1 @ 90')).toBe('refused daily-orders-max')
  expect(exchange.place('bob: buy 1 @ 90')).toBe('rests 1')
  exchange.wait(dayMs)
  expect(exchange.place('alice: buy 1 @ 90')).toBe('rests 1')
  expect(exchange.account('alicia').dailyOrders).toBe(1)
})

table(
  'design §3: which interface and wallet an account trades with',
  `
    mode    | version | outcome                         | wallet
    classic | v2      | rests 1                         | usdt_futures
    classic | v3      | refused account-mode-unsuitable | none
    hybrid  | v2      | rests 1                         | usdt_futures
    hybrid  | v3      | rests 1                         | uta
    unified | v2      | rests 1                         | uta
    unified | v3      | rests 1                         | uta
  `,
  (exchange, { mode, version, outcome, wallet }) => {
    const uta = mode === 'classic' ? {} : { uta: '1000 USDT' }
    exchange.join('alice', { mode: mode as NonNullable<Joining['mode']>, funds: { usdt_futures: '1000 USDT', ...uta } })
    expect(exchange.place(`alice: buy 1 ${version} @ 90`)).toBe(outcome)
    const holding = (['usdt_futures', 'uta'] as const).filter(
      (candidate) => exchange.balance('alice', candidate, 'USDT').held > 0n,
    )
    expect(holding.join() || 'none').toBe(wallet)
  },
)

scenario('an order for a market that is not traded so is refused', (exchange) => {
  unifieds(exchange, 'alice').given('alice: buy 1 SOLUSDT @ 90', 'alice: buy 1 SOL/USDT @ 90')
  const [contract, pair] = exchange.applied.slice(-2).map(({ command }) => command)
  if (contract?.kind !== 'place-order' || pair?.kind !== 'place-order') throw new Error('two orders')
  expect(exchange.refusal({ ...contract, category: 'SPOT' })).toBe('instrument-unknown')
  expect(exchange.refusal({ ...contract, category: 'USDC-FUTURES' })).toBe('instrument-unknown')
  expect(exchange.refusal({ ...contract, category: 'MARGIN' })).toBe('instrument-unknown')
  expect(exchange.refusal({ ...pair, category: 'USDT-FUTURES' })).toBe('instrument-unknown')
  expect(exchange.refusal({ ...pair, category: 'MARGIN', instrument: instrumentId('BTC/USDC') })).toBe(
    'instrument-unknown',
  )
  expect(exchange.refusal({ ...pair, instrument: 99 })).toBe('instrument-unknown')
  expect(exchange.refusal({ ...pair, uid: 7 })).toBe('account-unknown')
  expect(exchange.refusal({ ...contract, marginCoin: 0 })).toBe('margin-coin-wrong')
  expect(exchange.refusal({ ...contract, marginCoin: 3 })).toBe('accepted')
})

table(
  'refusals in order of precedence: of all that is wrong with an order the first is told',
  `
    fault                          | outcome
    unknown account                | account-unknown
    account that changes its mode  | account-changing-mode
    classic account on v3          | account-mode-unsuitable
    unknown market                 | instrument-unknown
    halted market                  | instrument-closed
    contract that is not announced | instrument-not-announced
    duplicate id                   | duplicate-client-order-id
    threshold of the day           | daily-orders-max
    wrong margin coin              | margin-coin-wrong
    margin mode in use             | margin-mode-in-use
    price beyond the band          | price-above-limit
    quantity below the least       | quantity-below-minimum
    value below the least          | notional-below-minimum
    no money                       | insufficient-margin
  `,
  (exchange, { fault, outcome }) => {
    // Everything is wrong at once; each row sets right all that comes before its own fault.
    const right = precedence.slice(0, precedence.indexOf(fault))
    const isRight = (what: string) => right.includes(what)
    traders(exchange, 'bob').join('alice', { funds: { usdc_futures: '2.8 USDC' } }).market = 'ETHPERP'
    exchange.given('alice: buy 0.018 cross oid:taken @ 3000')
    const { command: taken } = exchange.applied.at(-1) ?? {}
    if (taken?.kind !== 'place-order') throw new Error('an order')
    const { uid } = taken
    if (!isRight('contract that is not announced')) exchange.must({ kind: 'set-copy-trader', uid, instruments: [4] })
    if (!isRight('threshold of the day')) exchange.must({ kind: 'configure-venue', dailyOrdersRestriction: 1 })
    if (!isRight('halted market')) setStatus(exchange, 'halted')
    if (!isRight('account that changes its mode')) {
      const category = 'USDC-FUTURES'
      exchange.must({ kind: 'cancel-orders', uid, interface: 'v2', category, instrument: undefined })
      exchange.must({ kind: 'set-account-mode', uid, mode: 'unified' })
    }
    const refusal = exchange.refusal({
      ...taken,
      uid: isRight('unknown account') ? uid : 5,
      interface: isRight('classic account on v3') ? 'v2' : 'v3',
      instrument: isRight('unknown market') ? taken.instrument : 99,
      clientOid: isRight('duplicate id') ? 'new' : 'taken',
      marginCoin: isRight('wrong margin coin') ? undefined : 0,
      marginMode: isRight('margin mode in use') ? 'cross' : 'isolated',
      price: (isRight('price beyond the band') ? 300_000 : 900_000) as typeof taken.price,
      quantity: {
        unit: 'lots',
        lots: (isRight('value below the least') ? 18 : isRight('quantity below the least') ? 15 : 5) as Lots,
      },
    })
    expect(refusal).toBe(outcome)
  },
)
