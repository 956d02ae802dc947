/**
 * The machine-readable vectors of risk-engine §22, all of them, as they stand there (vectors.json).
 *
 * Venue     a position, order, loan or payment is made on the small exchange so that the vector's figures arise, and what
 *           the exchange then says is read; a liquidation price also by its consequence: there the position still stands,
 *           one tick on it is gone
 * Leaves    where a figure is finer than what is shown, or is no state of its own, the pure function that makes it
 * Source    risk-engine.md §22 (vectors), §3, §5-§9, §11, §13, §16, §17
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type FuturesInstrument, scaleOf } from '../../src/engine/catalog/catalog.ts'
import { bankruptcyPrice } from '../../src/engine/margin/liquidation-price.ts'
import { maintenanceMargin, maintenanceRate } from '../../src/engine/margin/maintenance.ts'
import { collateralValue } from '../../src/engine/margin/unified-margin.ts'
import { type Amount, divCeil, type Lots, oneCoin, rateOne, type Ticks } from '../../src/engine/numbers/numbers.ts'
import { fundingRateOf } from '../../src/engine/price-rules/funding-rate.ts'
import type { FundingPayment, OrderRecord } from '../../src/engine/protocol/event.ts'
import { hourlyInterest } from '../../src/engine/records/debt.ts'
import { coinId, type Exchange, firstDay, secondMs } from './support/exchange.ts'
import { coins, scaled, share, units } from './support/figures.ts'
import { coinListings, coinNames, type FuturesRecord, type MarketName, markets, tiers } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'

type Sign = 1 | -1

interface Vectors {
  readonly tiers: readonly (readonly [from: number, to: number, maintenanceRate: string])[]
  readonly f: string
  readonly mm: readonly (readonly [value: string, margin: string])[]
  readonly isoLinear: readonly {
    readonly s: Sign
    readonly q: string
    readonly E: string
    readonly M: string
    readonly liq: string
    readonly bkFloor6?: string
  }[]
  readonly crossLinear: {
    readonly W: string
    readonly pos: readonly (readonly [Sign, quantity: string, entry: string, mark: string, tick: string])[]
    readonly eq: string
    readonly mm: string
    readonly liq: readonly string[]
  }
  readonly hedge: {
    readonly W: string
    readonly long: readonly [quantity: string, entry: string]
    readonly short: readonly [quantity: string, entry: string]
    readonly liq: string
  }
  readonly isoInverse: readonly {
    readonly s: Sign
    readonly N: string
    readonly E: string
    readonly M: string
    readonly liq: string
  }[]
  readonly inverseFill: { readonly N: string; readonly p: string; readonly buyer: string; readonly seller: string }
  readonly breakEven: readonly (readonly [
    'linear' | 'inverse',
    Sign,
    quantity: string,
    entry: string,
    fees: string,
    funding: string,
    price: string,
  ])[]
  readonly funding: readonly (readonly [premium: string, hours: number, rate: string])[]
  readonly fundingBook: {
    readonly F: string
    readonly mark: string
    readonly q: readonly string[]
    readonly booked: readonly string[]
    readonly dustUnits: number
  }
  readonly interest: readonly (readonly [principal: string, daily: string, hour: string])[]
  readonly freeze: {
    readonly x: string
    readonly p: string
    readonly mark: string
    readonly L: number
    readonly total: string
  }
  readonly union: { readonly adj: string; readonly liqBTC: string }
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8'))

const minute = 60 * secondMs

/** `66360.0` and `66360` are one figure. */
function plain(text: string): string {
  return coins(units(text))
}

/** One step further from a price, in the direction in which a position of that side loses. */
function oneTickOn(price: string, side: Sign, tick = '0.1'): string {
  return coins(units(price) - BigInt(side) * units(tick))
}

function quotient(dividend: string, divisor: string): number {
  return Number(units(dividend) / units(divisor))
}

function contract(market: MarketName, changes: Partial<FuturesRecord> = {}): FuturesInstrument {
  return { ...(markets[market] as FuturesRecord), ...changes, id: 0, listedAt: 0 }
}

