/**
 * Requests of both versions as clients send them: mostly sensible, some repeated, some spoiled on the way.
 *
 * Spoiled   a field is left out, doubled in meaning, of another type, far too long or far too large
 */
import type { Random } from './random.ts'

export interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  /** Placing it again must not place it twice. */
  readonly clientOid?: string
}

const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'] as const
const prices = { BTCUSDT: 60_000, ETHUSDT: 3_000, SOLUSDT: 100 } as const
const sizes = { BTCUSDT: '0.01', ETHUSDT: '0.2', SOLUSDT: '5' } as const
const productType = 'USDT-FUTURES'

/** `own`: what the same client placed last. */
export function nextRequest(random: Random, number: number, own: readonly Sent[]): Sent {
  const sent = sensible(random, number, own)
  return sent.body !== undefined && random.happens(0.12) ? { ...sent, body: spoiled(random, sent.body) } : sent
}

function sensible(random: Random, number: number, own: readonly Sent[]): Sent {
  const symbol = random.pick(symbols)
  const side = random.pick(['buy', 'sell'] as const)
  const price = String(Math.round(prices[symbol] * (1 + (random.below(41) - 20) / 2000)))
  const clientOid = `c-${number}`
  const orderType = random.happens(0.2) ? 'market' : 'limit'
  const earlier = own.length === 0 ? undefined : random.pick(own)
  const post = (path: string, body: Record<string, unknown>): Sent => ({ method: 'POST', path, body })
  const get = (path: string, query: Record<string, string> = {}): Sent => ({ method: 'GET', path, query })
  switch (random.below(20)) {
    case 0:
    case 1:
    case 2: {
      const order = { category: productType, symbol, side, orderType, price, qty: sizes[symbol], clientOid }
      const tpsl = random.happens(0.2)
        ? { takeProfit: String(Number(price) * 2), stopLoss: String(Number(price) / 2) }
        : {}
      return { ...post('/api/v3/trade/place-order', { ...order, ...tpsl }), clientOid }
    }
    case 3:
    case 4: {
      const category = random.pick(['SPOT', 'MARGIN'])
      const qty = orderType === 'market' && side === 'buy' ? '500' : sizes[symbol]
      const order = {
        category,
        symbol,
        side,
        orderType,
        price,
        qty,
        clientOid,
        timeInForce: random.pick(['gtc', 'ioc']),
      }
      return { ...post('/api/v3/trade/place-order', order), clientOid }
    }
    case 5:
    case 6: {
      const order = { symbol, productType, marginMode: 'crossed', marginCoin: 'USDT', size: sizes[symbol] }
      return {
        ...post('/api/v2/mix/order/place-order', {
          ...order,
          side,
          tradeSide: 'open',
          orderType,
          force: 'gtc',
          price,
          clientOid,
        }),
        clientOid,
      }
    }
    case 7: {
      const size = orderType === 'market' && side === 'buy' ? '500' : sizes[symbol]
      return {
        ...post('/api/v2/spot/trade/place-order', { symbol, side, orderType, force: 'gtc', price, size, clientOid }),
        clientOid,
      }
    }
    case 8:
      return post('/api/v3/trade/cancel-symbol-order', {
        category: random.pick([productType, 'SPOT', 'MARGIN']),
        symbol,
      })
    case 9:
      return post('/api/v3/trade/cancel-order', { clientOid: earlier?.clientOid ?? clientOid })
    case 10:
      return post('/api/v2/mix/account/set-leverage', {
        symbol,
        productType,
        marginCoin: 'USDT',
        leverage: String(random.pick([1, 10, 125, 500])),
      })
    case 11:
      return post('/api/v3/account/transfer', {
        fromType: random.pick(['spot', 'uta']),
        toType: random.pick(['spot', 'uta']),
        amount: '12.5',
        coin: 'USDT',
      })
    case 12:
      return post('/api/v3/trade/place-strategy-order', {
        category: productType,
        symbol,
        type: 'trigger',
        side,
        qty: sizes[symbol],
        triggerPrice: price,
        triggerBy: 'mark',
        triggerOrderType: 'market',
        clientOid,
      })
    case 13:
      return get('/api/v3/trade/fills', { category: productType, limit: '20' })
    case 14:
      return post('/api/v3/trade/modify-order', {
        category: earlier?.body?.['category'] ?? productType,
        symbol: earlier?.body?.['symbol'] ?? symbol,
        clientOid: earlier?.clientOid ?? clientOid,
        qty: random.pick(['0.02', '0.5', '7']),
      })
    case 15:
      return post('/api/v3/trade/close-positions', { category: productType, symbol })
    case 16:
      return post('/api/v3/user/create-sub', {
        username: `sub${'abcdefgh'.charAt(random.below(8))}`.padEnd(8, 'x'),
        accountMode: random.pick(['classic', 'unified']),
      })
    case 17:
      return post('/api/v3/account/repay', { repayableCoinList: ['BTC', 'ETH', 'SOL'], paymentCoinList: ['USDT'] })
    case 18:
      return get(
        random.pick(['/api/v3/account/assets', '/api/v3/position/current-position', '/api/v3/trade/unfilled-orders']),
        { category: productType },
      )
    default:
      return get(
        random.pick(['/api/v3/trade/history-orders', '/api/v2/mix/order/orders-history', '/api/v2/mix/market/tickers']),
        { category: productType, productType },
      )
  }
}

function spoiled(random: Random, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const name = random.pick(Object.keys(body))
  const wrong = [
    undefined,
    null,
    '',
    '-1',
    '0',
    '1e9',
    'NaN',
    '9'.repeat(40),
    7,
    true,
    [],
    {},
    'ÄÖÜ',
    'x'.repeat(3000),
    '0.000000000001',
  ]
  return { ...body, [name]: random.pick(wrong), ...(random.happens(0.3) ? { __proto__: 'x', extra: 1 } : {}) }
}
