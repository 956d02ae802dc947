/**
 * Figures at the very ends of their ranges: refused or served, never a defect. Whoever may send a request may send these.
 * Source  design §2 (overflow is checked, never wrapped); style.md §6 (a refusal is not a bug)
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Amount, amountMax, type Lots, priceTicksMax, type Ticks } from '../../src/engine/numbers/numbers.ts'
import type { PlaceOrder } from '../../src/engine/protocol/command.ts'
import { tries } from '../support/depth.ts'
import { Exchange, instrumentId } from './support/exchange.ts'
import { type MarketName, markets } from './support/listings.ts'
import { hedgers, traders, unifieds } from './support/people.ts'
import { expectSound } from './support/soundness.ts'

const names = ['alice', 'bob', 'uma', 'hedy'] as const
const price = fc.oneof(
  fc.constantFrom(1, 2, 100, 600_000, priceTicksMax - 1, priceTicksMax),
  fc.integer({ min: 1, max: priceTicksMax }),
)
const lots = fc.oneof(
  fc.constantFrom(1, 2, 1000, 2 ** 31, 2 ** 40, 2 ** 52, 2 ** 53 - 1),
  fc.integer({ min: 1, max: 2 ** 53 - 1 }),
)
const money = fc.oneof(fc.constantFrom(1n, 10n ** 8n, 10n ** 16n, amountMax), fc.bigInt({ min: 1n, max: amountMax }))

const placing = fc.record({
  who: fc.constantFrom(...names),
  market: fc.constantFrom(...(Object.keys(markets) as MarketName[])),
  side: fc.constantFrom('buy', 'sell'),
  price: fc.option(price, { nil: 0, freq: 5 }),
  lots,
  money,
  byMoney: fc.boolean(),
  onMargin: fc.boolean(),
  open: fc.boolean(),
  isolated: fc.boolean(),
})
const pricing = fc.record({ coin: fc.nat({ max: 4 }), usd: money as fc.Arbitrary<Amount> })
const paying = fc.record({
  who: fc.constantFrom(...names),
  coin: fc.nat({ max: 4 }),
  money,
  kind: fc.constantFrom('deposit', 'withdraw', 'borrow', 'repay'),
})
const levering = fc.record({
  who: fc.constantFrom(...names),
  market: fc.constantFrom('BTCUSDT', 'SOLUSDT', 'BTCUSD'),
  leverage: fc.constantFrom(1, 125),
})

function orderOf(exchange: Exchange, sample: typeof placing extends fc.Arbitrary<infer T> ? T : never): PlaceOrder {
  const instrument = exchange.instrument(sample.market)
  const spot = instrument.kind === 'spot'
  const market = sample.price === 0
  const unit = spot
    ? market && sample.side === 'buy'
      ? 'quote'
      : 'lots'
    : sample.byMoney && instrument.kind === 'inverse'
      ? 'base'
      : 'lots'
  const unified = sample.who === 'uma'
  return {
    kind: 'place-order',
    uid: exchange.uid(sample.who),
    interface: unified ? 'v3' : 'v2',
    category: spot && instrument.marginable && sample.onMargin ? 'MARGIN' : instrument.category,
    instrument: instrument.id,
    side: sample.side,
    orderType: market ? 'market' : 'limit',
    price: sample.price as Ticks | 0,
    quantity: unit === 'lots' ? { unit, lots: sample.lots as Lots } : { unit, amount: sample.money as Amount },
    timeInForce: 'gtc',
    positionSide: undefined,
    tradeSide: sample.open ? 'open' : 'close',
    reduceOnly: !sample.open,
    marginMode: sample.isolated ? 'isolated' : undefined,
    marginCoin: undefined,
    stpMode: undefined,
    clientOid: '',
    takeProfit: undefined,
    stopLoss: undefined,
    loanType: 'autoLoanAndRepay',
    channelCode: '',
  }
}

test('no figure breaks the engine, and after all of them it can be asked anything', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: placing.map((sample) => ({ kind: 'placing', one: sample }) as const) },
    { weight: 1, arbitrary: pricing.map((sample) => ({ kind: 'pricing', one: sample }) as const) },
    { weight: 2, arbitrary: paying.map((sample) => ({ kind: 'paying', one: sample }) as const) },
    { weight: 1, arbitrary: levering.map((sample) => ({ kind: 'levering', one: sample }) as const) },
  )
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
      const exchange = traders(new Exchange(), 'alice', 'bob')
      unifieds(exchange, 'uma')
      hedgers(exchange, 'hedy')
      for (const { kind, one: sample } of steps) {
        if (kind === 'placing') exchange.apply(orderOf(exchange, sample))
        else if (kind === 'pricing') {
          // Whatever the jump, the second update confirms the first.
          const command = { kind: 'set-index-prices', prices: [[sample.coin, sample.usd]] } as const
          exchange.apply(command)
          exchange.apply(command)
        } else if (kind === 'levering') {
          const more = { interface: 'v2', positionSide: undefined, marginMode: undefined } as const
          const { leverage, market, who } = sample
          exchange.apply({
            kind: 'set-leverage',
            uid: exchange.uid(who),
            instrument: instrumentId(market),
            leverage,
            ...more,
          })
        } else {
          const uid = exchange.uid(sample.who)
          const amount = sample.money as Amount
          if (sample.kind === 'borrow' || sample.kind === 'repay')
            exchange.apply({ kind: sample.kind, uid, coin: sample.coin, amount })
          else
            exchange.apply({
              kind: sample.kind,
              uid,
              wallet: sample.who === 'uma' ? 'uta' : 'spot',
              coin: sample.coin,
              amount,
            })
        }
        askEverything(exchange)
      }
      expectSound(exchange)
    }),
    { numRuns: tries(40) },
  )
}, 120_000)

function askEverything(exchange: Exchange): void {
  for (const who of names) {
    const uid = exchange.uid(who)
    for (const version of ['v2', 'v3'] as const) {
      for (const line of ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const) {
        exchange.query({ kind: 'positions', uid, interface: version, line, instrument: undefined })
        exchange.query({ kind: 'futures-assets', uid, interface: version, line })
      }
      exchange.query({ kind: 'open-orders', uid, interface: version, category: undefined, instrument: undefined })
    }
    for (const wallet of ['spot', 'crossed_margin', 'usdt_futures', 'uta'] as const)
      exchange.query({ kind: 'balances', uid, wallet })
    for (let coin = 0; coin < 5; coin++) exchange.query({ kind: 'margin-account', uid, coin })
  }
  expect(exchange.query({ kind: 'verify' }).faults).toEqual([])
}
