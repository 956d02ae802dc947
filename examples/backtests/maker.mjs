/**
 * A backtest: a small maker that rests on both sides of the book, decides once a second, and says when it has nothing more to do.
 * Plain Node 18 or later, no packages. `BACKTEST_URL` is where `tidemark dev --market day.tmk --lockstep` listens.
 */
import { createHmac } from 'node:crypto'

const url = process.env.BACKTEST_URL ?? 'http://127.0.0.1:8080'
const key = { apiKey: 'dev-unified-main', secret: 'tidemark', passphrase: 'tidemark' }
const category = 'USDT-FUTURES'
const symbol = process.env.BACKTEST_SYMBOL ?? 'BTCUSDT'
const size = 0.01
const most = 0.05

let now = 0

async function lab(method, path, body) {
  const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await fetch(`${url}/_lab${path}`, { method, ...sent }).catch(() => {
    console.error(
      `nobody answers at ${url}: start tidemark dev --market FILE --lockstep, or say where it is by BACKTEST_URL`,
    )
    process.exit(1)
  })
  const { ok, data, error } = await answer.json()
  if (!ok) throw new Error(error.message)
  return data
}

/** Signed with the venue's time, which the last answer to idle told. */
async function ask(method, path, body) {
  const [sent, timestamp] = [body === undefined ? '' : JSON.stringify(body), String(now)]
  const sign = createHmac('sha256', key.secret)
    .update(timestamp + method + path + sent)
    .digest('base64')
  const headers = {
    'content-type': 'application/json',
    'ACCESS-KEY': key.apiKey,
    'ACCESS-SIGN': sign,
    'ACCESS-TIMESTAMP': timestamp,
    'ACCESS-PASSPHRASE': key.passphrase,
  }
  const answer = await fetch(url + path, { method, headers, ...(sent !== '' && { body: sent }) })
  return answer.json()
}

async function decide() {
  const { data: book } = await ask('GET', `/api/v3/market/orderbook?category=${category}&symbol=${symbol}&limit=1`)
  const { data } = await ask('GET', `/api/v3/position/current-position?category=${category}&symbol=${symbol}`)
  const held = (data?.list ?? []).reduce((sum, { posSide, total }) => sum + (posSide === 'short' ? -total : +total), 0)
  await ask('POST', '/api/v3/trade/cancel-symbol-order', { category, symbol })
  const terms = { category, symbol, qty: String(size), orderType: 'limit', timeInForce: 'post_only' }
  const rest = (side, price) => ask('POST', '/api/v3/trade/place-order', { ...terms, side, price })
  if (held < most && book.b.length > 0) await rest('buy', book.b[0][0])
  if (held > -most && book.a.length > 0) await rest('sell', book.a[0][0])
}

;({ now } = await lab('POST', '/clients', { name: 'maker' }))
for (let reason = 'until'; reason !== 'end'; ) {
  await decide()
  ;({ now, reason } = await lab('POST', '/idle', { until: '1s' }))
}
await ask('POST', '/api/v3/trade/cancel-symbol-order', { category, symbol })
const { accounts } = await lab('GET', '/results')
for (const { role, profit, drawdown, fills, makerShare } of accounts) {
  console.log(`${role}: profit ${profit} USDT, drawdown ${drawdown}, ${fills} fills, ${makerShare ?? 0} of it as maker`)
}
await lab('DELETE', '/clients/maker')
