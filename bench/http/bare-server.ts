/**
 * The least that any exchange in Node must do for a signed order or a batch of them: take the request, check its HMAC, parse
 * the JSON, answer JSON. Nothing is decided or logged: what the venue is compared with.
 *
 * Keeps    nothing, or with `BENCH_FILE` what it was sent: synced before the answer, all that waits at once
 * Speaks   prints `ready http://HOST:PORT`; ends with SIGTERM
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { fdatasync, openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const secret = createSecretKey(Buffer.from(process.env['BENCH_SECRET'] ?? '', 'utf8'))
let orderId = 1_000_000_000_000_001

interface Order {
  readonly clientOid?: string
}

function numbered({ clientOid = '' }: Order) {
  return { orderId: String(orderId++), clientOid }
}

const kept = process.env['BENCH_FILE'] === undefined ? undefined : openSync(process.env['BENCH_FILE'], 'w')
let waiting: { readonly body: Buffer; readonly answer: () => void }[] = []
let isSyncing = false

function keep(body: Buffer, answer: () => void): void {
  if (kept === undefined) return answer()
  waiting.push({ body, answer })
  if (!isSyncing) setImmediate(syncAll, kept)
  isSyncing = true
}

function syncAll(file: number): void {
  const batch = waiting
  waiting = []
  writeSync(file, Buffer.concat(batch.map(({ body }) => body)))
  fdatasync(file, (error) => {
    if (error !== null) throw error
    for (const { answer } of batch) answer()
    isSyncing = waiting.length > 0
    if (isSyncing) syncAll(file)
  })
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
    const { headers, method = '', url = '' } = request
    const start = `${String(headers['access-timestamp'])}${method}${url}`
    const expected = createHmac('sha256', secret).update(start).update(body).digest('base64')
    const signature = String(headers['access-sign'])
    const genuine =
      signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
    const asked = JSON.parse(body.toString('utf8')) as Order | readonly Order[]
    const data = asked instanceof Array ? asked.map(numbered) : numbered(asked)
    const answer = { code: genuine ? '00000' : '40009', msg: 'success', requestTime: Date.now(), data }
    const text = JSON.stringify(answer)
    const head = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    }
    keep(body, () => response.writeHead(genuine ? 200 : 400, head).end(text))
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
