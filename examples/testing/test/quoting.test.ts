/**
 * 200 tests of a bot, each on a fork of its own and with 20 calls or more.
 */
import ccxt from 'ccxt'
import { expect, venueTest } from 'tidemark/vitest'
import { quote, withdrawQuotes } from '../bot.mjs'

const test = venueTest({ deterministic: true, rateLimits: false })

const symbol = 'BTC/USDT:USDT'
const mid = 60_000
const sizes = [0.01, 0.02, 0.03, 0.04, 0.05]
const spreads = [100, 200, 300, 400, 500]
const takers = ['buy', 'sell'] as const
const ends = ['hours pass', 'they are withdrawn', 'one is taken', 'it goes back'] as const
const every = sizes.flatMap((size) =>
  spreads.flatMap((spread) => takers.flatMap((side) => ends.map((end) => ({ size, spread, side, end })))),
)

test.for(every)('$size at $spread, $side: $end', async ({ size, spread, side, end }, { venue }) => {
  // 1 call each: whether the account is unified, the instruments (three lists), and 14 orders.
  const exchange = venue.ccxt(ccxt, 'unified-main', { enableRateLimit: false })
  const ids = await quote(exchange, { symbol, mid, spread, levels: 7, size })
  expect(await exchange.fetchOpenOrders(symbol)).toHaveLength(14)

  if (end === 'hours pass') {
    const { now } = await venue.clock.next('funding', 'BTCUSDT')
    expect(now).toBe(Date.UTC(2026, 0, 1, 8))
    expect(await venue.orders('unified-main', { open: true })).toHaveLength(14)
  } else if (end === 'they are withdrawn') {
    await withdrawQuotes(exchange, symbol)
    expect(await venue.orders('unified-main', { open: true })).toEqual([])
  } else if (end === 'one is taken') {
    const other = venue.ccxt(ccxt, 'unified-peer', { enableRateLimit: false })
    await other.createOrder(symbol, 'market', side, size)
    const price = String(side === 'buy' ? mid + spread : mid - spread)
    expect(await venue.fills('unified-main')).toMatchObject([{ execPrice: price, execQty: String(size) }])
    const [position] = await venue.positions('unified-main')
    expect(position).toMatchObject({ symbol: 'BTCUSDT', posSide: side === 'buy' ? 'short' : 'long' })
  } else {
    const quoted = await venue.snapshot()
    await withdrawQuotes(exchange, symbol)
    await venue.revert(quoted)
    const orders = await venue.orders('unified-main', { open: true })
    expect(new Set(orders.map(({ orderId }) => orderId))).toEqual(new Set(ids))
  }
})
