/**
 * What the operator changes of the rules of margin and liquidation: what is refused, and that a change counts at once.
 * Source  risk-engine §3, §6, §11, §13-§16, §20.5
 */
import { expect } from 'vitest'
import type { ConfigurePricing, SetCollateral, SetInstrument, SetRisk } from '../../src/engine/protocol/command.ts'
import { coinId, type Exchange, instrumentId } from './support/exchange.ts'
import { coins, share, units } from './support/figures.ts'
import { type CoinName, type MarketName, tiers } from './support/listings.ts'
import { traders, unifieds } from './support/people.ts'
import { scenario, table } from './support/table.ts'

type Changes<Command> = Partial<Omit<Command, 'kind'>>

function risk(changes: Changes<SetRisk>): SetRisk {
  return {
    kind: 'set-risk',
    adlStartShare: undefined,
    adlEndShare: undefined,
    orderMarginMarkup: undefined,
    orderFeeMarkup: undefined,
    profitAsMargin: undefined,
    reduceTiers: undefined,
    ...changes,
  }
}

function collateral(coin: CoinName, changes: Changes<SetCollateral>): SetCollateral {
  return {
    kind: 'set-collateral',
    coin: coinId(coin),
    collateral: undefined,
    debtInitialRate: undefined,
    debtMaintenanceRate: undefined,
    ...changes,
  }
}

function contract(market: MarketName, changes: Changes<SetInstrument>): SetInstrument {
  return {
    kind: 'set-instrument',
    instrument: instrumentId(market),
    status: undefined,
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
    ...changes,
  }
}

function pricing(changes: Changes<ConfigurePricing>): ConfigurePricing {
  return {
    kind: 'configure-pricing',
    jumpFactor: undefined,
    fundingShortfall: undefined,
    premiumMean: undefined,
    fundingInterestRate: undefined,
    fundingClamp: undefined,
    coins: [],
    instruments: [],
    ...changes,
  }
}

/** The field at fault and the rule, or what came of it. */
function outcomeOf(exchange: Exchange, command: Parameters<Exchange['apply']>[0]): string {
  const reply = exchange.apply(command)
  if (reply.kind !== 'refused') return 'accepted'
  return reply.refusal.kind === 'instrument-record-wrong'
    ? `${reply.refusal.field} ${reply.refusal.rule}`
    : reply.refusal.kind
}

function insure(exchange: Exchange, amount: string): void {
  exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId('USDT'), amount: units(amount) })
}

function causes(exchange: Exchange, name: string): string[] {
  return exchange.applied
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.kind === 'order-ended' && event.order.uid === exchange.uid(name) ? [event.order] : []))
    .map(({ cause }) => cause)
    .filter((cause) => cause !== 'user')
}

/** Until nothing of it is left to do. */
function goOn(exchange: Exchange): void {
  for (let turn = 0; turn < 50 && (exchange.nextTimerAt() ?? Number.MAX_SAFE_INTEGER) <= exchange.at + 2; turn++) {
    exchange.runTimers()
  }
}

// Venue-wide rules

table(
  'set-risk: a value out of its range is refused with its field and the rule',
  [
    [risk({ adlStartShare: share('1.1') }), 'adlStartShare lies between 0 and 1'],
    [risk({ adlStartShare: share('-0.1') }), 'adlStartShare lies between 0 and 1'],
    [risk({ adlEndShare: share('1.1') }), 'adlEndShare lies between 0 and 1'],
    [risk({ adlStartShare: share('0.91') }), 'adlStartShare is at most adlEndShare'],
    [risk({ adlStartShare: share('0.9') }), 'accepted'],
    [risk({ adlEndShare: share('0.6') }), 'adlStartShare is at most adlEndShare'],
    [risk({ orderMarginMarkup: share('-0.01') }), 'orderMarginMarkup lies between 0 and 1'],
    [risk({ orderFeeMarkup: share('1.01') }), 'orderFeeMarkup lies between 0 and 1'],
    [risk({ reduceTiers: -1 }), 'reduceTiers is a whole number from 0 to 100'],
    [risk({ reduceTiers: 1.5 }), 'reduceTiers is a whole number from 0 to 100'],
    [risk({ reduceTiers: 0 }), 'accepted'],
    [risk({}), 'accepted'],
  ] as const,
  (exchange, command, outcome) => {
    expect(outcomeOf(exchange, command)).toBe(outcome)
  },
)

