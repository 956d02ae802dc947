/**
 * The risk vectors (test/engine/vectors.json) as commands: each position, order, loan and payment that they are about is made on
 * a small exchange of its own, up to the price at which the vector says that it ends, and one tick beyond it.
 *
 * Not here  whether any of it is right: test/engine/vectors.test.ts says that
 */
import { readFileSync } from 'node:fs'
import { oneCoin } from '../../src/engine/numbers/numbers.ts'
import { coinId, Exchange, firstDay, secondMs } from '../engine/support/exchange.ts'
import { coins, share, units } from '../engine/support/figures.ts'
import { type CoinName, coinNames, type MarketName } from '../engine/support/listings.ts'
import { traders } from '../engine/support/people.ts'

interface Isolated {
  readonly s: number
  /** Coins, or contracts of an inverse one. */
  readonly q?: string
  readonly N?: string
  readonly E: string
  readonly M: string
  readonly liq: string
}

interface Vectors {
  readonly isoLinear: readonly Isolated[]
  readonly isoInverse: readonly Isolated[]
  readonly crossLinear: { readonly W: string; readonly pos: readonly CrossPosition[]; readonly liq: readonly string[] }
  readonly hedge: { readonly W: string; readonly long: Leg; readonly short: Leg; readonly liq: string }
  readonly inverseFill: { readonly N: string; readonly p: string }
  readonly funding: readonly (readonly [premium: string, hours: number, rate: string])[]
  readonly interest: readonly (readonly [principal: string, daily: string, hour: string])[]
  readonly freeze: { readonly x: string; readonly p: string; readonly L: number; readonly total: string }
}

type CrossPosition = readonly [side: number, quantity: string, entry: string, mark: string, tick: string]
type Leg = readonly [quantity: string, entry: string]
type Play = (run: (exchange: Exchange) => void) => void

const minuteMs = 60 * secondMs

/** `onPlayed` is given each exchange after its last command. */
export function playVectors(onPlayed: (exchange: Exchange) => void): void {
  const vectors: Vectors = JSON.parse(readFileSync(new URL('../engine/vectors.json', import.meta.url), 'utf8'))
  const play: Play = (run) => {
    const exchange = new Exchange()
    for (const name of coinNames) {
      exchange.must({ kind: 'fund-house', account: 'insurance', coin: coinId(name), amount: units('1000000') })
    }
    run(exchange)
    onPlayed(exchange)
  }
  for (const one of vectors.isoLinear) play((exchange) => isolated(exchange, 'BTCUSDT', one))
  for (const one of vectors.isoInverse) play((exchange) => isolated(exchange, 'BTCUSD', one))
  for (const coin of ['BTC', 'ETH'] as const) play((exchange) => cross(exchange, vectors, coin))
  play((exchange) => hedge(exchange, vectors))
  play((exchange) => {
    people(exchange, 'BTCUSD')
    take(exchange, 1, vectors.inverseFill.N, vectors.inverseFill.p)
  })
  for (const [premium, hours] of vectors.funding) play((exchange) => fund(exchange, premium, hours))
  for (const [principal] of vectors.interest) {
    for (const coin of [0, 3]) play((exchange) => borrow(exchange, principal, coin))
  }
  for (const missing of [0n, 1n]) play((exchange) => order(exchange, vectors, missing))
}

function people(exchange: Exchange, market: MarketName): void {
  traders(exchange, 'alice', 'bob').market = market
}

function lever(exchange: Exchange, leverage: number): void {
  const given = { interface: 'v2', positionSide: undefined, marginMode: undefined, leverage } as const
  exchange.must({ kind: 'set-leverage', uid: exchange.uid('alice'), instrument: exchange.instrument().id, ...given })
}

/** Alice takes a position against Bob. */
function take(exchange: Exchange, side: number, quantity: string, entry: string, word = ''): void {
  const [mine, theirs] = side === 1 ? ['buy', 'sell'] : ['sell', 'buy']
  exchange.given(
    `bob: ${theirs} ${quantity} @ ${entry}`,
    `alice: ${mine} ${[quantity, word].join(' ').trim()} @ ${entry}`,
  )
}

