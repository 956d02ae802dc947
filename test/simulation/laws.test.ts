/**
 * Laws that hold whatever the numbers are, found out by doing the same thing in two ways (reliability C5, C6).
 *
 * Split       an order cut into pieces comes to the whole, less what rounding takes from each piece
 * Mirror      buyers for sellers and prices turned around a point: the same trades the other way round
 * Relabelled  who joined first changes nobody's money
 * Drained     everything canceled, nothing is held (every life of the simulation ends like that as well)
 * Dust        no six actions at one price leave anybody richer
 */
import { expect, test } from 'vitest'
import type { Instrument } from '../../src/engine/catalog/catalog.ts'
import type { Lots, Ticks } from '../../src/engine/numbers/numbers.ts'
import { Exchange, instrumentId } from '../engine/support/exchange.ts'
import { share } from '../engine/support/figures.ts'
import type { CoinName, MarketName } from '../engine/support/listings.ts'
import { traders } from '../engine/support/people.ts'
import { Random } from './random.ts'

const sameTerms = {
  kind: 'set-instrument',
  status: undefined,
  tiers: undefined,
  makerFeeRate: undefined,
  takerFeeRate: undefined,
  limitBand: undefined,
  marketBand: undefined,
} as const

interface LimitOrder {
  readonly who: string
  readonly side: 'buy' | 'sell'
  readonly lots: number
  readonly price: number
  readonly market: MarketName
}

/** A limit order in ticks and lots. */
function order(exchange: Exchange, { who, side, lots, price, market }: LimitOrder): void {
  exchange.market = market
  const { priceDecimals, quantityDecimals } = exchange.instrument()
  const plain = exchange.order(`${who}: ${side} ${10 ** -quantityDecimals} ${market} @ ${10 ** -priceDecimals}`)
  const reply = exchange.apply({ ...plain, price: price as Ticks, quantity: { unit: 'lots', lots: lots as Lots } })
  expect(reply.kind).toBe('placed')
}

interface Split {
  readonly market: MarketName
  readonly price: number
  readonly lots: number
  readonly coins: readonly CoinName[]
  /** Roundings of one fill of one order, in one coin. */
  readonly postings: number
}

const splits: readonly Split[] = [
  { market: 'BTC/USDT', price: 6_000_000, lots: 1_000_003, coins: ['BTC', 'USDT'], postings: 1 },
  { market: 'BTCUSDT', price: 600_000, lots: 12_347, coins: ['USDT'], postings: 2 },
  { market: 'ETHPERP', price: 300_000, lots: 12_347, coins: ['USDC'], postings: 2 },
  { market: 'BTCUSD', price: 600_000, lots: 123_457, coins: ['BTC'], postings: 2 },
]

function total(exchange: Exchange, who: string, coin: CoinName): bigint {
  const wallets = ['spot', 'usdt_futures', 'coin_futures', 'usdc_futures'] as const
  return wallets.reduce((sum, wallet) => sum + exchange.balance(who, wallet, coin).balance, 0n)
}

test.each(splits)('an order of $market in pieces comes to the whole, and never to more', (split) => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = new Random(seed)
    const pieces: number[] = []
    for (let left = split.lots; left > 0; ) {
      const piece = Math.min(left, 10 + random.below(Math.ceil(split.lots / 3)))
      pieces.push(left - piece < 10 ? left : piece)
      left -= pieces.at(-1) as number
    }
    const after = [[split.lots], pieces].map((cuts) => buyAndSell(split, cuts, seed))
    for (const [index, whole] of after[0].entries()) {
      const lost = whole - after[1]?.[index]
      expect(lost, `seed ${seed}`).toBeGreaterThanOrEqual(0n)
      expect(lost, `seed ${seed}`).toBeLessThanOrEqual(BigInt(2 * split.postings * pieces.length))
    }
  }
})