scenario('what is not named stays, and what is in force can be asked for', (exchange) => {
  exchange.must(risk({ orderMarginMarkup: share('0.1'), profitAsMargin: true }))
  exchange.must(risk({ reduceTiers: 1 }))
  expect(exchange.query({ kind: 'settings' }).risk).toEqual({
    adlStartShare: share('0.7'),
    adlEndShare: share('0.9'),
    orderMarginMarkup: share('0.1'),
    orderFeeMarkup: 0n,
    profitAsMargin: true,
    reduceTiers: 1,
  })
})

table(
  'risk-engine §11: markups on margin (k1 = 0.1) and fee (k2 = 0.2), at mark 60,000 and 20x; exactly enough, one unit short',
  // 1,512.5 × 1.1 + 18.15 × 1.2 + 250: what is lost at once is not marked up
  `
    market  | order              | funds         | outcome
    BTCUSDT | buy 0.5 @ 60500    | 1935.53       | rests 0.5
    BTCUSDT | buy 0.5 @ 60500    | 1935.52999999 | refused insufficient-margin
    // Inverse: 30,000 / 60,000 / 20 is 0.025, and 0.0003 of fee
    BTCUSD  | sell 30000 @ 60000 | 0.02786       | rests 30000
    BTCUSD  | sell 30000 @ 60000 | 0.02785999    | refused insufficient-margin
  `,
  (exchange, { market, order, funds, outcome }) => {
    exchange.must(risk({ orderMarginMarkup: share('0.1'), orderFeeMarkup: share('0.2') }))
    exchange.join('alice', {
      funds: market === 'BTCUSD' ? { coin_futures: `${funds} BTC` } : { usdt_futures: `${funds} USDT` },
    }).market = market as MarketName
    expect(exchange.place(`alice: ${order}`)).toBe(outcome)
  },
)

scenario('a marked-up hold gives everything back when its order fills or ends', (exchange) => {
  exchange.must(risk({ orderMarginMarkup: share('0.05'), orderFeeMarkup: share('0.05') }))
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '1000 USDT' } })
  exchange.given('alice: buy 10 oid:one @ 100', 'bob: sell 4 @ 100')
  exchange.must(risk({ orderMarginMarkup: share('0.5') }))
  exchange.given('bob: sell 3 @ 100')
  exchange.cancel('alice', 'one')
  expect(exchange.balance('alice', 'usdt_futures', 'USDT').held).toBe(0n)
})

scenario('a new leverage asks resting orders for the markup that holds now', (exchange) => {
  exchange.join('alice', { funds: { usdt_futures: '1000 USDT' } }).given('alice: buy 10 @ 100')
  exchange.must(risk({ orderMarginMarkup: share('0.1') }))
  const setting = { interface: 'v2', positionSide: undefined, marginMode: undefined } as const
  const instrument = instrumentId('SOLUSDT')
  exchange.must({ kind: 'set-leverage', uid: exchange.uid('alice'), instrument, leverage: 10, ...setting })
  // 1,000 / 10 × 1.1 + 0.6
  expect(coins(exchange.balance('alice', 'usdt_futures', 'USDT').held)).toBe('110.6')
})

/** Alice is 10 long at 100 with 51 of her own; the mark is 120, so that she has won 200 on paper. */
function winning(exchange: Exchange): void {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '51 USDT' } })
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100').prices({ SOL: '120' })
}

scenario('risk-engine §6: unrealized profit is margin for new risk only when the venue says so', (exchange) => {
  winning(exchange)
  // 51 − 0.6 of fee − 60 of margin at the mark
  expect(coins(exchange.asset('alice', 'USDT-FUTURES', 'USDT').crossMaxAvailable)).toBe('0')
  expect(exchange.place('alice: buy 1 @ 120')).toBe('refused insufficient-margin')
  exchange.must(risk({ profitAsMargin: true }))
  expect(coins(exchange.asset('alice', 'USDT-FUTURES', 'USDT').crossMaxAvailable)).toBe('190.4')
  expect(exchange.place('alice: buy 1 @ 120')).toBe('rests 1')
  exchange.must(risk({ profitAsMargin: false }))
  expect(exchange.place('alice: buy 1 @ 120')).toBe('refused insufficient-margin')
})

