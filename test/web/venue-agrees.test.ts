/**
 * What the preview says before an order is sent is what the venue does: holds, largest orders and liquidation prices of a
 * unified account with collateral in several coins, and of a classic one with a coin alone, as the real venue answers them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseUnits, units, unitsText } from '../../web/numbers/decimal.ts'
import { crossPool, type RatioRecord, type Ratios, ratiosOf } from '../../web/trading/collateral.ts'
import { mostToOpen, type Preview, previewOrder } from '../../web/trading/preview.ts'
import { type AssetsRecord, positionOf, type PositionRecord, unifiedWalletOf } from '../../web/venue/v3/records.ts'
import type { Wallet } from '../../web/venue/account-records.ts'
import type { FuturesLine } from '../../web/venue/categories.ts'
import { type Instrument, instrumentOf, type Tier } from '../../web/venue/instruments.ts'
import {
  type AssetRecord,
  futuresBalanceOf,
  positionOf as classicPositionOf,
  type PositionRecord as ClassicPosition,
} from '../../web/venue/v2/futures-records.ts'
import type { Answer } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'

let venue: Venue
let ratios: Ratios

beforeAll(async () => {
  venue = await startVenue()
  ratios = ratiosOf(data<RatioRecord[]>(await venue.get('/api/v3/market/discount-rate')))
})

afterAll(async () => {
  await venue.remove()
})

function data<T>(answer: Answer): T {
  expect(answer.code, answer.text).toBe('00000')
  return (answer.envelope as { readonly data: T }).data
}

interface Contract {
  readonly instrument: Instrument
  readonly tiers: readonly Tier[]
  readonly markPrice: bigint
}

async function contract(category: string, symbol: string): Promise<Contract> {
  const query = { category, symbol }
  const [record] = data<Parameters<typeof instrumentOf>[0][]>(await venue.get('/api/v3/market/instruments', query))
  const [ticker] = data<{ markPrice: string }[]>(await venue.get('/api/v3/market/tickers', query))
  const tiers = data<{ minTierValue: string; maxTierValue: string; leverage: string; mmr: string }[]>(
    await venue.get('/api/v3/market/position-tier', query),
  )
  return {
    instrument: instrumentOf(record),
    markPrice: units(ticker?.markPrice),
    tiers: tiers.map((tier) => ({
      from: units(tier.minTierValue),
      to: units(tier.maxTierValue),
      leverageMax: Number(tier.leverage),
      maintenanceRate: units(tier.mmr),
    })),
  }
}

interface Order {
  readonly side: 'buy' | 'sell'
  readonly price: string
  readonly qty: string
  readonly marginMode?: 'crossed' | 'isolated'
}

async function previewFor(person: Person, { instrument, tiers, markPrice }: Contract, order: Order): Promise<Preview> {
  const wallet = unifiedWalletOf(data<AssetsRecord>(await person.get('/api/v3/account/assets')))
  const { category, symbol } = instrument
  const { list } = data<{ list: PositionRecord[] | null }>(
    await person.get('/api/v3/position/current-position', { category, symbol }),
  )
  const held = list?.[0] === undefined ? undefined : positionOf(list[0])
  return previewOrder({
    instrument,
    side: order.side,
    price: units(order.price),
    quantity: units(order.qty),
    maker: false,
    leverage: 20n,
    marginMode: order.marginMode ?? 'crossed',
    markPrice,
    tiers,
    reduces: false,
    position: held && {
      side: held.side,
      quantity: units(held.quantity),
      entryPrice: units(held.entryPrice),
      margin: units(held.margin),
    },
    opposite: 0n,
    pool: crossPool(instrument, wallet, { ratios, markPrice, positions: await isolatedOf(person) }),
  })
}

/** Of the contract beside those that orders are previewed for. */
async function isolatedOf(person: Person) {
  const query = { category: 'USDT-FUTURES', symbol: 'ETHUSDT' }
  const { list } = data<{ list: PositionRecord[] | null }>(await person.get('/api/v3/position/current-position', query))
  return (list ?? []).map(positionOf)
}

