/**
 * Lists of open orders and waiting triggers: times that are the wrong way round.
 *
 * Source  wire/errors.md 40707; wire/client-endpoints.md §4; wire/v3-endpoints.md §2
 */
import { refuses, stage, succeeds, table } from './conformance.ts'

const at = stage()

const line = { productType: 'USDT-FUTURES' }

table(
  'wire/errors 40707: lists of what is open refuse a start after the end',
  [
    ['v3 orders', 'unified', '/api/v3/trade/unfilled-orders', { category: 'USDT-FUTURES' }],
    ['v2 futures', 'classic', '/api/v2/mix/order/orders-pending', line],
    ['v2 futures triggers', 'classic', '/api/v2/mix/order/orders-plan-pending', { ...line, planType: 'normal_plan' }],
    ['v2 spot', 'classic', '/api/v2/spot/trade/unfilled-orders', {}],
    ['v2 spot guards', 'classic', '/api/v2/spot/trade/unfilled-orders', { tpslType: 'tpsl' }],
    ['v2 spot triggers', 'classic', '/api/v2/spot/trade/current-plan-order', { symbol: 'BTCUSDT' }],
    ['v2 margin', 'classic', '/api/v2/margin/crossed/open-orders', { symbol: 'BTCUSDT' }],
  ],
  async (mode, path, query) => {
    const alice = await at.person('Alice', { mode })
    const now = Date.now()
    const window = (startTime: number, endTime: number) => ({
      ...query,
      startTime: String(startTime),
      endTime: String(endTime),
    })
    refuses(await alice.get(path, window(now, now - 1)), '40707')
    succeeds(await alice.get(path, window(now, now)))
  },
)