scenario('profit that is margin never leaves the wallet, nor becomes isolated margin', (exchange) => {
  winning(exchange)
  exchange.must(risk({ profitAsMargin: true }))
  const { maxTransferOut } = exchange.asset('alice', 'USDT-FUTURES', 'USDT')
  expect(maxTransferOut).toBe(0n)
  const uid = exchange.uid('alice')
  const shared = { uid, wallet: 'usdt_futures', coin: coinId('USDT') } as const
  expect(exchange.refusal({ kind: 'withdraw', ...shared, amount: units('1') })).toBe('transferable-exceeded')
  expect(exchange.place('alice: buy 0.001 BTCUSDT isolated @ 60000')).toBe('refused insufficient-margin')
})

scenario('fees that the wallet cannot pay come out of the profit that was margin', (exchange) => {
  winning(exchange)
  insure(exchange, '1000')
  exchange.must(risk({ profitAsMargin: true }))
  exchange.must(contract('SOLUSDT', { tiers: tiers.map((tier) => ({ ...tier, leverageMax: 20 })) }))
  exchange.must(contract('SOLUSDT', { takerFeeRate: share('0.03') }))
  // 15 lots hold 90 + 54 of fee, and the wallet has 50.4.
  exchange.given('bob: sell 15 @ 120', 'alice: buy 15 @ 120')
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe('0')
  // 200 of profit less the 3.6 that the wallet lacked
  expect(coins(exchange.position('alice').unrealizedPnl)).toBe('196.4')
  expect(exchange.house('insurance', 'USDT')).toBe('1000')
})

// Liquidation

table(
  'risk-engine §14.3: how far one step of a cross liquidation goes (40 BTC, third tier)',
  [
    // tiers a step   first order   quantity left by it: 200,000 or 1,000,000 at 57,000
    [2, 'reduce', /^36\.4/],
    [1, 'reduce', /^22\.4/],
    [3, 'reduce', /^36\.4/],
    [0, 'liquidation', /^40$/],
  ] as const,
  (exchange, reduceTiers, cause, quantity) => {
    exchange.must(risk({ reduceTiers }))
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '140000 USDT' } }).market = 'BTCUSDT'
    insure(exchange, '10000000')
    exchange.given('bob: sell 40 @ 60000', 'alice: buy 40 @ 60000', 'bob: buy 40 @ 57100')
    exchange.prices({ BTC: '57000' }).wait(2000).runTimers()
    const forced = exchange.applied
      .flatMap(({ events }) => events)
      .flatMap((event) => (event.kind === 'order-ended' ? [event.order] : []))
      .find((order) => order.uid === exchange.uid('alice') && order.cause !== 'user')
    expect(forced?.cause).toBe(cause)
    expect(exchange.quantity(forced?.quantity ?? 0)).toMatch(quantity)
  },
)

/** The fund of 1,000 takes over a long and a short, and loses by it; then Dave goes bankrupt. What becomes of his position. */
function afterLoss(exchange: Exchange, shares: Changes<SetRisk>): string {
  exchange.must(risk(shares))
  traders(exchange, 'bob')
  for (const name of ['alice', 'carol', 'dave']) exchange.join(name, { funds: { usdt_futures: '60 USDT' } })
  insure(exchange, '1000')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 isolated @ 100').prices({ SOL: '80' })
  goOn(exchange)
  exchange.given('bob: buy 10 @ 80', 'carol: sell 10 isolated @ 80').prices({ SOL: '90' })
  goOn(exchange)
  expect([exchange.holds('alice'), exchange.holds('carol')]).toEqual(['flat', 'flat'])
  // A long at 96 closed at 83.
  const fund = Number(exchange.house('insurance', 'USDT'))
  expect(fund).toBeGreaterThan(850)
  expect(fund).toBeLessThan(900)
  exchange.given('bob: sell 10 @ 90', 'dave: buy 10 isolated @ 90').prices({ SOL: '80' })
  goOn(exchange)
  expect(exchange.holds('dave')).toBe('flat')
  return causes(exchange, 'bob').includes('adl') ? 'deleveraged' : 'taken over'
}

table(
  'risk-engine §15: the share of its highest below which the fund takes nothing over',
  [
    [{}, 'taken over'],
    [{ adlStartShare: share('0.9') }, 'deleveraged'],
    [{ adlStartShare: share('0.85') }, 'taken over'],
  ] as const,
  (exchange, shares, outcome) => {
    expect(afterLoss(exchange, shares)).toBe(outcome)
  },
)