/** The person's order meets another's at its price; answers the position. */
async function fill(person: Person, { instrument }: Contract, order: Order): Promise<PositionRecord> {
  const { category, symbol } = instrument
  const other = await venue.person('other', { funds: { uta: { USDT: '10000000', USDC: '10000000', BTC: '100' } } })
  const common = { category, symbol, orderType: 'limit', price: order.price, qty: order.qty }
  const away = order.side === 'buy' ? 'sell' : 'buy'
  data(await other.post('/api/v3/trade/place-order', { ...common, side: away }))
  const { marginMode = 'crossed' } = order
  data(await person.post('/api/v3/trade/place-order', { ...common, side: order.side, marginMode }))
  const { list } = data<{ list: PositionRecord[] }>(
    await person.get('/api/v3/position/current-position', { category, symbol }),
  )
  const [position] = list
  if (position === undefined) throw new Error('the order was not filled')
  return position
}

const funds = { USDT: '3000', BTC: '0.05', ETH: '0.5' }

test.each([
  ['USDT-FUTURES', 'BTCUSDT', { side: 'buy', price: '60010', qty: '0.5' }],
  ['USDT-FUTURES', 'BTCUSDT', { side: 'sell', price: '59990', qty: '0.5' }],
  ['USDT-FUTURES', 'BTCUSDT', { side: 'buy', price: '60000', qty: '0.4', marginMode: 'isolated' }],
  ['USDT-FUTURES', 'SOLUSDT', { side: 'sell', price: '150', qty: '100' }],
  ['COIN-FUTURES', 'BTCUSD', { side: 'buy', price: '60000', qty: '20000' }],
  ['COIN-FUTURES', 'BTCUSD', { side: 'sell', price: '60000', qty: '20000' }],
] as const)('%s %s %o: the hold and the liquidation price are those of the venue', async (category, symbol, order) => {
  const person = await venue.person('trader', { funds: { uta: funds } })
  const found = await contract(category, symbol)
  const said = await previewFor(person, found, order)
  const { side, price, qty } = order
  const most = data<Record<string, string>>(
    await person.post('/api/v3/account/max-open-available', {
      category,
      symbol,
      orderType: 'limit',
      side,
      price,
      size: qty,
    }),
  )
  expect(unitsText(said.hold)).toBe(most[`${side}OpenCost`])
  const position = await fill(person, found, order)
  const shown = parseUnits(positionOf(position).liquidationPrice) ?? 0n
  const preview = said.liquidationPrice === 'none' ? 0n : (said.liquidationPrice ?? -1n)
  const difference = shown > preview ? shown - preview : preview - shown
  // The trade itself moves the mark by a little.
  expect(difference, `${unitsText(preview)} said, ${unitsText(shown)} is`).toBeLessThanOrEqual(shown / 100_000n)
})

test('an isolated position beside it backs nothing of a cross one', async () => {
  const person = await venue.person('trader', { funds: { uta: funds } })
  const ether = { side: 'buy', price: '3000', qty: '5', marginMode: 'isolated' } as const
  await fill(person, await contract('USDT-FUTURES', 'ETHUSDT'), ether)
  const found = await contract('USDT-FUTURES', 'BTCUSDT')
  const order = { side: 'buy', price: '60010', qty: '0.5' } as const
  const said = await previewFor(person, found, order)
  const shown = parseUnits(positionOf(await fill(person, found, order)).liquidationPrice) ?? 0n
  const difference = shown - (typeof said.liquidationPrice === 'bigint' ? said.liquidationPrice : 0n)
  expect(difference < 0n ? -difference : difference).toBeLessThanOrEqual(shown / 100_000n)
})

