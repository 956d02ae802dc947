/**
 * Calls to a venue over HTTP: those of its laboratory, and signed ones of its interface.
 *
 * Captured  request and clock are those of the moment of the import, and neither asks a global for the time. `fetch` would wait for
 *           the timers of a test that has made them fake
 * Errors    whatever goes wrong is a LabError
 */
import { createHmac } from 'node:crypto'
import { Agent, type IncomingMessage, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { buffer as bytesOf } from 'node:stream/consumers'

const { now: systemNow } = Date
const agents = { 'http:': new Agent({ keepAlive: true }), 'https:': new SecureAgent({ keepAlive: true }) } as const

/** What a venue or its laboratory refused, or why it could not be asked. */
export class LabError extends Error {
  override name = 'LabError'
  /** Such as `unknown-snapshot`, or the code of the interface. */
  readonly code: string
  /** Which field of the call is wrong. */
  readonly field: string | undefined
  /** Of the answer; 0: there was none. */
  readonly status: number
  /** All that the error said: `until-not-reached` says `now`. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(status: number, error: { readonly code: string; readonly message: string } & Record<string, unknown>) {
    super(error.message, { cause: error['cause'] })
    this.status = status
    this.code = error.code
    this.field = typeof error['field'] === 'string' ? error['field'] : undefined
    this.facts = error
  }
}

/** One that speaks for an account. */
export interface Key {
  readonly uid: string
  readonly apiKey: string
  readonly secret: string
  readonly passphrase: string
}

/** A laboratory's port, and what opens it. */
export class Calls {
  readonly url: string
  readonly token: string | undefined

  constructor(url: string, token: string | undefined) {
    this.url = url
    this.token = token
  }

  /** A call below /_lab; answers its data. */
  async lab<Data = unknown>(method: string, path: string, body?: object): Promise<Data> {
    const sent = body === undefined ? '' : JSON.stringify(body)
    const { status, text } = await this.#send(method, `/_lab${path}`, sent, this.#lab, true)
    // An envelope, or lines of JSON.
    const lines = text.split('\n').filter((line) => line !== '')
    const whole = parsed(text)
    if (isRecord(whole) && whole['ok'] === true) return whole['data'] as Data
    if (isRecord(whole) && isRecord(whole['error']))
      throw new LabError(status, whole['error'] as { code: string; message: string })
    if (status === 200) return lines.map(parsed) as Data
    if (status === 404)
      throw new LabError(404, {
        code: 'no-laboratory',
        message: `${this.url} has no laboratory: start it with tidemark dev`,
      })
    throw new LabError(status, {
      code: 'answer-wrong',
      message: `${method} /_lab${path} was answered ${status}: ${text.slice(0, 200)}`,
    })
  }

  /** A file below /_lab. */
  async file(path: string): Promise<Buffer> {
    const { status, bytes } = await this.#receive('GET', `/_lab${path}`, '', this.#lab)
    if (status === 200) return bytes
    const answer = parsed(bytes.toString())
    const known = isRecord(answer) && isRecord(answer['error']) ? answer['error'] : undefined
    const message = `GET /_lab${path} was answered ${status}`
    throw new LabError(status, (known ?? { code: 'answer-wrong', message }) as { code: string; message: string })
  }

  /** A signed call of the interface; answers its data. */
  async signed<Data = unknown>(key: Key, method: string, target: string, body = ''): Promise<Data> {
    const timestamp = String(systemNow())
    const sign = createHmac('sha256', key.secret).update(timestamp + method + target + body)
    const { status, text } = await this.#send(method, target, body, {
      'ACCESS-KEY': key.apiKey,
      'ACCESS-SIGN': sign.digest('base64'),
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-PASSPHRASE': key.passphrase,
    })
    const answer = parsed(text)
    if (isRecord(answer) && answer['code'] === '00000') return answer['data'] as Data
    const [code, message] = isRecord(answer)
      ? [String(answer['code']), String(answer['msg'])]
      : ['answer-wrong', text.slice(0, 200)]
    throw new LabError(status, { code, message: `${method} ${target}: ${code} ${message}` })
  }

  /** Headers of calls of the laboratory. */
  get #lab(): Readonly<Record<string, string>> {
    return this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }
  }

  async #send(
    method: string,
    target: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    isRepeated?: boolean,
  ) {
    const { status, bytes } = await this.#receive(method, target, body, headers, isRepeated)
    return { status, text: bytes.toString() }
  }

  /** `isRepeated`: on a connection that turns out to be closed it is sent once more. What is lost of an order is not. */
  async #receive(
    method: string,
    target: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    isRepeated = method === 'GET',
  ) {
    try {
      const answer = await exchange(new URL(`${this.url}${target}`), { method, headers, body, isRepeated })
      return { status: answer.statusCode ?? 0, bytes: await bytesOf(answer) }
    } catch (cause) {
      throw new LabError(0, { code: 'unreachable', message: `there is no answer from ${this.url}`, cause })
    }
  }
}

interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isRepeated: boolean
}

/** A connection that the other side had closed before this was sent gives way to a new one. */
function exchange(url: URL, sent: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, headers, body, isRepeated } = sent
    const typed = body === '' ? headers : { 'content-type': 'application/json', ...headers }
    const isSecure = url.protocol === 'https:'
    const options = { method, headers: typed, agent: agents[isSecure ? 'https:' : 'http:'] }
    const request = (isSecure ? secureRequest : plainRequest)(url, options, resolve)
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (isRepeated && request.reusedSocket && error.code === 'ECONNRESET') resolve(exchange(url, sent))
      else reject(error)
    })
    request.end(body)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