scenario('new tiers liquidate at once whom they leave short', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '60 USDT' } })
  insure(exchange, '1000')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100', 'bob: buy 10 @ 100')
  exchange.prices({ SOL: '97' })
  expect(exchange.holds('alice')).toBe('long 10')
  // Equity 29.4: more than 970 × 0.0046, less than 970 × 0.0406.
  const steep = tiers.map((tier) => ({ ...tier, leverageMax: 20, maintenanceRate: share('0.04') }))
  exchange.must(contract('SOLUSDT', { tiers: steep }))
  expect(exchange.holds('alice')).toBe('flat')
})

scenario('a new taker fee liquidates at once whom it leaves short; after a maker fee nobody is checked', (exchange) => {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: '60 USDT' } })
  insure(exchange, '1000')
  const gentle = tiers.map((tier) => ({ ...tier, leverageMax: 20 }))
  exchange.must(contract('SOLUSDT', { tiers: gentle }))
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100').prices({ SOL: '97' })
  exchange.must(contract('SOLUSDT', { makerFeeRate: share('0.03') }))
  expect(exchange.holds('alice')).toBe('long 10')
  exchange.must(contract('SOLUSDT', { takerFeeRate: share('0.028') }))
  goOn(exchange)
  expect(exchange.holds('alice')).toBe('flat')
})

// Unified collateral

const half = [{ to: units('1000000'), ratio: share('0.5') }]

table(
  'set-collateral: a value out of its range is refused with its field and the rule',
  [
    [{ collateral: [{ to: units('0'), ratio: share('1') }] }, 'collateral has slices whose `to` grows from above 0'],
    [{ collateral: [...half, ...half] }, 'collateral has slices whose `to` grows from above 0'],
    [{ collateral: [{ to: units('1'), ratio: share('1.01') }] }, 'collateral has ratios between 0 and 1'],
    [
      {
        collateral: [
          { to: units('1'), ratio: share('0.5') },
          { to: units('2'), ratio: share('0.6') },
        ],
      },
      'collateral has ratios that do not rise',
    ],
    [
      { collateral: Array.from({ length: 21 }, (_, index) => ({ to: units(String(index + 1)), ratio: share('0.5') })) },
      'collateral has at most 20 slices',
    ],
    [{ debtInitialRate: share('1.1') }, 'debtInitialRate lies between 0 and 1'],
    [{ debtMaintenanceRate: share('-0.1') }, 'debtMaintenanceRate lies between 0 and 1'],
    // 10 % of initial margin
    [{ debtMaintenanceRate: share('0.11') }, 'debtMaintenanceRate is at most debtInitialRate'],
    [{ debtMaintenanceRate: share('0.1') }, 'accepted'],
    [{ debtInitialRate: share('0.03') }, 'debtMaintenanceRate is at most debtInitialRate'],
    [{ collateral: half }, 'accepted'],
  ] as const,
  (exchange, changes, outcome) => {
    expect(outcomeOf(exchange, collateral('BTC', changes))).toBe(outcome)
  },
)

scenario('a coin that nobody lists has no collateral', (exchange) => {
  expect(outcomeOf(exchange, { ...collateral('BTC', {}), coin: 99 })).toBe('coin-unknown')
})

/** Unified, with one bitcoin and nothing else; 0.9 long at 60,000. */
function leaning(exchange: Exchange, ...names: readonly string[]): void {
  traders(exchange, 'bob')
  insure(exchange, '10000000')
  for (const name of names) {
    exchange.join(name, { mode: 'unified', funds: { uta: '1 BTC' } })
    exchange.given('bob: sell 9 BTCUSDT @ 60000', `${name}: buy 9 BTCUSDT @ 60000`)
  }
  exchange.given(`bob: buy ${9 * names.length} BTCUSDT @ 60000`)
}

scenario('collateral that counts for less liquidates at once whom it leaves short', (exchange) => {
  leaning(exchange, 'alice')
  expect(exchange.holds('alice', 'BTCUSDT')).toBe('long 9')
  expect(coins(exchange.asset('alice', 'USDT-FUTURES', 'USDT').crossMaxAvailable)).not.toBe('0')
  // 540,000 needs 2,824 of maintenance and the debt of its fee; 60,000 × 0.04 does not carry that.
  exchange.must(collateral('BTC', { collateral: [{ to: units('1000000'), ratio: share('0.04') }] }))
  expect(exchange.holds('alice', 'BTCUSDT')).not.toBe('long 9')
  expect(causes(exchange, 'alice').length).toBeGreaterThan(0)
})