function lever(exchange: Exchange, who: string, leverage: number, market: MarketName = exchange.market): void {
  const given = { interface: 'v2', positionSide: undefined, marginMode: undefined, leverage } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid(who), instrument: exchange.instrument(market).id, ...given })
}

function insure(exchange: Exchange): void {
  for (const name of coinNames) {
    exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId(name), amount: units('1000000') })
  }
}

/** Alice takes a position against Bob, as taker. */
function take(exchange: Exchange, side: Sign, quantity: string, entry: string, words = ''): void {
  const [mine, theirs] = side === 1 ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const)
  const asked = [mine, quantity, words].filter((word) => word !== '').join(' ')
  exchange.given(`bob: ${theirs} ${quantity} @ ${entry}`, `alice: ${asked} @ ${entry}`)
}

/** What the venue itself did to Alice, oldest first. */
function forced(exchange: Exchange): OrderRecord[] {
  return exchange.applied
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.kind === 'order-ended' ? [event.order] : []))
    .filter(({ uid, cause }) => uid === exchange.uid('alice') && cause !== 'user')
}

// Tiers and maintenance margin

test('the small exchange has the tiers and the taker fee of the vectors', () => {
  const own = tiers.map(({ from, to, maintenanceRate: rate }) => [Number(from / oneCoin), Number(to / oneCoin), rate])
  expect(own).toEqual(vectors.tiers.map(([from, to, rate]) => [from, to, share(rate)]))
  for (const market of ['BTCUSDT', 'ETHUSDT', 'BTCUSD'] as const) {
    expect(markets[market].takerFeeRate, market).toBe(share(vectors.f))
  }
})

describe.each(vectors.tiers)('tier %d to %d at %s', (from, to, rate) => {
  test('holds every value from its lower bound to below its upper one', () => {
    const instrument = contract('BTCUSDT')
    for (const value of [units(String(from)), (units(String(to)) - 1n) as Amount]) {
      expect(maintenanceRate(instrument, value)).toBe(share(rate))
    }
  })

  test('maintenance has no jump where it begins', () => {
    const instrument = contract('BTCUSDT', { quantityDecimals: 7 })
    const at = (lots: number) => maintenanceMargin(instrument, scaleOf(instrument), lots as Lots, 10 as Ticks)
    // At a price of 1 a lot is worth ten units: it adds at most one unit of maintenance.
    const first = from * 10_000_000
    expect(from === 0 ? 0n : at(first) - at(first - 1)).toBeLessThanOrEqual(1n)
  })
})

table(
  'mm: what a position of that value needs to stay, read from its margin ratio',
  vectors.mm,
  (exchange, value, maintenance) => {
    traders(exchange, 'alice', 'bob').market = 'BTCUSDT'
    take(exchange, 1, coins((units(value) * oneCoin) / units('60000')), '60000', 'isolated')
    const { margin, marginRatio } = exchange.position('alice')
    expect(marginRatio).toBe(divCeil(units(maintenance) * oneCoin, margin) * (rateOne / oneCoin))
    const { instrument, quantity, markPrice } = exchange.position('alice')
    const record = exchange.query({ kind: 'catalog' }).instruments[instrument] as FuturesInstrument
    expect(coins(maintenanceMargin(record, scaleOf(record), quantity, markPrice))).toBe(maintenance)
  },
)

// Isolated, linear

function isolatedLinear(exchange: Exchange, { s, q, E, M }: Vectors['isoLinear'][number]): void {
  traders(exchange, 'alice', 'bob').market = 'BTCUSDT'
  insure(exchange)
  lever(exchange, 'alice', quotient(coins((units(q) * units(E)) / oneCoin), M))
  take(exchange, s, q, E, 'isolated')
  expect(coins(exchange.position('alice').margin)).toBe(M)
}

table(
  'isoLinear: the liquidation price that is shown',
  vectors.isoLinear.map((vector) => [vector] as const),
  (exchange, vector) => {
    isolatedLinear(exchange, vector)
    expect(exchange.price(exchange.position('alice').liquidationPrice)).toBe(plain(vector.liq))
  },
)