/** Alice buys from what Bob offers at a few prices, and sells all of it to what he bids. */
function buyAndSell({ market, price, lots, coins }: Split, cuts: readonly number[], seed: number): bigint[] {
  const random = new Random(seed * 7919)
  const exchange = traders(new Exchange(), 'alice', 'bob')
  for (const [maker, taker] of [
    ['sell', 'buy'],
    ['buy', 'sell'],
  ] as const) {
    for (let left = lots; left > 0; ) {
      const offered = Math.min(left, 10 + random.below(lots))
      const rest = left - offered < 10 ? left : offered
      order(exchange, { who: 'bob', side: maker, lots: rest, price: price + random.below(7), market })
      left -= rest
    }
    const limit = taker === 'buy' ? price + 7 : price - 7
    for (const piece of cuts) order(exchange, { who: 'alice', side: taker, lots: piece, price: limit, market })
  }
  return coins.map((coin) => total(exchange, 'alice', coin))
}

interface Move {
  readonly who: string
  readonly side: 'buy' | 'sell'
  readonly lots: number
  readonly price: number
}

function moves(seed: number, people: readonly string[], around: number): Move[] {
  const random = new Random(seed)
  return Array.from({ length: 120 }, () => ({
    who: random.pick(people),
    side: random.pick(['buy', 'sell'] as const),
    lots: 1 + random.below(5000),
    price: around + random.below(21) - 10,
  }))
}

const people = ['ann', 'ben', 'cid'] as const

test('a mirrored linear market gives mirrored positions and the same profits', () => {
  const middle = 600_000
  for (let seed = 1; seed <= 30; seed++) {
    const played = moves(seed, people, middle)
    const [plain, mirrored] = [false, true].map((mirror) => {
      const exchange = traders(new Exchange(), ...people)
      const free = { makerFeeRate: share('0'), takerFeeRate: share('0') }
      exchange.must({ ...sameTerms, instrument: instrumentId('BTCUSDT'), ...free })
      for (const { who, side, lots, price } of played) {
        const turned = side === 'buy' ? 'sell' : 'buy'
        order(exchange, {
          who,
          side: mirror ? turned : side,
          lots,
          price: mirror ? 2 * middle - price : price,
          market: 'BTCUSDT',
        })
      }
      return exchange
    }) as [Exchange, Exchange]
    const fills = played.length * 2
    for (const who of people) {
      const [first, second] = [plain.positions(who)[0], mirrored.positions(who)[0]]
      expect(second?.quantity, `seed ${seed}`).toBe(first?.quantity)
      if (first !== undefined) expect(second?.side).toBe(first.side === 'long' ? 'short' : 'long')
      const apart = total(plain, who, 'USDT') - total(mirrored, who, 'USDT')
      // A closing in part is rounded against whoever closes, so the two may differ by a unit for each.
      expect(apart <= fills && apart >= -fills, `${who} of seed ${seed} is apart by ${apart}`).toBe(true)
    }
    const levels = (exchange: Exchange) =>
      exchange.query({ kind: 'depth', instrument: instrumentId('BTCUSDT'), limit: 100 })
    const turn = (side: readonly (readonly [Ticks, Lots])[]) => side.map(([price, lots]) => [2 * middle - price, lots])
    expect(turn(levels(mirrored).asks)).toEqual(levels(plain).bids)
    expect(turn(levels(mirrored).bids)).toEqual(levels(plain).asks)
  }
})

test('who joined first changes nobody’s money, and nothing of the house’s', () => {
  const markets = ['BTC/USDT', 'BTCUSDT', 'BTCUSD'] as const
  for (let seed = 1; seed <= 30; seed++) {
    const played = moves(seed, people, 0)
    const outcomes = [people, ['cid', 'ann', 'ben'], ['ben', 'cid', 'ann']].map((joined) => {
      const exchange = traders(new Exchange(), ...joined)
      const random = new Random(seed + 1)
      for (const { who, side, lots, price } of played) {
        const market = random.pick(markets)
        order(exchange, { who, side, lots, price: (market === 'BTC/USDT' ? 6_000_000 : 600_000) + price, market })
      }
      exchange.wait(9 * 3_600_000).runTimers()
      const house = exchange.query({ kind: 'verify' }).coins.map((coin) => coin.house)
      return { house, money: people.map((who) => [total(exchange, who, 'BTC'), total(exchange, who, 'USDT')]) }
    })
    expect(outcomes[1], `seed ${seed}`).toEqual(outcomes[0])
    expect(outcomes[2], `seed ${seed}`).toEqual(outcomes[0])
  }
})