scenario('debt that needs more margin is checked again, also without a position', (exchange) => {
  unifieds(exchange, 'bob').join('alice', { mode: 'unified', funds: { uta: '1 BTC' } })
  exchange.must({ kind: 'borrow', uid: exchange.uid('alice'), coin: coinId('USDT'), amount: units('50000') })
  // What is owed has been spent: 1.8 BTC stand against it.
  exchange.given('bob: sell 0.8 BTC/USDT @ 60000', 'alice: buy 0.8 BTC/USDT @ 60000', 'bob: buy 2 BTC/USDT @ 60000')
  exchange.must(collateral('USDT', { debtInitialRate: share('0.9'), debtMaintenanceRate: share('0.9') }))
  exchange.must(collateral('BTC', { collateral: [{ to: units('1000000'), ratio: share('0.5') }] }))
  goOn(exchange)
  expect(exchange.applied.some(({ events }) => events.some(({ kind }) => kind === 'margin-liquidation'))).toBe(true)
})

scenario('however many there are, each is reached, some with every command', (exchange) => {
  const names = Array.from({ length: 30 }, (_, index) => `u${index}`)
  leaning(exchange, ...names)
  exchange.must(collateral('BTC', { collateral: [{ to: units('1000000'), ratio: share('0.04') }] }))
  const holding = () => names.filter((name) => exchange.holds(name, 'BTCUSDT') === 'long 9')
  // 25 ladders a command.
  expect(holding()).toHaveLength(5)
  goOn(exchange)
  expect(holding()).toEqual([])
})

// Prices

scenario('the band of limit prices and the reach of market orders', (exchange) => {
  traders(exchange, 'alice', 'bob').given('bob: sell 5 @ 102', 'bob: sell 5 @ 104')
  exchange.must(contract('SOLUSDT', { limitBand: share('0.03'), marketBand: share('0.03') }))
  expect(exchange.place('alice: buy 1 @ 104')).toBe('refused price-above-limit')
  expect(exchange.place('alice: sell 1 @ 96')).toBe('refused price-below-limit')
  expect(exchange.place('alice: buy 10')).toBe('filled 5, then canceled no-liquidity')
  exchange.must(contract('SOLUSDT', { limitBand: share('0') }))
  expect(exchange.place('alice: buy 1 @ 110')).toBe('filled 1')
  expect(exchange.instrument('SOLUSDT')).toMatchObject({ limitBand: 0n, marketBand: share('0.03') })
})

table(
  'risk-engine §13: the interest of a funding rate, and how far it pulls',
  [
    [{ fundingInterestRate: share('0.0002') }, '0.0002'],
    [{ fundingInterestRate: share('0.0002'), fundingClamp: share('0.00005') }, '0.00005'],
    [{ fundingInterestRate: share('0') }, '0'],
    [{}, '0.0001'],
  ] as const,
  (exchange, changes, expected) => {
    exchange.must(pricing(changes))
    const { fundingRate } = exchange.query({ kind: 'prices', instrument: instrumentId('SOLUSDT') })
    expect(fundingRate).toBe(share(expected))
    traders(exchange, 'alice', 'bob').given('bob: sell 1 @ 100', 'alice: buy 1 @ 100')
    exchange.must({ kind: 'settle-funding', instrument: instrumentId('SOLUSDT') })
    expect(coins(-(exchange.position('alice').funding ?? 0n))).toBe(coins(share(expected) / 100n))
    expect(exchange.query({ kind: 'settings' }).pricing).toMatchObject(changes)
  },
)

table(
  'funding terms out of range',
  [
    [{ fundingInterestRate: share('-1.1') }, 'fundingInterestRate lies between -1 and 1'],
    [{ fundingClamp: share('-0.1') }, 'fundingClamp lies between 0 and 1'],
    [{ fundingClamp: share('1.1') }, 'fundingClamp lies between 0 and 1'],
  ] as const,
  (exchange, changes, outcome) => {
    expect(outcomeOf(exchange, pricing(changes))).toBe(outcome)
  },
)
