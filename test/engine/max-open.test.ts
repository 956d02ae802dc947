/**
 * How much can be opened: the largest order that admission accepts, and what v2 estimates of a margin alone.
 * Source  risk-engine §11; wire/v3-endpoints §3
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Lots, Ticks } from '../../src/engine/numbers/numbers.ts'
import type { PlaceOrder } from '../../src/engine/protocol/command.ts'
import { tries } from '../support/depth.ts'
import { coinId, Exchange, instrumentId } from './support/exchange.ts'
import { coins, share, units } from './support/figures.ts'
import { type MarketName, markets } from './support/listings.ts'
import { scenario } from './support/table.ts'

type Side = 'buy' | 'sell'

function lotsOf(market: MarketName, quantity: string): Lots {
  return Math.round(Number(quantity) * 10 ** markets[market].quantityDecimals) as Lots
}

function ticksOf(market: MarketName, price: string): Ticks {
  return Math.round(Number(price) * 10 ** markets[market].priceDecimals) as Ticks
}

function asked(exchange: Exchange, who: string, market: MarketName, price: string, size?: string) {
  const found = exchange.query({
    kind: 'max-open',
    uid: exchange.uid(who),
    interface: exchange.account(who).mode === 'classic' ? 'v2' : 'v3',
    instrument: instrumentId(market),
    price: price === 'market' ? 0 : ticksOf(market, price),
    size: size === undefined ? undefined : lotsOf(market, size),
  })
  if (found === undefined) throw new Error('somebody asks for a contract')
  return found
}

function most(exchange: Exchange, who: string, market: MarketName, price: string): string {
  const { buy, sell } = asked(exchange, who, market, price)
  return `buy ${exchange.quantity(buy.most, market)}, sell ${exchange.quantity(sell.most, market)}`
}

scenario('risk-engine §11: 1,000 opens at most 0.3293 at 60,000 and 20x', (exchange) => {
  exchange.join('alice', { funds: { usdt_futures: '1000 USDT' } })
  expect(most(exchange, 'alice', 'BTCUSDT', '60000')).toBe('buy 0.3293, sell 0.3293')
  // Worse than the mark counts what is lost at once, and that is of one side only.
  expect(most(exchange, 'alice', 'BTCUSDT', '60500')).toBe('buy 0.2807, sell 0.3266')
})

scenario('it says what is available and what a size would hold', (exchange) => {
  exchange.join('alice', { funds: { usdt_futures: '1000 USDT' } })
  const { available, buy, sell } = asked(exchange, 'alice', 'BTCUSDT', '60500', '0.5')
  expect([coins(available), coins(buy.cost ?? 0n), coins(sell.cost ?? 0n)]).toEqual(['1000', '1780.65', '1530.65'])
  expect(asked(exchange, 'alice', 'BTCUSDT', '60500').buy.cost).toBeUndefined()
})

scenario('what an order would only reduce costs nothing', (exchange) => {
  exchange.join('alice', { funds: { usdt_futures: '1000 USDT' } }).join('bob', { funds: { usdt_futures: '5000 USDT' } })
  exchange.given('bob: sell 40 @ 100', 'alice: buy 40 @ 100')
  // 1,000 − 2.4 of fee − 200 of margin is 797.6, at 5.06 a lot 157; a sell closes 40 first.
  expect(most(exchange, 'alice', 'SOLUSDT', '100')).toBe('buy 157, sell 197')
})

scenario('at market: what the book has, and no more than the margin', (exchange) => {
  exchange.join('alice', { funds: { usdt_futures: '100 USDT' } }).join('bob', { funds: { usdt_futures: '5000 USDT' } })
  expect(most(exchange, 'alice', 'SOLUSDT', 'market')).toBe('buy 0, sell 0')
  exchange.given('bob: sell 7 @ 100', 'bob: sell 3 @ 101', 'bob: sell 90 @ 104', 'bob: buy 4 @ 99')
  // Beyond 10 lots all of them are counted at 104, where each holds 5.2 + 0.0624 + 4.
  expect(most(exchange, 'alice', 'SOLUSDT', 'market')).toBe('buy 10, sell 4')
})

scenario('nothing while nothing is accepted', (exchange) => {
  exchange.join('alice', { funds: { usdt_futures: '100 USDT' } })
  const halt = (status: 'halted' | 'online') => {
    const none = { tiers: undefined, makerFeeRate: undefined, takerFeeRate: undefined }
    const bands = { limitBand: undefined, marketBand: undefined }
    exchange.must({ kind: 'set-instrument', instrument: instrumentId('SOLUSDT'), status, ...none, ...bands })
  }
  halt('halted')
  expect(most(exchange, 'alice', 'SOLUSDT', '100')).toBe('buy 0, sell 0')
  halt('online')
  exchange.doubted({ SOL: '100' })
  expect(most(exchange, 'alice', 'SOLUSDT', '100')).toBe('buy 0, sell 0')
})

scenario('less than the minimum is nothing', (exchange) => {
  exchange.join('alice', { funds: { usdc_futures: '1 USDC' } })
  // 1 USDC opens 0.006 ETH at 20x: below the least quantity of 0.01.
  expect(most(exchange, 'alice', 'ETHPERP', '3000')).toBe('buy 0, sell 0')
})

scenario('v2 open-count: margin and fee of a leverage, whatever the account has', (exchange) => {
  const count = (market: MarketName, amount: string, price: string, leverage: number) =>
    exchange.query({
      kind: 'open-count',
      instrument: instrumentId(market),
      amount: units(amount),
      price: ticksOf(market, price),
      leverage,
    })
  expect(count('BTCUSDT', '1000', '60000', 20)).toBe(3293)
  expect(count('BTCUSDT', '0', '60000', 20)).toBe(0)
  // 30,000 contracts hold 0.05 + 0.0003.
  expect(count('BTCUSD', '0.0503', '60000', 10)).toBe(30_000)
  expect(count('BTCUSD', '0.05029999', '60000', 10)).toBeLessThan(30_000)
  // 125x stays below the value of 200,000 at the mark: 3.3333 at 60,000.
  expect(count('BTCUSDT', '1000000', '60000', 125)).toBe(33_333)
})

/** Small enough to reach edges, large enough for tiers and rounding. */
const situations = fc.record({
  market: fc.constantFrom<MarketName>('BTCUSDT', 'SOLUSDT', 'BTCUSD', 'ETHPERP'),
  unified: fc.boolean(),
  hedged: fc.boolean(),
  isolated: fc.boolean(),
  leverage: fc.integer({ min: 1, max: 125 }),
  funds: fc.integer({ min: 1, max: 100_000_000 }),
  /** Share of the mark. */
  price: fc.integer({ min: 92, max: 108 }),
  atMarket: fc.boolean(),
  positions: fc.array(
    fc.record({ side: fc.constantFrom<Side>('buy', 'sell'), lots: fc.integer({ min: 1, max: 500 }) }),
    {
      maxLength: 3,
    },
  ),
  resting: fc.array(
    fc.record({
      side: fc.constantFrom<Side>('buy', 'sell'),
      lots: fc.integer({ min: 1, max: 500 }),
      away: fc.integer({ min: 1, max: 5 }),
    }),
    { maxLength: 3 },
  ),
  markups: fc.constantFrom('0', '0.05'),
  profit: fc.boolean(),
  moved: fc.integer({ min: 98, max: 102 }),
})

