/**
 * A way to a venue on which orders meet trouble: an HTTP port that passes requests on, and takes the trouble from the order's own name.
 *
 * Name    `TROUBLE-TIMES-anything` as clientOid: so many requests of one path with that name meet it, and the later ones pass
 * Late    what arrives late is waited for by `settled()`
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const lateMs = 700

/** What the client gets in the end; nothing: its connection ends. */
type Given = { readonly status: number; readonly body: string } | undefined
type PassOn = () => Promise<{ readonly status: number; readonly body: string }>

const html = '<html><body>Bad Gateway</body></html>'
const said = (status: number, code: string): Given => {
  return { status, body: JSON.stringify({ code, msg: 'trouble', requestTime: 0, data: null }) }
}

/** Each with what it does, and when. */
export const troubles = {
  'lost-request': async () => undefined,
  'lost-answer': async (passOn) => void (await passOn()),
  'late-request': async (passOn) => (later(passOn), undefined),
  '40010-done': async (passOn) => (await passOn(), said(500, '40010')),
  '40010-late': async (passOn) => (later(passOn), said(500, '40010')),
  '40010-not-done': async () => said(500, '40010'),
  '40725-done': async (passOn) => (await passOn(), said(500, '40725')),
  '45001-not-done': async () => said(500, '45001'),
  '40015': async () => said(503, '40015'),
  '429': async () => said(429, '429'),
  '502-done': async (passOn) => (await passOn(), { status: 502, body: html }),
  '503-empty': async () => ({ status: 503, body: '' }),
  '504-not-done': async () => ({ status: 504, body: '{"message": "Endpoint request timed out"}' }),
  'cut-off': async (passOn) => ({ status: 200, body: (await passOn()).body.slice(0, 30) }),
} as const satisfies Readonly<Record<string, (passOn: PassOn) => Promise<Given>>>

export type Trouble = keyof typeof troubles

const late = new Set<Promise<unknown>>()

function later(passOn: PassOn): void {
  late.add(sleep(lateMs).then(passOn))
}

export class Troubled {
  readonly #server: Server
  readonly #venue: string
  readonly #met = new Map<string, number>()

  private constructor(venue: string) {
    this.#venue = venue
    this.#server = createServer((asked, reply) => void this.#answer(asked, reply))
  }

  static async from(venue: string): Promise<Troubled> {
    const troubled = new Troubled(venue)
    troubled.#server.listen(0, '127.0.0.1')
    await once(troubled.#server, 'listening')
    return troubled
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** How often trouble was met, by the names of orders. */
  met(clientOid: string): number {
    return [...this.#met].filter(([key]) => key.endsWith(` ${clientOid}`)).reduce((sum, [, times]) => sum + times, 0)
  }

  /** When everything that was late has arrived. */
  async settled(): Promise<void> {
    await Promise.all(late)
    late.clear()
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #answer(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await text(asked)
    const headers = Object.entries(asked.headers).filter(([name]) => /^(access-|content-type)/i.test(name)) as [
      string,
      string,
    ][]
    const passOn = async () => {
      const answer = await fetch(this.#venue + asked.url, {
        method: asked.method ?? 'GET',
        headers,
        body: body || null,
      })
      return { status: answer.status, body: await answer.text() }
    }
    const trouble = this.#troubleOf(asked, body)
    const given = trouble === undefined ? await passOn() : await troubles[trouble](passOn)
    if (given === undefined) return void reply.destroy()
    reply.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body)
  }

  #troubleOf({ method, url }: IncomingMessage, body: string): Trouble | undefined {
    const { clientOid = '' } = method === 'POST' ? (JSON.parse(body) as { readonly clientOid?: string }) : {}
    const [, trouble, times] = /^(.+)-(\d)-\w+$/.exec(clientOid) ?? []
    if (trouble === undefined || !(trouble in troubles)) return undefined
    const key = `${url} ${clientOid}`
    const met = this.#met.get(key) ?? 0
    if (met >= Number(times)) return undefined
    this.#met.set(key, met + 1)
    return trouble as Trouble
  }
}