table(
  'isoLinear: there the position stands; one tick on it goes, at its bankruptcy price to the tick',
  vectors.isoLinear.flatMap((vector) => (vector.bkFloor6 === undefined ? [] : ([[vector, vector.bkFloor6]] as const))),
  (exchange, vector, bankruptcy) => {
    isolatedLinear(exchange, vector)
    const before = exchange.wallet('alice', 'usdt_futures', 'USDT')
    exchange.prices({ BTC: vector.liq })
    expect(exchange.holds('alice')).not.toBe('flat')
    exchange.prices({ BTC: oneTickOn(vector.liq, vector.s) })
    expect(exchange.holds('alice')).toBe('flat')
    expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe(before)
    // Toward the account's side: up for a long (the exact value goes on after six decimals), down for a short.
    const tenths = scaled(bankruptcy, 6) / 100_000n + (vector.s === 1 ? 1n : 0n)
    expect(forced(exchange).map(({ price }) => BigInt(price))).toEqual([tenths])
  },
)

scenario('isoLinear: what has no liquidation price is not liquidated at any', (exchange) => {
  const [none] = vectors.isoLinear.filter(({ liq }) => liq === '0')
  isolatedLinear(exchange, none)
  exchange.leap({ BTC: '0.1' })
  expect(exchange.holds('alice')).toBe(`long ${none.q}`)
})

/**
 * A price of 57,034.220532 has more digits than the book carries. A margin of K·q·(s − f) more moves it down by K
 * exactly, so with K its whole part what is left is the fraction, in ticks of 0.000001.
 */
test.each(
  vectors.isoLinear.flatMap((vector) => (vector.bkFloor6 === undefined ? [] : [[vector.bkFloor6, vector] as const])),
)('isoLinear: the bankruptcy price is %s… to the sixth decimal', (bankruptcy, { s, q, E, M }) => {
  const instrument = contract('BTCUSDT', { priceDecimals: 6, quantityDecimals: 2 })
  const whole = BigInt(bankruptcy.slice(0, bankruptcy.indexOf('.')))
  const quantity = units(q)
  const sign = BigInt(s)
  const flow = ((-sign * quantity * units(E)) / oneCoin) as Amount
  const shift = (whole * quantity * (sign * rateOne - share(vectors.f))) / rateOne
  const position = {
    side: s === 1 ? 'long' : 'short',
    quantity: Number(scaled(q, 2)) as Lots,
    entryValue: flow,
  } as const
  const price = bankruptcyPrice(instrument, scaleOf(instrument), position, units(M) + shift)
  const fraction = scaled(bankruptcy, 6) - whole * 1_000_000n
  expect(BigInt(price)).toBe(s === 1 ? fraction + 1n : fraction)
})

// Cross

const crossMarkets: Record<string, MarketName> = { '0.1': 'BTCUSDT', '0.01': 'ETHUSDT' }

/** The book of the vector, with `W` in the wallet: what the fees took is paid in again. */
function crossLinear(exchange: Exchange): void {
  const { W, pos } = vectors.crossLinear
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: `${W} USDT` } })
  insure(exchange)
  for (const [side, quantity, entry, , tick] of pos) {
    exchange.market = crossMarkets[tick]
    take(exchange, side, quantity, entry)
    exchange.pay('alice', 'usdt_futures', `${coins(exchange.position('alice').fees)} USDT`)
  }
  const [[, , , btc], [, , , eth]] = vectors.crossLinear.pos
  exchange.prices({ BTC: btc, ETH: eth })
  expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe(W)
}

scenario('crossLinear: equity, maintenance by the margin ratio, and each liquidation price', (exchange) => {
  crossLinear(exchange)
  const { eq, mm, pos, liq } = vectors.crossLinear
  expect(coins(exchange.asset('alice', 'USDT-FUTURES', 'USDT').equity)).toBe(eq)
  for (const [index, [, , , mark, tick]] of pos.entries()) {
    const market = crossMarkets[tick]
    const position = exchange.position('alice', market)
    expect(exchange.price(position.markPrice, market)).toBe(mark)
    expect(position.marginRatio).toBe(divCeil(units(mm) * oneCoin, units(eq)) * (rateOne / oneCoin))
    expect(exchange.price(position.liquidationPrice, market)).toBe(liq[index])
  }
})