function build(sample: typeof situations extends fc.Arbitrary<infer Value> ? Value : never) {
  const exchange = new Exchange()
  const { market } = sample
  const record = markets[market]
  const inverse = market === 'BTCUSD'
  const wallet = sample.unified
    ? 'uta'
    : inverse
      ? 'coin_futures'
      : market === 'ETHPERP'
        ? 'usdc_futures'
        : 'usdt_futures'
  const coin = inverse ? 'BTC' : market === 'ETHPERP' ? 'USDC' : 'USDT'
  const mode = sample.unified ? 'unified' : 'classic'
  exchange.join('alice', { mode }).join('bob', { mode })
  for (const [name, amount] of [
    ['alice', inverse ? sample.funds * 100 : sample.funds * 10_000] as const,
    ['bob', 10 ** 16] as const,
  ]) {
    exchange.must({
      kind: 'deposit',
      uid: exchange.uid(name),
      wallet,
      coin: coinId(coin),
      amount: BigInt(amount) as never,
    })
  }
  exchange.must({
    kind: 'set-risk',
    adlStartShare: undefined,
    adlEndShare: undefined,
    orderMarginMarkup: share(sample.markups),
    orderFeeMarkup: share(sample.markups),
    profitAsMargin: sample.profit,
    reduceTiers: undefined,
  })
  const uid = exchange.uid('alice')
  const version = sample.unified ? ('v3' as const) : ('v2' as const)
  const instrument = instrumentId(market)
  if (sample.hedged) {
    exchange.must({
      kind: 'set-hold-mode',
      uid,
      line: sample.unified ? undefined : (record.category as never),
      holdMode: 'hedge_mode',
    })
  }
  if (sample.isolated) {
    exchange.must({ kind: 'set-margin-mode', uid, interface: version, instrument, marginMode: 'isolated' })
  }
  exchange.apply({
    kind: 'set-leverage',
    uid,
    interface: version,
    instrument,
    leverage: sample.leverage,
    positionSide: undefined,
    marginMode: undefined,
  })
  const mark = exchange.query({ kind: 'prices', instrument }).markPrice
  const order = (who: string, side: Side, lots: number, price: number, market_ = false): PlaceOrder => ({
    kind: 'place-order',
    uid: exchange.uid(who),
    interface: version,
    category: record.category,
    instrument,
    side,
    orderType: market_ ? 'market' : 'limit',
    price: (market_ ? 0 : price) as Ticks,
    quantity: { unit: 'lots', lots: lots as Lots },
    timeInForce: market_ ? 'ioc' : 'gtc',
    positionSide: who === 'alice' && sample.hedged ? (side === 'buy' ? 'long' : 'short') : undefined,
    tradeSide: undefined,
    reduceOnly: false,
    marginMode: undefined,
    marginCoin: undefined,
    stpMode: undefined,
    clientOid: '',
    takeProfit: undefined,
    stopLoss: undefined,
    loanType: 'autoLoanAndRepay',
    channelCode: '',
  })
  for (const { side, lots } of sample.positions) {
    exchange.apply(order('bob', side === 'buy' ? 'sell' : 'buy', lots, mark))
    exchange.apply(order('alice', side, lots, mark))
  }
  for (const { side, lots, away } of sample.resting) {
    exchange.apply(order('alice', side, lots, Math.round((mark * (side === 'buy' ? 100 - away : 100 + away)) / 100)))
  }
  for (const step of [1, 2, 3]) {
    exchange.apply(order('bob', 'sell', 400 * step, Math.round((mark * (100 + step)) / 100)))
    exchange.apply(order('bob', 'buy', 400 * step, Math.round((mark * (100 - step)) / 100)))
  }
  const base = { BTCUSDT: 'BTC', SOLUSDT: 'SOL', BTCUSD: 'BTC', ETHPERP: 'ETH' }[market as 'BTCUSDT'] as 'BTC'
  const prices = { BTC: 600, SOL: 1, ETH: 30 }[base as 'BTC']
  exchange.prices({ [base]: String(prices * sample.moved) })
  const price = Math.max(1, Math.round((mark * sample.price) / 100))
  return { exchange, uid, version, instrument, price, order }
}