interface Dust {
  readonly market: MarketName
  readonly price: number
  readonly fees: 'none' | 'usual'
  readonly isolated: boolean
}

const dusts: readonly Dust[] = [
  { market: 'BTCUSD', price: 599_999, fees: 'none', isolated: false },
  { market: 'BTCUSD', price: 599_999, fees: 'none', isolated: true },
  { market: 'BTCUSD', price: 333_333, fees: 'usual', isolated: false },
  { market: 'BTCUSDT', price: 599_999, fees: 'usual', isolated: true },
  { market: 'BTC/USDC', price: 5_999_999, fees: 'none', isolated: false },
]
const actions = [1, 3, -1, -2] as const
const depth = 6

/** Every sequence of up to six actions; a longer one begins like a shorter one, so only whole ones are played. */
test.each(dusts)(
  'six actions at one price earn nothing out of dust: $market at $price, fees $fees, isolated $isolated',
  (dust) => {
    const { market, price, fees, isolated } = dust
    const exchange = traders(new Exchange(), 'alice', 'bob')
    exchange.market = market
    const { id, base } = exchange.instrument()
    const free = { makerFeeRate: share('0'), takerFeeRate: share('0') }
    if (fees === 'none') exchange.must({ ...sameTerms, instrument: id, ...free })
    if (isolated) {
      const terms = { interface: 'v2', instrument: id, marginMode: 'isolated' } as const
      exchange.must({ kind: 'set-margin-mode', uid: exchange.uid('alice'), ...terms })
      const leverage = { leverage: 7, positionSide: undefined }
      exchange.must({ kind: 'set-leverage', uid: exchange.uid('alice'), ...terms, ...leverage })
    }
    const lot = market === 'BTC/USDC' ? 10 : 1
    const meet = (lots: number, turn: number) => {
      const side = lots > 0 ? 'buy' : 'sell'
      const other = lots > 0 ? 'sell' : 'buy'
      const quantity = Math.abs(lots) * lot
      // Now one rests and now the other, so that both ways of rounding are tried.
      const [first, second] = turn % 2 === 0 ? (['bob', 'alice'] as const) : (['alice', 'bob'] as const)
      order(exchange, { who: first, side: first === 'bob' ? other : side, lots: quantity, price, market })
      order(exchange, { who: second, side: second === 'bob' ? other : side, lots: quantity, price, market })
    }
    const worth = () => worthOf(exchange, exchange.instrument(market), price, base)
    let before = worth()
    for (let number = 0; number < actions.length ** depth; number++) {
      let open = 0
      for (let turn = 0, left = number; turn < depth; turn++, left = Math.floor(left / actions.length)) {
        const action = actions[left % actions.length] as number
        meet(action, turn)
        open += action
      }
      if (open !== 0) meet(-open, number)
      const after = worth()
      if (after.some((sum, index) => sum > before[index])) {
        expect.fail(`sequence ${number} earned: ${before.join(' ')} became ${after.join(' ')}`)
      }
      before = after
    }
  },
  240_000,
)

/** What Alice and Bob have, each at this price: exact for spot, of contracts what is in the wallet when nothing is open. */
function worthOf(exchange: Exchange, instrument: Instrument, price: number, base: number): bigint[] {
  const per = 10n ** BigInt(instrument.priceDecimals)
  const coin = (['BTC', 'ETH', 'SOL', 'USDT', 'USDC'] as const)[base]
  return (['alice', 'bob'] as const).map((who) => {
    const quote = total(exchange, who, 'USDT') + total(exchange, who, 'USDC')
    return total(exchange, who, coin) * BigInt(price) + quote * per
  })
}