table(
  'crossLinear: with the other mark where it is the book stands there and breaks one tick on',
  vectors.crossLinear.pos.map(([side, , , , tick], index) => [tick, side, vectors.crossLinear.liq[index]] as const),
  (exchange, tick, side, price) => {
    crossLinear(exchange)
    const coin = tick === '0.1' ? 'BTC' : 'ETH'
    exchange.prices({ [coin]: price })
    expect(forced(exchange)).toEqual([])
    exchange.prices({ [coin]: oneTickOn(price, side, tick) })
    expect(forced(exchange)).not.toEqual([])
  },
)

scenario(
  'hedge: both sides show the price at which the book breaks; there the sides are netted, which saves the rest',
  (exchange) => {
    const { W, long, short, liq } = vectors.hedge
    traders(exchange, 'bob').join('alice', { funds: { usdt_futures: `${W} USDT` } })
    exchange.must({ kind: 'set-hold-mode', uid: exchange.uid('alice'), line: undefined, holdMode: 'hedge_mode' })
    exchange.market = 'BTCUSDT'
    insure(exchange)
    lever(exchange, 'alice', 100)
    take(exchange, 1, ...long, 'open')
    take(exchange, -1, ...short, 'open')
    for (const { fees } of exchange.positions('alice')) exchange.pay('alice', 'usdt_futures', `${coins(fees)} USDT`)
    expect(exchange.wallet('alice', 'usdt_futures', 'USDT')).toBe(W)
    expect(exchange.positions('alice').map((position) => exchange.price(position.liquidationPrice))).toEqual([liq, liq])
    exchange.prices({ BTC: liq })
    expect(exchange.holds('alice')).toBe(`long ${long[0]}, short ${short[0]}`)
    exchange.prices({ BTC: oneTickOn(liq, 1) })
    expect(forced(exchange).map(({ cause }) => cause)).toEqual(['offset', 'offset'])
    expect(exchange.holds('alice')).toBe('long 0.5')
  },
)

// Inverse

function isolatedInverse(exchange: Exchange, { s, N, E, M }: Vectors['isoInverse'][number]): void {
  traders(exchange, 'alice', 'bob').market = 'BTCUSD'
  insure(exchange)
  lever(exchange, 'alice', quotient(coins((units(N) * oneCoin) / units(E)), M))
  take(exchange, s, N, E, 'isolated')
  expect(coins(exchange.position('alice').margin)).toBe(M)
}

table(
  'isoInverse: the liquidation price that is shown; there it stands, one tick on it goes',
  vectors.isoInverse.map((vector) => [vector] as const),
  (exchange, vector) => {
    isolatedInverse(exchange, vector)
    const open = exchange.holds('alice')
    expect(exchange.price(exchange.position('alice').liquidationPrice)).toBe(plain(vector.liq))
    if (vector.liq === '0') {
      // A short of its own coin in full: covered at any price.
      exchange.leap({ BTC: '6000000' })
      expect(exchange.holds('alice')).toBe(open)
      return
    }
    const exact = vector.liq.endsWith('.0')
    exchange.prices({ BTC: exact ? oneTickOn(vector.liq, -vector.s as Sign) : vector.liq })
    expect(exchange.holds('alice')).toBe(open)
    // 66,360 is no rounded price: equity is maintenance there, and that is too little.
    exchange.prices({ BTC: exact ? vector.liq : oneTickOn(vector.liq, vector.s) })
    expect(exchange.holds('alice')).toBe('flat')
  },
)

scenario('inverseFill: what buyer and seller book differs by the unit that is the house’s', (exchange) => {
  const { N, p, buyer, seller } = vectors.inverseFill
  traders(exchange, 'alice', 'bob').market = 'BTCUSD'
  take(exchange, 1, N, p)
  // At a mark of 60,000 the contracts are worth 0.20575 exactly, so that profit less worth is what was booked.
  const worth = (units(N) * oneCoin) / units('60000')
  const booked = [
    exchange.position('alice').unrealizedPnl + worth, //
    exchange.position('bob').unrealizedPnl - worth,
  ]
  expect(booked.map(coins)).toEqual([buyer, seller])
  expect(exchange.house('rounding', 'BTC')).toBe(coins(-booked.reduce((sum, amount) => sum + amount, 0n)))
})