/** What an engine in this state says to an order; the state itself stays as it is. */
function placed(exchange: Exchange, command: PlaceOrder): { accepted: boolean; filled: number } {
  let filled = 0
  const twin = Engine.load([exchange.save()], (event) => {
    if (event.kind === 'fill' && event.uid === command.uid && event.scope === 'taker') filled += event.quantity
  })
  const reply = twin.apply(command, twin.sequence + 1, twin.at + 1)
  return { accepted: reply.kind === 'placed', filled }
}

test('the largest order is accepted, and one lot more is not', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(situations, (sample) => {
      const { exchange, uid, version, instrument, price, order } = build(sample)
      const before = exchange.save()
      const found = exchange.query({
        kind: 'max-open',
        uid,
        interface: version,
        instrument,
        price: (sample.atMarket ? 0 : price) as Ticks,
        size: undefined,
      })
      expect(exchange.save().equals(before)).toBe(true)
      for (const side of ['buy', 'sell'] as const) {
        const lots = found?.[side].most ?? 0
        if (lots > 0) {
          const { accepted, filled } = placed(exchange, order('alice', side, lots, price, sample.atMarket))
          expect(accepted, `${side} ${lots}`).toBe(true)
          if (sample.atMarket) expect(filled).toBe(lots)
        }
        const more = placed(exchange, order('alice', side, lots + 1, price, sample.atMarket))
        expect(more.accepted && (!sample.atMarket || more.filled === lots + 1), `${side} ${lots + 1}`).toBe(false)
      }
    }),
    { numRuns: tries(150) },
  )
})
