/**
 * The least that any exchange in Node must do for a signed order or a batch of them: take the request, check its HMAC, parse
 * the JSON, answer JSON. Nothing is decided, kept or logged: what the venue is compared with.
 *
 * Speaks   prints `ready http://HOST:PORT`; ends with SIGTERM
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
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
    response.writeHead(genuine ? 200 : 400, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