// Break-even

/** Funding is settled once at the rate of the contract's cap: Eve's and Fay's quotes are far above the index. */
function settleAt(exchange: Exchange, cap: string): void {
  const instrument = exchange.instrument().id
  const rates = { impactNotional: undefined, fundingRateCap: share(cap), fundingIntervalHours: undefined }
  const same = {
    jumpFactor: undefined,
    fundingShortfall: undefined,
    premiumMean: undefined,
    fundingInterestRate: undefined,
    fundingClamp: undefined,
    coins: [],
  }
  exchange.must({ kind: 'configure-pricing', ...same, instruments: [{ instrument, ...rates }] })
  traders(exchange, 'eve', 'fay')
    .given('eve: sell 1 @ 60200', 'fay: buy 1 @ 60190')
    .wait(2 * minute)
  exchange.must({ kind: 'settle-funding', instrument })
}

table(
  'breakEven: after the opening fee and funding',
  vectors.breakEven.map((vector) => [vector] as const),
  (exchange, [kind, side, quantity, entry, fees, funding, price]) => {
    traders(exchange, 'alice', 'bob').market = kind === 'linear' ? 'BTCUSDT' : 'BTCUSD'
    take(exchange, side, quantity, entry)
    const value = (units(quantity) * units(entry)) / oneCoin
    if (funding !== '0') settleAt(exchange, coins((units(funding.replace('-', '')) * oneCoin) / value))
    const position = exchange.position('alice')
    expect(coins(position.fees)).toBe(fees)
    expect(coins(position.funding ?? 0n)).toBe(funding)
    expect(exchange.price(position.breakEvenPrice)).toBe(plain(price))
  },
)

// Funding

table(
  'funding: the rate of a minute with that premium, on a book that quotes it',
  vectors.funding,
  (exchange, premium, fundingIntervalHours, expected) => {
    traders(exchange, 'ann', 'ben').market = 'BTCUSDT'
    const instrument = exchange.instrument().id
    const rates = { impactNotional: undefined, fundingRateCap: undefined, fundingIntervalHours }
    const same = {
      jumpFactor: undefined,
      fundingShortfall: undefined,
      premiumMean: undefined,
      fundingInterestRate: undefined,
      fundingClamp: undefined,
      coins: [],
    }
    exchange.must({ kind: 'configure-pricing', ...same, instruments: [{ instrument, ...rates }] })
    const index = units('60000')
    const away = (index * share(premium)) / rateOne
    const [bid, ask] = away < 0n ? [index + 2n * away, index + away] : [index + away, index + away + oneCoin]
    exchange.given(`ann: sell 10 @ ${coins(ask)}`, `ben: buy 10 @ ${coins(bid)}`)
    exchange.at = firstDay + minute
    exchange.runTimers()
    expect(exchange.query({ kind: 'prices', instrument }).fundingRate).toBe(share(expected))
  },
)

test.each(vectors.funding)('funding: a mean premium of %s over %d hours is a rate of %s', (premium, hours, rate) => {
  const terms = { fundingIntervalHours: hours, fundingRateCap: share('0.003') }
  expect(fundingRateOf(terms, { sum: share(premium), weight: 1n })).toBe(share(rate))
})

scenario('fundingBook: four payments, and the dust that they leave', (exchange) => {
  const { F, mark, q, booked, dustUnits } = vectors.fundingBook
  const names = ['ann', 'ben', 'cid', 'dan']
  traders(exchange, ...names).market = 'BTCUSDT'
  const orders = names.map((who, index) => ({ who, quantity: q[index] }))
  for (const { who, quantity } of orders.filter((order) => order.quantity.startsWith('-'))) {
    exchange.given(`${who}: sell ${quantity.slice(1)} @ 60000`)
  }
  for (const { who, quantity } of orders.filter((order) => !order.quantity.startsWith('-'))) {
    exchange.given(`${who}: buy ${quantity} @ 60000`)
  }
  exchange.prices({ BTC: mark })
  settleAt(exchange, F)
  expect(exchange.price(exchange.position('ann').markPrice)).toBe(mark)
  const paid = exchange.lastEvents.filter((event): event is FundingPayment => event.kind === 'funding-payment')
  const byName = new Map(paid.map(({ uid, amount }) => [exchange.name(uid), coins(amount)]))
  expect(names.map((who) => byName.get(who))).toEqual(booked)
  expect(exchange.house('rounding', 'USDT')).toBe(coins(BigInt(dustUnits)))
})

