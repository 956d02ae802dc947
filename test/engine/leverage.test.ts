/**
 * Leverage, margin mode and hold mode of contracts.
 * Source  interface E12; design §4.16, §4.36, §4.37; risk-engine §3, §5, §6
 */
import { expect } from 'vitest'
import type { SetLeverage } from '../../src/engine/protocol/command.ts'
import type { Interface } from '../../src/engine/vocabulary.ts'
import { optional } from '../support/text-table.ts'
import { type Exchange, instrumentId, type Joining } from './support/exchange.ts'
import { coins, units } from './support/figures.ts'
import { markets } from './support/listings.ts'
import { hedgers, traders, unifieds } from './support/people.ts'
import { scenario, table } from './support/table.ts'

function lever(exchange: Exchange, leverage: number, more: Partial<SetLeverage> = {}): string {
  return exchange.refusal({
    kind: 'set-leverage',
    uid: exchange.uid('alice'),
    interface: 'v2',
    instrument: instrumentId(exchange.market),
    leverage,
    positionSide: undefined,
    marginMode: undefined,
    ...more,
  })
}

function settings(exchange: Exchange, version: 'v2' | 'v3' = 'v2') {
  const ask = { kind: 'symbol-settings', uid: exchange.uid('alice'), interface: version } as const
  const [found] = exchange.query({ ...ask, instrument: instrumentId(exchange.market) })
  return found
}

table(
  'the range of the contract, whole numbers only',
  `
    leverage | outcome
    1        | accepted
    125      | accepted
    0        | leverage-out-of-range
    126      | leverage-out-of-range
    1.5      | leverage-out-of-range
  `,
  (exchange, { leverage, outcome }) => {
    traders(exchange, 'alice')
    expect(lever(exchange, Number(leverage))).toBe(outcome)
    expect(settings(exchange)?.leverage).toBe(outcome === 'accepted' ? Number(leverage) : 20)
  },
)

table(
  'a tier caps the leverage of what stands open, position and orders together',
  // long 1500 at 100 and orders of 400, 500: 190,000 and 200,000
  `
    orders                 | leverage | outcome
    alice: buy 499 @ 90    | 125      | accepted
    alice: buy 500 @ 90    | 125      | leverage-out-of-range
    alice: buy 500 @ 90    | 100      | accepted
    alice: sell 1999 @ 110 | 125      | accepted
    alice: sell 2000 @ 110 | 125      | leverage-out-of-range
  `,
  (exchange, { orders, leverage, outcome }) => {
    traders(exchange, 'alice', 'bob').given('bob: sell 1500 @ 100', 'alice: buy 1500 @ 100', orders)
    expect(lever(exchange, Number(leverage))).toBe(outcome)
  },
)

// Cross

table(
  'cross: the new initial margin at the mark must be there; exactly enough, one unit short',
  // long 10 at 100 and 20x needs 50; at 10x 100, at 5x 200
  `
    funds        | leverage | outcome
    100.6        | 10       | accepted
    100.59999999 | 10       | leverage-margin-short
    200.6        | 5        | accepted
    200.59999999 | 5        | leverage-margin-short
    100.59999999 | 25       | accepted
  `,
  (exchange, { funds, leverage, outcome }) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: `${funds} USDT` } })
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
    expect(lever(exchange, Number(leverage))).toBe(outcome)
    const { crossMargin } = exchange.asset('alice', 'USDT-FUTURES', 'USDT')
    expect(crossMargin).toBe(outcome === 'accepted' ? 100_000_000_000n / BigInt(Number(leverage)) : 5_000_000_000n)
  },
)

table(
  'resting orders hold by the new leverage',
  // an order of 10 at 100: 50 + 0.6 at 20x
  `
    funds        | leverage | outcome               | held
    100.6        | 10       | accepted              | 100.6
    100.59999999 | 10       | leverage-margin-short | 50.6
    60           | 50       | accepted              | 20.6
  `,
  (exchange, { funds, leverage, outcome, held }) => {
    exchange.join('alice', { funds: { usdt_futures: `${funds} USDT` } }).given('alice: buy 10 oid:mine @ 100')
    expect(lever(exchange, Number(leverage))).toBe(outcome)
    expect(coins(exchange.balance('alice', 'usdt_futures', 'USDT').held)).toBe(held)
    exchange.cancel('alice', 'mine')
    expect(exchange.balance('alice', 'usdt_futures', 'USDT').held).toBe(0n)
  },
)

