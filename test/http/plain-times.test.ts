/** How long a plain connection waits for what: with times of a tenth of a second, in place of half a minute and more. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { plainRequests } from '../../src/http/plain-requests.ts'
import { TurnShare } from '../../src/http/turn-share.ts'

const path = '/api/v3/trade/sample'
const head = `POST ${path} HTTP/1.1\r\ncontent-length: 2\r\n\r\n`
const shortMs = 100
const longMs = 100_000

let server: Server | undefined
let socket: Socket | undefined

afterEach(() => {
  socket?.destroy()
  server?.close()
})

interface Times {
  readonly firstRequestMs: number
  readonly secondPieceMs: number
  readonly nextRequestMs: number
}

/** A client that says this; what becomes of its connection, and after how long. */
async function fateOf(bytes: string, times: Partial<Times>, { answerMs = 0, lateMs = 30_000 } = {}) {
  const { promise: left, resolve: leave } = Promise.withResolvers<string>()
  const take = plainRequests({
    routes: [{ method: 'POST', path }],
    refuse: () => undefined,
    mayWait: () => false,
    share: new TurnShare(),
    answer: async () => {
      await new Promise((resolve) => setTimeout(resolve, answerMs))
      return { httpStatus: 200, headers: {}, body: '{}' }
    },
    requestId: () => 'x',
    isClosing: () => false,
    dateNow: Date.now,
    markLine: '',
    onCutOff: () => {},
    onTrouble: () => {},
    times: { firstRequestMs: longMs, secondPieceMs: longMs, nextRequestMs: longMs, ...times },
  })
  server = createServer({ allowHalfOpen: true }, (accepted) => {
    take(accepted, () => {
      accepted.once('data', (chunk) => leave(`left with ${chunk.toString()}`)).resume()
      // As node:http does.
      accepted.on('timeout', () => accepted.destroy())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket = client
  let heard = ''
  client.on('data', (chunk) => (heard += chunk.toString()))
  const closed = once(client, 'close').then(() => `closed after ${heard.slice(0, 12)}`)
  const beganMs = performance.now()
  client.write(bytes)
  const late = new Promise<string>((resolve) => setTimeout(resolve, lateMs, 'still there').unref())
  return { fate: await Promise.race([left, closed, late]), ms: performance.now() - beganMs }
}

test.each([
  // what it is at              bytes          the time that is short              fate
  ['nothing', '', { firstRequestMs: shortMs }, 'closed after '],
  ['nothing, in time', '', { secondPieceMs: shortMs, nextRequestMs: shortMs }, 'still there'],
  ['a first piece', head, { secondPieceMs: shortMs }, `left with ${head}`],
  ['a first piece, in time', head, { firstRequestMs: shortMs, nextRequestMs: shortMs }, 'still there'],
  ['a next request', `${head}{}`, { nextRequestMs: shortMs }, 'closed after HTTP/1.1 200'],
  ['a next request, in time', `${head}{}`, { firstRequestMs: shortMs, secondPieceMs: shortMs }, 'still there'],
])('a client that is at %s', async (_what, bytes, times, fate) => {
  const seen = await fateOf(bytes, times, fate === 'still there' ? { lateMs: 1_000 } : {})
  expect(seen.fate).toBe(fate)
  expect(seen.ms).toBeGreaterThanOrEqual(shortMs - 5)
})

test('an answer may take longer than the time between requests', async () => {
  const { fate, ms } = await fateOf(`${head}{}`, { nextRequestMs: shortMs }, { answerMs: 3 * shortMs })
  expect(fate).toBe('closed after HTTP/1.1 200')
  expect(ms).toBeGreaterThanOrEqual(4 * shortMs - 10)
})

test('a connection that was handed over has no time of ours', async () => {
  const { fate } = await fateOf(`GET /other HTTP/1.1\r\n\r\n`, { firstRequestMs: shortMs })
  expect(fate).toBe('left with GET /other HTTP/1.1\r\n\r\n')
  await new Promise((resolve) => setTimeout(resolve, 3 * shortMs))
  expect(socket?.destroyed).toBe(false)
  expect(socket?.readyState).toBe('open')
})