// Loans

table('interest: the first hour of a loan', vectors.interest, (exchange, principal, daily, hour) => {
  const lent = coinListings.find(({ dailyInterestRate }) => dailyInterestRate === share(daily))
  const coin = lent?.name as (typeof coinNames)[number]
  exchange.join('alice', { funds: { crossed_margin: '2 BTC, 30000 USDT' } })
  exchange.must({ kind: 'borrow', uid: exchange.uid('alice'), coin: coinId(coin), amount: units(principal) })
  expect(exchange.debt('alice', 'crossed_margin', coin)).toBe(`${principal} + ${plain(hour)}`)
  expect(hourlyInterest(units(principal), share(daily))).toBe(units(hour))
})

// Orders

table(
  'hold: what an order holds; exactly enough, one unit short',
  [
    ['enough', 0n],
    ['short', 1n],
  ] as const,
  (exchange, outcome, missing) => {
    const { x, p, mark, L, total } = vectors.freeze
    exchange.join('alice', { funds: { usdt_futures: `${coins(units(total) - missing)} USDT` } }).market = 'BTCUSDT'
    lever(exchange, 'alice', L)
    exchange.prices({ BTC: mark })
    expect(exchange.place(`alice: buy ${x} @ ${p}`)).toBe(
      outcome === 'enough' ? `rests ${x}` : 'refused insufficient-margin',
    )
    expect(coins(exchange.balance('alice', 'usdt_futures', 'USDT').held)).toBe(outcome === 'enough' ? total : '0')
  },
)

// The unified account

/** Coins of their own with the ratios of §16, and a contract on the first: 1.5 at 60,000, 20 at 3,000, −20,000 USDT. */
interface Union {
  readonly contract: number
  readonly bitcoin: number
  readonly ether: number
  /** Places Alice's or Bob's order in the contract. */
  place(line: string): void
  index(bitcoin: string): void
}

function unionAccount(exchange: Exchange): Union {
  traders(exchange, 'bob').join('alice', { mode: 'unified' })
  const uid = exchange.uid('alice')
  exchange.market = 'BTCUSDT'
  insure(exchange)
  const list = (like: 'BTC' | 'ETH', name: string, ratio: string) => {
    const collateral = [{ to: units('2000000'), ratio: share(ratio) }]
    const reply = exchange.must({ kind: 'list-coin', coin: { ...coinListings[coinId(like)], name, collateral } })
    return reply.kind === 'listed' ? reply.id : -1
  }
  const bitcoin = list('BTC', 'XBT', '0.98')
  const ether = list('ETH', 'XET', '0.95')
  const record = { ...markets.BTCUSDT, symbol: 'XBTUSDT', base: bitcoin } as FuturesRecord
  const listed = exchange.must({ kind: 'list-instrument', instrument: record })
  const id = listed.kind === 'listed' ? listed.id : -1

  const same = { borrowable: undefined, borrowLimit: undefined, lendingPoolLimit: undefined, leverageMax: undefined }
  const usdt = coinId('USDT')
  exchange.must({ kind: 'set-loan-terms', coin: usdt, dailyInterestRate: share('0'), ...same })
  exchange.must({ kind: 'deposit', uid, wallet: 'uta', coin: bitcoin, amount: units('1.5') })
  exchange.must({ kind: 'deposit', uid, wallet: 'uta', coin: ether, amount: units('20') })
  exchange.must({ kind: 'borrow', uid, coin: usdt, amount: units('20000') })
  exchange.must({ kind: 'withdraw', uid, wallet: 'uta', coin: usdt, amount: units('20000') })
  return {
    contract: id,
    bitcoin,
    ether,
    place: (line) => void exchange.must({ ...exchange.order(line), instrument: id }),
    index: (price) => void exchange.must({ kind: 'set-index-prices', prices: [[bitcoin, units(price)]] }),
  }
}