// Isolated

table(
  'isolated: margin moves between wallet and position',
  // long 10 at 100 and 20x has 50; leverage, mark, outcome, margin, wallet of 150.6 less the fee
  `
    leverage | mark | outcome               | margin       | left
    10       | 100  | accepted              | 100          | 50
    7        | 100  | accepted              | 142.85714286 | 7.14285714
    6        | 100  | leverage-margin-short | 50           | 100
    50       | 100  | accepted              | 20           | 130
    // 2 of loss on each: giving up 30 would leave less than the new initial margin of 19.6
    50       | 98   | leverage-margin-short | 50           | 100
    50       | 110  | accepted              | 20           | 130
  `,
  (exchange, { leverage, mark, outcome, margin, left }) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '150.6 USDT' } })
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 isolated @ 100').prices({ SOL: mark })
    expect(lever(exchange, Number(leverage))).toBe(outcome)
    expect(coins(exchange.position('alice').margin)).toBe(margin)
    expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe(left)
  },
)

scenario('isolated hedge: a side of its own, or both', (exchange) => {
  hedgers(exchange, 'alice')
  traders(exchange, 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 open isolated @ 100')
  exchange.given('bob: buy 10 @ 100', 'alice: sell 10 open isolated @ 100')
  const margins = () =>
    (['long', 'short'] as const).map((side) => coins(exchange.position('alice', 'SOLUSDT', side).margin))
  lever(exchange, 10, { positionSide: 'long' })
  expect(margins()).toEqual(['100', '50'])
  expect(settings(exchange)).toMatchObject({ leverageLong: 10, leverageShort: 20 })
  lever(exchange, 40)
  expect(margins()).toEqual(['25', '25'])
  expect(settings(exchange)).toMatchObject({ leverageLong: 40, leverageShort: 40 })
})

scenario('design §4.37: one-way has one leverage, which acts on the margin mode in force', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 isolated @ 100')
  expect(lever(exchange, 10, { marginMode: 'cross' })).toBe('accepted')
  expect(exchange.position('alice')).toMatchObject({ leverage: 10, margin: 10_000_000_000n })
})

