/**
 * The same small strategy as many write it first: what is answered is believed, what is not answered is sent again, and the position is
 * what the pushes of fills add up to. It works well, for as long as everything does. README.md says which hazards it fails.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const env = (name: string) => process.env[name] ?? ''
const url = env('BITGET_API_BASE_URL')
const symbol = (process.env['BOT_SYMBOLS'] ?? 'BTCUSDT').split(',')[0]
const category = 'USDT-FUTURES'
const [target, unit, spread, reach] = [0.02, 0.01, 0.003, 0.002]
const holdMs = 450

let position = 0
const open = new Set<string>()

const sign = (text: string) => createHmac('sha256', env('BITGET_API_SECRET')).update(text).digest('base64')

async function call<Data = unknown>(method: string, path: string, body?: object): Promise<Data> {
  const text = body === undefined ? '' : JSON.stringify(body)
  const timestamp = String(Date.now())
  const response = await fetch(url + path, {
    method,
    ...(body !== undefined && { body: text }),
    headers: {
      'ACCESS-KEY': env('BITGET_API_KEY'),
      'ACCESS-SIGN': sign(timestamp + method + path + text),
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-PASSPHRASE': env('BITGET_API_PASSPHRASE'),
      'Content-Type': 'application/json',
    },
  })
  const { code, msg, data } = (await response.json()) as { code: string; msg: string; data: Data }
  if (code !== '00000') throw new Error(`${code} ${msg}`)
  return data
}

function follow(): void {
  const socket = new WebSocket(env('BITGET_WS_PRIVATE_URL'))
  socket.onopen = () => {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const args = [
      {
        apiKey: env('BITGET_API_KEY'),
        passphrase: env('BITGET_API_PASSPHRASE'),
        timestamp,
        sign: sign(`${timestamp}GET/user/verify`),
      },
    ]
    socket.send(JSON.stringify({ op: 'login', args }))
  }
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data))
    if (message.event === 'login') {
      const args = ['order', 'fill'].map((topic) => ({ instType: 'UTA', topic }))
      socket.send(JSON.stringify({ op: 'subscribe', args }))
    }
    if (message.arg?.topic === 'fill' && message.action !== undefined) {
      for (const { side, execQty } of message.data) position += side === 'buy' ? Number(execQty) : -Number(execQty)
    }
    if (message.arg?.topic === 'order' && message.action !== undefined) {
      for (const { clientOid, orderStatus } of message.data) if (orderStatus !== 'live') open.delete(clientOid)
    }
  }
  socket.onclose = follow
}

interface Wanted {
  readonly side: 'buy' | 'sell'
  readonly size: number
  readonly price: number
  readonly timeInForce: 'gtc' | 'ioc'
}

/** No answer? Once more. */
async function place({ side, size, price, timeInForce }: Wanted): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const clientOid = randomUUID().replaceAll('-', '')
    const order = {
      category,
      symbol,
      side,
      orderType: 'limit',
      timeInForce,
      qty: size.toFixed(4),
      price: price.toFixed(1),
      clientOid,
    }
    try {
      await call('POST', '/api/v3/trade/place-order', order)
      return clientOid
    } catch (error) {
      if (attempt === 5) throw error
    }
  }
}

async function round(): Promise<void> {
  const [{ lastPrice }] = await call<{ lastPrice: string }[]>(
    'GET',
    `/api/v3/market/tickers?category=${category}&symbol=${symbol}`,
  )
  const mid = Number(lastPrice)
  const off = target - position
  if (Math.abs(off) > unit / 10) {
    const side = off > 0 ? 'buy' : 'sell'
    await place({ side, size: Math.abs(off), price: mid * (1 + (off > 0 ? reach : -reach)), timeInForce: 'ioc' })
    await sleep(100)
  }
  for (const side of ['buy', 'sell'] as const) {
    open.add(
      await place({ side, size: unit, price: mid * (1 + (side === 'buy' ? -spread : spread)), timeInForce: 'gtc' }),
    )
  }
  await sleep(holdMs)
  for (const clientOid of open) {
    await call('POST', '/api/v3/trade/cancel-order', { category, symbol, clientOid })
    open.delete(clientOid)
  }
  await place({ side: 'buy', size: unit, price: mid * (1 + reach), timeInForce: 'ioc' })
  await sleep(holdMs)
  await place({ side: 'sell', size: unit, price: mid * (1 - reach), timeInForce: 'ioc' })
  await sleep(100)
}

follow()
await sleep(300)
for (;;) {
  try {
    await round()
  } catch (error) {
    console.error((error as Error).message)
  }
}
