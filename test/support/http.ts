/**
 * One HTTP exchange with a venue, with nothing done behind the caller's back: the target, headers and body go out as
 * given, and every answer comes back whole, whatever its status. A code that the reference does not list for a call fails.
 */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { Agent as SecureAgent, request as requestSecurely } from 'node:https'
import { expectListed } from './listed-codes.ts'

export interface Exchange {
  readonly method: string
  /** Path and query exactly as they stand on the request line. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string | Buffer | undefined
}

/** One JSON object of an answer; nearly every field of the interface is a string. */
export interface Fields {
  readonly [field: string]: string
}

/** An answer of the venue: the envelope, and what stood around it. */
export class Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The envelope's members; absent when the answer is no JSON object. */
  readonly code: string | undefined
  readonly msg: string | undefined
  readonly requestTime: number | undefined
  readonly data: unknown
  readonly envelope: Readonly<Record<string, unknown>> | undefined

  constructor(status: number, headers: IncomingHttpHeaders, text: string) {
    this.status = status
    this.headers = headers
    this.text = text
    this.envelope = objectFrom(text)
    this.code = this.envelope?.['code'] as string | undefined
    this.msg = this.envelope?.['msg'] as string | undefined
    this.requestTime = this.envelope?.['requestTime'] as number | undefined
    this.data = this.envelope?.['data']
  }

  /** `data` as one object. */
  get fields(): Fields {
    return this.data as Fields
  }

  /** `data`, or one of its members, as a list of objects. */
  list(member?: string): Fields[] {
    const found = member === undefined ? this.data : (this.data as Record<string, unknown>)[member]
    return (found ?? []) as Fields[]
  }
}

export class Connection {
  readonly #agent: Agent
  readonly base: URL

  /** Of an https base, the certificate that it shows (PEM). */
  constructor(base: string, ca?: string) {
    this.base = new URL(base)
    const options = { keepAlive: true, maxSockets: 64 }
    this.#agent =
      this.base.protocol === 'https:'
        ? new SecureAgent({ ...options, ...(ca !== undefined && { ca, allowPartialTrustChain: true }) })
        : new Agent(options)
  }

  async exchange(asked: Exchange): Promise<Answer> {
    const answer = await this.#send(asked)
    expectListed(asked.method, asked.target, answer)
    return answer
  }

  #send({ method, target, headers = {}, body }: Exchange): Promise<Answer> {
    const given = Object.entries(headers).filter(([, value]) => value !== undefined)
    return new Promise((resolve, reject) => {
      const sent = (this.base.protocol === 'https:' ? requestSecurely : request)(
        {
          agent: this.#agent,
          host: this.base.hostname,
          port: this.base.port,
          method,
          path: target,
          headers: Object.fromEntries(given) as Record<string, string>,
        },
        (incoming) => {
          const chunks: Buffer[] = []
          const answered = () => {
            const text = Buffer.concat(chunks).toString('utf8')
            resolve(new Answer(incoming.statusCode ?? 0, incoming.headers, text))
          }
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
          incoming.on('end', answered)
          incoming.on('error', answered) // a server that stops reading a huge body may reset after its answer
        },
      )
      sent.on('error', reject)
      if (body !== undefined) {
        sent.setHeader('content-length', Buffer.byteLength(body))
        sent.write(body)
      }
      sent.end()
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function objectFrom(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