scenario('a margin mode that is not in force keeps its own leverage in hedge mode', (exchange) => {
  hedgers(exchange, 'alice')
  traders(exchange, 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 open cross @ 100')
  expect(lever(exchange, 5, { marginMode: 'isolated', positionSide: 'short' })).toBe('accepted')
  expect(settings(exchange)).toMatchObject({ leverage: 20, leverageLong: 20, leverageShort: 5 })
  expect(exchange.position('alice').leverage).toBe(20)
})

table(
  'who may set it',
  `
    mode    | version | outcome
    classic | v2      | accepted
    classic | v3      | account-mode-unsuitable
    hybrid  | v2      | accepted
    hybrid  | v3      | accepted
    unified | v2      | accepted
    unified | v3      | accepted
  `,
  (exchange, { mode, version, outcome }) => {
    exchange.join('alice', { mode: mode as NonNullable<Joining['mode']> })
    expect(lever(exchange, 7, { interface: version as Interface })).toBe(outcome)
    if (mode === 'hybrid') expect(settings(exchange, version === 'v2' ? 'v3' : 'v2')?.leverage).toBe(20)
  },
)

scenario('nobody sets nothing', (exchange) => {
  const uid = 999
  const unset = { positionSide: undefined, marginMode: undefined, instrument: undefined } as const
  const lines = { line: 'USDT-FUTURES', holdMode: 'hedge_mode' } as const
  traders(exchange, 'alice')
  expect(lever(exchange, 10, { uid })).toBe('account-unknown')
  for (const command of [
    { kind: 'set-all-leverage', uid, leverage: 10, ...unset, ...lines },
    { kind: 'set-hold-mode', uid, ...lines },
  ] as const) {
    expect(exchange.refusal(command)).toBe('account-unknown')
  }
})

scenario('while an account changes its mode, nothing of its contracts is set', (exchange) => {
  traders(exchange, 'alice')
  const uid = exchange.uid('alice')
  exchange.must({ kind: 'set-account-mode', uid, mode: 'unified' })
  const contract = { uid, interface: 'v2', instrument: instrumentId('SOLUSDT') } as const
  const unset = { positionSide: undefined, marginMode: undefined }
  for (const command of [
    { kind: 'set-leverage', ...contract, ...unset, leverage: 10 },
    { kind: 'set-all-leverage', uid, line: 'USDT-FUTURES', leverage: 10, ...unset, instrument: undefined },
    { kind: 'set-margin-mode', ...contract, marginMode: 'isolated' },
    { kind: 'set-hold-mode', uid, line: undefined, holdMode: 'hedge_mode' },
    { kind: 'set-position-margin', ...contract, positionSide: undefined, amount: units('1') },
    { kind: 'set-auto-margin', ...contract, on: true },
  ] as const) {
    expect(exchange.refusal(command), command.kind).toBe('account-changing-mode')
  }
})

// E12

function leverAll(exchange: Exchange, leverage: number, market?: 'SOLUSDT' | 'ETHUSDT' | 'BTCUSD'): string {
  const reply = exchange.apply({
    kind: 'set-all-leverage',
    uid: exchange.uid('alice'),
    line: 'USDT-FUTURES',
    leverage,
    instrument: market === undefined ? undefined : instrumentId(market),
    positionSide: undefined,
  })
  if (reply.kind === 'refused') return `refused ${reply.refusal.kind}`
  return reply.kind === 'leverage-set' && reply.taken ? 'success' : 'failure'
}

function leverages(exchange: Exchange): number[] {
  const ask = { kind: 'symbol-settings', uid: exchange.uid('alice'), interface: 'v2', instrument: undefined } as const
  return exchange.query(ask).map(({ leverage }) => leverage) // BTCUSDT, ETHUSDT, SOLUSDT, BTCUSD, ETHPERP
}

table(
  'E12: all symbols of the line with a position, or none (long 10 SOL and 1 ETH: 50 + 150 at 20x)',
  // the wallet after fees; the leverages of ETHUSDT and SOLUSDT after it
  `
    wallet       | leverage | symbol  | outcome                       | eth leverage | sol leverage
    1000         | 10       | -       | success                       | 10           | 10
    400          | 10       | -       | success                       | 10           | 10
    399.99999999 | 10       | -       | failure                       | 20           | 20
    399.99999999 | 10       | SOLUSDT | success                       | 20           | 10
    399.99999999 | 10       | ETHUSDT | success                       | 10           | 20
    250          | 10       | ETHUSDT | failure                       | 20           | 20
    1000         | 125      | -       | success                       | 125          | 125
    1000         | 126      | -       | refused leverage-out-of-range | 20           | 20
    1000         | 10       | BTCUSD  | refused instrument-unknown    | 20           | 20
  `,
  (exchange, { wallet: funds, leverage, symbol, outcome, ethLeverage, solLeverage }) => {
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: `${funds} USDT` } })
    exchange.given('bob: sell 10 SOLUSDT @ 100', 'alice: buy 10 SOLUSDT @ 100')
    exchange.given('bob: sell 1 ETHUSDT @ 3000', 'alice: buy 1 ETHUSDT @ 3000')
    exchange.pay('alice', 'usdt_futures', '2.4 USDT') // the fees
    expect(leverAll(exchange, Number(leverage), optional(symbol))).toBe(outcome)
    const [btc, eth, sol, ...others] = leverages(exchange)
    expect([eth, sol].join(' ')).toBe(`${ethLeverage} ${solLeverage}`)
    expect([btc, ...others]).toEqual([20, 20, 20])
  },
)

scenario('E12: one symbol whose tier does not allow it keeps all as they were', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 2500 SOLUSDT @ 100', 'alice: buy 2500 SOLUSDT @ 100')
  exchange.given('bob: sell 1 ETHUSDT @ 3000', 'alice: buy 1 ETHUSDT @ 3000')
  expect(leverAll(exchange, 125)).toBe('failure')
  expect(leverages(exchange)).toEqual([20, 20, 20, 20, 20])
  expect(leverAll(exchange, 100)).toBe('success')
})

