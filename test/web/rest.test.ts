/**
 * What the terminal does with a call that came too soon: the venue carried nothing out, so the same is sent once more when
 * the window of a second is over. Nothing else is ever sent twice.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Caller, type VenueError } from '../../web/venue/rest.ts'

interface Sent {
  readonly at: number
  readonly target: string
  readonly request: RequestInit
}

let sent: Sent[]

/** A venue that answers with these codes, one after the other; `network`: that cannot be reached. */
function answering(...codes: string[]): void {
  vi.stubGlobal('fetch', async (target: string, request: RequestInit) => {
    const code = codes[sent.length] ?? '00000'
    sent.push({ at: Date.now(), target, request })
    if (code === 'network') throw new TypeError('fetch failed')
    return Response.json({ code, msg: code, requestTime: Date.now(), data: 'done' })
  })
}

const body = { symbol: 'BTCUSDT' }
const calls = {
  get: (caller: Caller) => caller.get('/api/v2/any', body),
  post: (caller: Caller) => caller.post('/api/v2/any', body),
}

/** What became of one call. */
async function outcome(call: (caller: Caller) => Promise<unknown>): Promise<unknown> {
  const caller = await Caller.open({ apiKey: 'key', secret: 'secret', passphrase: 'pass' })
  return call(caller).catch((error: VenueError) => error.code)
}

beforeEach(() => {
  sent = []
})

afterEach(() => {
  vi.unstubAllGlobals()
})

describe.each(['get', 'post'] as const)('%s', (method) => {
  test('what came too soon is sent once more, later than a second, and signed for then', async () => {
    answering('429')
    expect(await outcome(calls[method])).toBe('done')
    const [first, second] = sent as [Sent, Sent]
    expect(sent).toHaveLength(2)
    expect(second.at - first.at).toBeGreaterThan(1_000)
    expect(second.target).toBe(first.target)
    expect(second.request.body).toBe(first.request.body)
    const stamps = sent.map(({ request }) => (request.headers as Record<string, string>)['ACCESS-TIMESTAMP'])
    expect(Number(stamps[1]) - Number(stamps[0])).toBeGreaterThan(1_000)
  })

  test('not a third time', async () => {
    answering('429', '429')
    expect(await outcome(calls[method])).toBe('429')
    expect(sent).toHaveLength(2)
  })

  test.each(['40010', '45001', '40762', 'network'])('an answer of %s is told, and nothing sent again', async (code) => {
    answering(code)
    expect(await outcome(calls[method])).toBe(code)
    expect(sent).toHaveLength(1)
  })
})
