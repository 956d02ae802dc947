/**
 * What the preview says before an order is sent is what the venue does: holds, largest orders and liquidation prices of a
 * unified account with collateral in several coins, as the real venue answers them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseUnits, units, unitsText } from '../../web/numbers/decimal.ts'
import { crossPool, type RatioRecord, type Ratios, ratiosOf } from '../../web/trading/collateral.ts'
import { type Preview, previewOrder } from '../../web/trading/preview.ts'
import { type AssetsRecord, positionOf, type PositionRecord, unifiedWalletOf } from '../../web/venue/v3/records.ts'
import { type Instrument, instrumentOf, type Tier } from '../../web/venue/instruments.ts'
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
    pool: crossPool(instrument, wallet, { ratios, markPrice }),
  })
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