/** With a long of 10 at 60,000 and 10x. The fee is paid in beforehand, so that the debt stays what it is. */
function unionPosition(exchange: Exchange): Union {
  const union = unionAccount(exchange)
  const leverage = { leverage: 10, positionSide: undefined, marginMode: undefined } as const
  const uid = exchange.uid('alice')
  exchange.must({ kind: 'set-leverage', uid, interface: 'v3', instrument: union.contract, ...leverage })
  union.place('bob: sell 10 @ 60000')
  union.place('alice: buy 10 @ 60000')
  exchange.pay('alice', 'uta', '360 USDT')
  expect(exchange.debt('alice', 'uta', 'USDT')).toBe('20000 + 0')
  expect(exchange.wallet('alice', 'uta', 'USDT')).toBe('0')
  return union
}

function unionHolding(exchange: Exchange, { contract: instrument }: Union) {
  const ask = { kind: 'positions', uid: exchange.uid('alice'), interface: 'v3', line: 'USDT-FUTURES' } as const
  return exchange.query({ ...ask, instrument })
}

scenario('unified: adjusted equity is collateral at its ratio less debt in full', (exchange) => {
  const { bitcoin, ether } = unionAccount(exchange)
  const { coins: records } = exchange.query({ kind: 'catalog' })
  const counted = [
    collateralValue(records[bitcoin], units('90000')),
    collateralValue(records[ether], units('60000')),
    -units('20000'),
  ]
  expect(coins(counted.reduce((sum, amount) => sum + amount, 0n))).toBe(vectors.union.adj)
  // What is available is that less the initial margin of the debt, 10 % of 20,000.
  const { crossMaxAvailable } = exchange.asset('alice', 'USDT-FUTURES', 'USDT')
  expect(coins(crossMaxAvailable + units('2000'))).toBe(vectors.union.adj)
})

scenario('unified: a position needs its margin out of the same equity', (exchange) => {
  unionPosition(exchange)
  const { crossMaxAvailable } = exchange.asset('alice', 'USDT-FUTURES', 'USDT')
  expect(coins(crossMaxAvailable + units('62000'))).toBe(vectors.union.adj)
})

scenario('unified: at liqBTC the account stands, one tick on it is liquidated', (exchange) => {
  const union = unionPosition(exchange)
  union.index(vectors.union.liqBTC)
  expect(unionHolding(exchange, union)).toMatchObject([{ quantity: 100_000 }])
  union.index(oneTickOn(vectors.union.liqBTC, 1))
  expect(forced(exchange)).not.toEqual([])
})

scenario('unified: the position shows liqBTC as its liquidation price', (exchange) => {
  const union = unionPosition(exchange)
  const [position] = unionHolding(exchange, union)
  expect(exchange.price(position.liquidationPrice, 'BTCUSDT')).toBe(vectors.union.liqBTC)
})

scenario(
  'unified: its margin ratio is the account’s MMR (risk-engine §16: 3,960 of 125,200), rounded up',
  (exchange) => {
    const union = unionPosition(exchange)
    const [position] = unionHolding(exchange, union)
    expect(position.marginRatio).toBe(share('0.0316294'))
  },
)

test('unified: a coin counts in slices, each at its own ratio, and not at all beyond the last (risk-engine §16)', () => {
  const collateral = [
    { to: units('2000000'), ratio: share('0.98') },
    { to: units('5000000'), ratio: share('0.95') },
  ]
  const coin = { ...coinListings[coinId('BTC')], id: coinId('BTC'), collateral }
  expect(coins(collateralValue(coin, units('2000000')))).toBe('1960000')
  expect(coins(collateralValue(coin, units('3500000')))).toBe('3385000')
  expect(collateralValue(coin, units('9000000'))).toBe(collateralValue(coin, units('5000000')))
})