scenario(
  'E12: outside the range of some symbols only, it fails if one of them has a position (design §4.36)',
  (exchange) => {
    const tame = { ...markets.SOLUSDT, symbol: 'TAME', leverageMax: 50 } // beside BTCUSDT, ETHUSDT and SOLUSDT up to 125
    const reply = exchange.must({ kind: 'list-instrument', instrument: tame })
    traders(exchange, 'alice', 'bob').given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
    expect(leverAll(exchange, 60)).toBe('success')
    for (const line of ['bob: sell 1 @ 100', 'alice: buy 1 @ 100']) {
      exchange.given(line.replace(' @', ' ioc @'))
      const { command } = exchange.applied.at(-1) ?? {}
      if (command?.kind !== 'place-order' || reply.kind !== 'listed') throw new Error('an order in TAME')
      exchange.must({ ...command, instrument: reply.id, timeInForce: 'gtc' })
    }
    expect(leverAll(exchange, 60)).toBe('failure')
    expect(leverAll(exchange, 50)).toBe('success')
    expect(leverages(exchange)).toEqual([20, 20, 50, 20, 20, 50])
  },
)

scenario('E12: without positions there is nothing to change, and nothing fails', (exchange) => {
  traders(exchange, 'alice').given('alice: buy 1 SOLUSDT @ 90')
  expect(leverAll(exchange, 10)).toBe('success')
  expect(leverages(exchange)).toEqual([20, 20, 20, 20, 20])
})

// Modes

table(
  'margin mode and hold mode change only without position and orders',
  `
    orders                                | margin outcome     | hold outcome
    -                                     | accepted           | accepted
    alice: buy 1 @ 90                     | margin-mode-in-use | hold-mode-in-use
    alice: sell 1 @ 110                   | margin-mode-in-use | hold-mode-in-use
    bob: sell 1 @ 100; alice: buy 1 @ 100 | margin-mode-in-use | hold-mode-in-use
    alice: buy 1 ETHUSDT @ 2000           | accepted           | hold-mode-in-use
    alice: buy 100 BTCUSD @ 50000         | accepted           | accepted
    alice: buy 1 SOL/USDT @ 90            | accepted           | accepted
  `,
  (exchange, { orders, marginOutcome, holdOutcome }) => {
    traders(exchange, 'alice', 'bob').given(orders)
    const uid = exchange.uid('alice')
    const instrument = instrumentId('SOLUSDT')
    expect(
      exchange.refusal({ kind: 'set-margin-mode', uid, interface: 'v2', instrument, marginMode: 'isolated' }),
    ).toBe(marginOutcome)
    expect(settings(exchange)?.marginMode).toBe(marginOutcome === 'accepted' ? 'isolated' : 'cross')
    expect(exchange.refusal({ kind: 'set-hold-mode', uid, line: 'USDT-FUTURES', holdMode: 'hedge_mode' })).toBe(
      holdOutcome,
    )
    expect(exchange.account('alice').holdMode).toEqual({
      'USDT-FUTURES': holdOutcome === 'accepted' ? 'hedge_mode' : 'one_way_mode',
      'COIN-FUTURES': 'one_way_mode',
      'USDC-FUTURES': 'one_way_mode',
    })
  },
)

scenario('the mode that is in force already may always be set again', (exchange) => {
  traders(exchange, 'alice').given('alice: buy 1 @ 90')
  const uid = exchange.uid('alice')
  const { id: instrument } = exchange.instrument()
  exchange.must({ kind: 'set-margin-mode', uid, interface: 'v2', instrument, marginMode: 'cross' })
  exchange.must({ kind: 'set-hold-mode', uid, line: undefined, holdMode: 'one_way_mode' })
})

scenario('v3 sets the hold mode of all lines at once, or of none', (exchange) => {
  unifieds(exchange, 'alice').given('alice: buy 100 BTCUSD @ 50000')
  const uid = exchange.uid('alice')
  expect(exchange.refusal({ kind: 'set-hold-mode', uid, line: undefined, holdMode: 'hedge_mode' })).toBe(
    'hold-mode-in-use',
  )
  expect(Object.values(exchange.account('alice').holdMode)).toEqual(['one_way_mode', 'one_way_mode', 'one_way_mode'])
  exchange.must({ kind: 'cancel-orders', uid, interface: 'v3', category: 'COIN-FUTURES', instrument: undefined })
  exchange.must({ kind: 'set-hold-mode', uid, line: undefined, holdMode: 'hedge_mode' })
  expect(Object.values(exchange.account('alice').holdMode)).toEqual(['hedge_mode', 'hedge_mode', 'hedge_mode'])
})