/** To a price, and a tick beyond it in the direction in which that side loses. */
function move(exchange: Exchange, coin: CoinName, price: string, side: number, tick: string): void {
  if (price === '0') return
  exchange.prices({ [coin]: price }).prices({ [coin]: coins(units(price) - BigInt(side) * units(tick)) })
}

function isolated(exchange: Exchange, market: MarketName, { s, q, N, E, M, liq }: Isolated): void {
  people(exchange, market)
  const notional = q === undefined ? (units(N ?? '0') * oneCoin) / units(E) : (units(q) * units(E)) / oneCoin
  lever(exchange, Number(notional / units(M)))
  take(exchange, s, q ?? N ?? '0', E, 'isolated')
  move(exchange, 'BTC', liq, s, '0.1')
}

function cross(exchange: Exchange, { crossLinear }: Vectors, moved: CoinName): void {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: `${crossLinear.W} USDT` } })
  for (const [side, quantity, entry, mark, tick] of crossLinear.pos) {
    const coin = tick === '0.1' ? 'BTC' : 'ETH'
    exchange.market = `${coin}USDT`
    take(exchange, side, quantity, entry)
    exchange.pay('alice', 'usdt_futures', `${coins(exchange.position('alice').fees)} USDT`)
    exchange.prices({ [coin]: mark })
  }
  const place = moved === 'BTC' ? 0 : 1
  move(exchange, moved, crossLinear.liq[place], crossLinear.pos[place][0], crossLinear.pos[place][4])
}

function hedge(exchange: Exchange, { hedge: { W, long, short, liq } }: Vectors): void {
  traders(exchange, 'bob').join('alice', { funds: { usdt_futures: `${W} USDT` } })
  exchange.must({ kind: 'set-hold-mode', uid: exchange.uid('alice'), line: undefined, holdMode: 'hedge_mode' })
  exchange.market = 'BTCUSDT'
  lever(exchange, 100)
  take(exchange, 1, ...long, 'open')
  take(exchange, -1, ...short, 'open')
  for (const { fees } of exchange.positions('alice')) exchange.pay('alice', 'usdt_futures', `${coins(fees)} USDT`)
  move(exchange, 'BTC', liq, 1, '0.1')
}

/** A book that quotes the premium, and a payment at the rate that comes of it. */
function fund(exchange: Exchange, premium: string, fundingIntervalHours: number): void {
  people(exchange, 'BTCUSDT')
  take(exchange, 1, '0.333', '60000')
  const instrument = exchange.instrument().id
  const terms = { instrument, impactNotional: undefined, fundingRateCap: undefined, fundingIntervalHours }
  exchange.must({
    kind: 'configure-pricing',
    jumpFactor: undefined,
    fundingShortfall: undefined,
    premiumMean: undefined,
    fundingInterestRate: undefined,
    fundingClamp: undefined,
    coins: [],
    instruments: [terms],
  })
  const index = units('60000')
  const away = (index * share(premium)) / share('1')
  const [bid, ask] = away < 0n ? [index + 2n * away, index + away] : [index + away, index + away + oneCoin]
  traders(exchange, 'ann', 'ben').given(`ann: sell 10 @ ${coins(ask)}`, `ben: buy 10 @ ${coins(bid)}`)
  exchange.at = firstDay + minuteMs
  exchange.runTimers().must({ kind: 'settle-funding', instrument })
}

function borrow(exchange: Exchange, principal: string, coin: number): void {
  exchange.join('alice', { funds: { crossed_margin: '2 BTC, 30000 USDT' } })
  exchange.apply({ kind: 'borrow', uid: exchange.uid('alice'), coin, amount: units(principal) })
  exchange.wait(60 * minuteMs).runTimers()
}

/** With exactly enough money, or a unit less. */
function order(exchange: Exchange, { freeze: { x, p, L, total } }: Vectors, missing: bigint): void {
  exchange.join('alice', { funds: { usdt_futures: `${coins(units(total) - missing)} USDT` } }).market = 'BTCUSDT'
  lever(exchange, L)
  exchange.place(`alice: buy ${x} @ ${p}`)
}
