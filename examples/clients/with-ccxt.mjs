/**
 * Places one order and follows it to its end, with ccxt and its sockets.
 *
 *   VENUE=http://127.0.0.1:8080 API_KEY=… API_SECRET=… API_PASSPHRASE=… node with-ccxt.mjs
 *
 * No answer    the order is sent again under its client order id: it can exist but once
 * No socket    ccxt opens a new one; what was missed is asked for by the client order id
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import ccxt from 'ccxt'

const { VENUE = 'http://127.0.0.1:8080', API_KEY, API_SECRET, API_PASSPHRASE } = process.env
const symbol = 'BTC/USDT:USDT'
const clientOrderId = randomUUID().replaceAll('-', '')

const exchange = new ccxt.pro.bitget({ apiKey: API_KEY, secret: API_SECRET, password: API_PASSPHRASE })
for (const [name, address] of Object.entries(exchange.urls.api)) {
  if (typeof address === 'string') exchange.urls.api[name] = VENUE
}
const sockets = VENUE.replace('http', 'ws')
exchange.urls.api.ws = {
  public: `${sockets}/v2/ws/public`,
  private: `${sockets}/v2/ws/private`,
  utaPublic: `${sockets}/v3/ws/public`,
  utaPrivate: `${sockets}/v3/ws/private`,
}
await exchange.loadHttpProxyAgent()
await exchange.loadMarkets()

/** Places the order once, however often it has to be sent. */
async function place() {
  for (;;) {
    try {
      await exchange.createOrder(symbol, 'limit', 'buy', 0.01, 59000, { clientOrderId })
      return
    } catch (error) {
      if (/"(40786|25212)"/.test(error.message)) return // it was placed: the second is what v3Dialect `live` says
      if (!(error instanceof ccxt.NetworkError)) throw error
      console.log('no answer: sent again')
      await sleep(200)
    }
  }
}

let status = ''

/** What the venue says about the order, by push or by answer; said once for each status. True: it has ended. */
function told(order) {
  const words = order.status === 'closed' ? 'filled' : order.status
  if (order.clientOrderId === clientOrderId && words !== status) {
    status = words
    console.log(`${status} ${order.filled} of ${order.amount}`)
  }
  return status === 'filled' || status === 'canceled'
}

// A socket that closes while ccxt subscribes leaves this error to nobody; the loop below begins anew in any case.
process.on('unhandledRejection', (error) => {
  if (!/WebSocket is not open/.test(error?.message)) throw error
  console.log('connection lost')
})

let placed = false
let over = false
while (!over) {
  const pushed = exchange.watchOrders(symbol).catch((error) => error) // connects, logs in and subscribes by itself
  try {
    if (!placed) await place()
    placed = true
    over = told(await exchange.fetchOrder('', symbol, { clientOrderId }))
  } catch (error) {
    if (!(error instanceof ccxt.NetworkError)) throw error
  }
  if (over) break
  console.log('following')
  // Quiet for five seconds: the order is asked for again, as a push may have gone before the socket was ready.
  const orders = await Promise.race([pushed, sleep(5000, [])])
  if (Array.isArray(orders)) over = orders.some(told)
  else {
    if (!(orders instanceof ccxt.NetworkError)) throw orders
    console.log('connection lost')
    await sleep(200)
  }
}
await exchange.close()
