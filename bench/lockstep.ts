/**
 * Backtests in lockstep: a bot over HTTP that decides once a second of the venue's time: it reads the book, places an order that
 * rests far away, cancels it, and says that it is idle.
 *
 * Market    synthetic: a book of 40 levels, a change of four of them and half a trade each second
 * Client    in this process, over one connection, so that its own work counts; the venue is a process beside it
 * Options   `--minutes=N` of the venue's time (10)
 */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importTape } from '../src/tape/tape.ts'
import { spawnChild } from './child.ts'
import { connected, isWhole } from './http/requests.ts'
import { report, rounded } from './measure.ts'

const minutes = Number(process.argv.find((word) => word.startsWith('--minutes='))?.slice(10) ?? 10)
/** Microseconds. */
const begin = 1_704_067_200_000_000
const directory = mkdtempSync(join(tmpdir(), 'tidemark-bench-lockstep-'))
try {
  const market = join(directory, 'day.tmk')
  await importTape({ files: csvFiles(), out: market, symbol: 'BTCUSDT' })
  const cli = new URL('../src/cli/cli.ts', import.meta.url).pathname
  const venue = spawnChild(
    [cli, 'dev', '--market', market, '--lockstep', '--port', '0', '--no-rate-limits', '--json'],
    {
      environment: { TIDEMARK_LOG_LEVEL: 'silent' },
    },
  )
  const [line] = (await once(venue.stdout!, 'data')) as [Buffer]
  const { url } = (JSON.parse(line.toString().split('\n')[0]) as { ready: { url: string } }).ready
  await decide(Number(new URL(url).port))
  venue.kill('SIGTERM')
  await once(venue, 'exit')
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** Two files: levels and trades. */
function csvFiles(): readonly [string, string] {
  const levels = ['exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount']
  const trades = ['exchange,symbol,timestamp,local_timestamp,id,side,price,amount']
  const level = (at: number, place: number, size: number, isSnapshot: boolean) => {
    const [side, distance] = place % 2 === 0 ? ['bid', -1 - place / 2] : ['ask', (place + 1) / 2]
    levels.push(`x,BTCUSDT,${at},${at},${isSnapshot},${side},${((600_000 + Number(distance)) / 10).toFixed(1)},${size}`)
  }
  for (let place = 0; place < 40; place++) level(begin, place, 5, true)
  for (let second = 1; second <= minutes * 60; second++) {
    const at = begin + second * 1_000_000
    for (let change = 0; change < 4; change++) level(at, (second * 7 + change * 11) % 40, 4 + (second % 3), false)
    if (second % 2 === 0) trades.push(`x,BTCUSDT,${at + 300_000},${at + 300_000},${second},buy,60000.1,0.1`)
  }
  const files = [join(directory, 'levels.csv'), join(directory, 'trades.csv')] as const
  writeFileSync(files[0], `${levels.join('\n')}\n`)
  writeFileSync(files[1], `${trades.join('\n')}\n`)
  return files
}

async function decide(port: number): Promise<void> {
  const socket = await connected(port)
  let [asked, now] = [0, 0]
  let heard: ((text: string) => void) | undefined
  let received = ''
  socket.on('data', (chunk: string) => {
    received += chunk
    if (!isWhole(received)) return
    const answer = received.slice(received.indexOf('\r\n\r\n') + 4)
    received = ''
    heard?.(answer)
  })
  const ask = async (method: string, target: string, body?: object) => {
    const sent = body === undefined ? '' : JSON.stringify(body)
    const sign = createHmac('sha256', 'tidemark').update(`${now}${method}${target}${sent}`).digest('base64')
    const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(sent)}\r\nACCESS-KEY: dev-unified-main\r\nACCESS-SIGN: ${sign}\r\nACCESS-TIMESTAMP: ${now}\r\nACCESS-PASSPHRASE: tidemark\r\n\r\n`
    const answered = new Promise<string>((resolve) => (heard = resolve))
    socket.write(head + sent)
    asked++
    return JSON.parse(await answered) as { data: Record<string, string> & { now: number; reason: string } }
  }
  const named = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
  const order = { ...named, side: 'buy', orderType: 'limit', timeInForce: 'gtc', price: '59000', qty: '0.01' }
  const place = async () => (await ask('POST', '/api/v3/trade/place-order', order)).data['orderId']
  ;({ now } = (await ask('POST', '/_lab/clients', { name: 'bench' })).data)
  const from = now
  let startedMs = performance.now()
  for (let reason = 'until'; reason !== 'end'; ) {
    await ask('GET', '/api/v3/market/orderbook?category=USDT-FUTURES&symbol=BTCUSDT&limit=5')
    await ask('POST', '/api/v3/trade/cancel-order', { orderId: await place() })
    ;({ now, reason } = (await ask('POST', '/_lab/idle', { until: '1s' })).data)
  }
  const seconds = (performance.now() - startedMs) / 1_000
  report({
    bench: 'lockstep',
    case: 'a decision a second of four requests',
    count: asked,
    figures: {
      requestsPerSecond: rounded(asked / seconds),
      timesRealTime: rounded((now - from) / 1_000 / seconds),
    },
  })
  startedMs = performance.now()
  const reads = 5_000
  for (let read = 0; read < reads; read++) await ask('POST', '/api/v3/trade/cancel-order', { orderId: await place() })
  const rate = (2 * reads) / ((performance.now() - startedMs) / 1_000)
  report({
    bench: 'lockstep',
    case: 'orders and cancels between',
    count: 2 * reads,
    figures: { requestsPerSecond: rounded(rate) },
  })
  socket.destroy()
}