/** A classic wallet: what is available there, and what backs the position, is the margin coin alone. */
async function classicInput(person: Person, { instrument, tiers, markPrice }: Contract, side: 'buy' | 'sell') {
  const { category, symbol, settle } = instrument
  const named = { productType: category, symbol, marginCoin: settle }
  const assets = data<AssetRecord[]>(await person.get('/api/v2/mix/account/accounts', { productType: category }))
  const { crossedMaxAvailable } = data<{ crossedMaxAvailable: string }>(
    await person.get('/api/v2/mix/account/account', named),
  )
  const held = data<ClassicPosition[]>(await person.get('/api/v2/mix/position/single-position', named)).map((record) =>
    classicPositionOf(category as FuturesLine, instrument, record),
  )
  const wallet: Wallet = { name: 'usdt_futures', equity: '', coins: assets.map(futuresBalanceOf) }
  const of = (wanted: 'long' | 'short') => held.find((position) => position.side === wanted)
  const own = of(side === 'buy' ? 'long' : 'short')
  const other = of(side === 'buy' ? 'short' : 'long')
  const hedge = held.some((position) => position.hedge)
  return {
    common: { instrument, side, leverage: 20n, markPrice, tiers },
    pool: crossPool(instrument, wallet, { ratios, markPrice, positions: [] }),
    available: units(crossedMaxAvailable),
    own: own && {
      side: own.side,
      quantity: units(own.quantity),
      entryPrice: units(own.entryPrice),
      margin: units(own.margin),
    },
    opposite: hedge ? units(other?.quantity) : 0n,
    reducible: hedge ? 0n : units(other?.quantity),
  }
}

const classicFunds = { usdt_futures: { USDT: '3000' }, coin_futures: { BTC: '0.05' } }

test.each([
  ['USDT-FUTURES', 'BTCUSDT', 'buy', '60010'],
  ['USDT-FUTURES', 'BTCUSDT', 'sell', '59990'],
  ['USDT-FUTURES', 'SOLUSDT', 'sell', '150'],
] as const)(
  'classic, %s %s: the most that is said can be ordered, and no more',
  async (category, symbol, side, price) => {
    const person = await venue.person('trader', { mode: 'classic', funds: classicFunds })
    const found = await contract(category, symbol)
    const { common, available } = await classicInput(person, found, side)
    const most = mostToOpen({ ...common, price: units(price), available, held: 0n, reducible: 0n })
    const order = (size: bigint) =>
      person.post('/api/v2/mix/order/place-order', {
        productType: category,
        symbol,
        marginCoin: 'USDT',
        marginMode: 'crossed',
        side,
        orderType: 'limit',
        price,
        size: unitsText(size),
      })
    const over = await order(most + found.instrument.quantityStep)
    expect(over.code, over.text).toBe('40762')
    data(await order(most))
    data(await person.post('/api/v2/mix/order/cancel-all-orders', { productType: category }))
  },
)

test.each([
  ['buy', '0.3'],
  ['sell', '0.3'],
] as const)('classic, hedge mode: a %s beside the other side is liquidated where it was said', async (side, qty) => {
  const person = await venue.person('trader', { mode: 'classic', funds: classicFunds })
  const found = await contract('USDT-FUTURES', 'BTCUSDT')
  const line = { productType: 'USDT-FUTURES' }
  data(await person.post('/api/v2/mix/account/set-position-mode', { ...line, posMode: 'hedge_mode' }))
  const place = async (wanted: 'buy' | 'sell', size: string) => {
    const other = await venue.person('other', { funds: { uta: { USDT: '10000000' } } })
    const common = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit', price: '60000', qty: size }
    data(await other.post('/api/v3/trade/place-order', { ...common, side: wanted === 'buy' ? 'sell' : 'buy' }))
    const named = { ...line, symbol: 'BTCUSDT', marginCoin: 'USDT', marginMode: 'crossed', orderType: 'limit' }
    const order = { ...named, side: wanted, tradeSide: 'open', price: '60000', size }
    data(await person.post('/api/v2/mix/order/place-order', order))
  }
  await place(side === 'buy' ? 'sell' : 'buy', '0.1')
  const { common, pool, opposite } = await classicInput(person, found, side)
  expect(opposite).toBe(units('0.1'))
  const { liquidationPrice: said } = previewOrder({
    ...common,
    price: units('60000'),
    quantity: units(qty),
    maker: false,
    marginMode: 'crossed',
    reduces: false,
    position: undefined,
    opposite,
    pool,
  })
  await place(side, qty)
  const { own } = await classicInput(person, found, side)
  expect(own?.quantity).toBe(units(qty))
  const [shown] = data<ClassicPosition[]>(
    await person.get('/api/v2/mix/position/all-position', { ...line, marginCoin: 'USDT' }),
  )
  const is = units(shown?.liquidationPrice)
  const difference = typeof said === 'bigint' ? (is > said ? is - said : said - is) : is
  expect(difference, `${String(said)} said, ${String(is)} is`).toBeLessThanOrEqual(is / 100_000n)
})
