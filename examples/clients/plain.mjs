/**
 * Places one order and follows it to its end, in JavaScript with nothing but Node: 22 or later, or 20 with
 * `--experimental-websocket`.
 *
 *   VENUE=http://127.0.0.1:8080 API_KEY=… API_SECRET=… API_PASSPHRASE=… node plain.mjs
 *
 * No answer    the order is sent again under its client order id: it can exist but once
 * No socket    a new one is opened, and what was missed is asked for by the client order id
 */
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const { VENUE = 'http://127.0.0.1:8080', API_KEY = '', API_SECRET = '', API_PASSPHRASE = '' } = process.env
const order = {
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  timeInForce: 'gtc',
  qty: '0.01',
  price: '59000',
  clientOid: randomUUID().replaceAll('-', ''),
}
const duplicate = ['40786', '25212'] // the second is what v3Dialect `live` says

const sign = (text) => createHmac('sha256', API_SECRET).update(text).digest('base64')

/** One signed request; throws an error with the venue's code, or without one if there is no answer. */
async function call(method, target, body) {
  const text = body === undefined ? '' : JSON.stringify(body)
  const timestamp = String(Date.now())
  const response = await fetch(VENUE + target, {
    method,
    ...(body === undefined ? {} : { body: text }),
    headers: {
      'ACCESS-KEY': API_KEY,
      'ACCESS-SIGN': sign(timestamp + method + target + text),
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-PASSPHRASE': API_PASSPHRASE,
      'Content-Type': 'application/json',
    },
  })
  const { code, msg, data } = await response.json()
  if (code !== '00000') throw Object.assign(new Error(`${code} ${msg}`), { code })
  return data
}

/** Places the order once, however often it has to be sent. */
async function place() {
  for (;;) {
    try {
      await call('POST', '/api/v3/trade/place-order', order)
      return
    } catch (error) {
      if (duplicate.includes(error.code)) return
      if (error.code !== undefined) throw error
      console.log('no answer: sent again')
      await sleep(200)
    }
  }
}

/** A socket that has logged in and follows the account's orders; `hear` gets each of them. */
function follow(hear) {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${VENUE.replace('http', 'ws')}/v3/ws/private`)
    const ping = setInterval(() => socket.send('ping'), 20_000)
    const ended = new Promise((over) => {
      socket.onclose = socket.onerror = () => {
        clearInterval(ping)
        over()
        resolve(undefined) // if it never opened
      }
    })
    socket.onopen = () => {
      const timestamp = String(Math.floor(Date.now() / 1000))
      const args = [
        { apiKey: API_KEY, passphrase: API_PASSPHRASE, timestamp, sign: sign(`${timestamp}GET/user/verify`) },
      ]
      socket.send(JSON.stringify({ op: 'login', args }))
    }
    socket.onmessage = ({ data }) => {
      if (data === 'pong') return
      const message = JSON.parse(data)
      if (message.event === 'error') throw new Error(`${message.code} ${message.msg}`)
      if (message.event === 'login') {
        socket.send(JSON.stringify({ op: 'subscribe', args: [{ instType: 'UTA', topic: 'order' }] }))
      }
      if (message.event === 'subscribe') resolve({ ended, close: () => socket.close() })
      if (message.action !== undefined) message.data.forEach(hear)
    }
  })
}

let status = ''
let over = false
let finish
const finished = new Promise((resolve) => {
  finish = resolve
})

/** What the venue says about the order, by push or by answer; said once for each status. */
function told(found) {
  if (found.clientOid !== order.clientOid || found.orderStatus === status) return
  status = found.orderStatus
  console.log(`${status} ${found.cumExecQty} of ${found.qty}`)
  if (['filled', 'cancelled', 'canceled', 'rejected'].includes(status)) {
    over = true
    finish()
  }
}

let placed = false
while (!over) {
  const socket = await follow(told)
  if (socket === undefined) {
    await sleep(200)
    continue
  }
  try {
    if (!placed) await place()
    placed = true
    told(await call('GET', `/api/v3/trade/order-info?clientOid=${order.clientOid}`))
    if (!over) console.log('following')
  } catch (error) {
    if (error.code !== undefined) throw error
    socket.close() // no answer: begin again
  }
  await Promise.race([socket.ended, finished])
  if (!over) console.log('connection lost')
  socket.close()
}
