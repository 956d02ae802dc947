/**
 * The grammar fuzz: every endpoint of the table in turn, asked rightly, wrongly and absurdly, by every role; what must hold
 * is looked at after each request.
 *
 * Holds      an envelope and nothing else, as its endpoint documents it · no 5xx · nothing of the program's insides in an
 *            answer · a refusal emits no event and, where it is looked at, leaves the state's fingerprint · nothing
 *            unhandled, nothing reported as trouble
 * Time       of the thread's processor, so that others on the machine do not count; the worst input is reported
 * Repeats    one seed, one run: everything comes from it, on a clock that stands still
 */
import { type Endpoint, endpoints } from '../../src/api/api.ts'
import type { ApiKey } from '../../src/api/keys/keys.ts'
import { demoAccounts } from '../../src/operator/demo/accounts.ts'
import { Random } from '../../src/simulator/random.ts'
import { undocumented } from '../support/documented.ts'
import type { Answer } from '../support/http.ts'
import { Grammar, type Json } from './grammar.ts'
import type { House, Sent } from './house.ts'
import { encoded, Mutations } from './mutations.ts'

export interface FuzzFigures {
  requests: number
  /** Requests by what became of them: `00000`, or the code of the refusal. */
  readonly codes: Map<string, number>
  /** Refusals before and after which the whole state was compared. */
  compared: number
  /** Endpoints that answered success at least once. */
  readonly succeeded: Set<Endpoint>
  /** Processor time of the slowest request, and what it was. */
  worst: { readonly ms: number; readonly what: string }
}

interface FuzzOptions {
  /** Share of requests around which the whole state is compared. */
  readonly compareShare?: number
  /** In place of the house's own: the same request by another way. */
  readonly send?: (sent: Sent) => Promise<Answer>
}

/** A request after which something that must hold did not. */
export class Broken extends Error {
  override name = 'Broken'
  constructor(what: string, sent: Sent, answer: Answer | undefined, number: number) {
    const body = sent.body?.toString('latin1').slice(0, 1_500) ?? ''
    super(
      `request ${number}: ${what}\n${sent.method} ${sent.target.slice(0, 1_500)}\n${JSON.stringify(sent.headers).slice(0, 1_500)}\n${body}\n` +
        `answered ${answer?.status} ${answer?.text.slice(0, 1_500)}`,
    )
  }
}

/** Nothing of the program's insides: stacks, paths of files, names of what it is made of. */
const insides =
  /\n\s+at |node:internal|node_modules|\/src\/|\.ts:\d|file:\/\/|\bTypeError\b|\bRangeError\b|\bSyntaxError\b|SQLITE|ENOENT|\bbigint\b/i

const slowMs = 20

export class Fuzz {
  readonly figures: FuzzFigures = {
    requests: 0,
    codes: new Map(),
    compared: 0,
    succeeded: new Set(),
    worst: { ms: 0, what: '' },
  }
  readonly #house: House
  readonly #random: Random
  readonly #grammar: Grammar
  readonly #mutations: Mutations
  readonly #keys: readonly ApiKey[]
  /** Keys that v3 serves. */
  readonly #unifiedKeys: readonly ApiKey[]
  readonly #compareShare: number
  readonly #send: (sent: Sent) => Promise<Answer>
  #key: ApiKey
  /** Who asks. */
  #uid = 0

  constructor(house: House, seed: number, { compareShare = 0.01, send }: FuzzOptions = {}) {
    this.#house = house
    this.#send = send ?? ((sent) => house.send(sent))
    this.#random = new Random(seed)
    this.#grammar = new Grammar(this.#random.for('grammar'), house.runtime.query({ kind: 'catalog' }), () =>
      house.runtime.now(),
    )
    this.#mutations = new Mutations(this.#random.for('mutations'))
    this.#keys = demoAccounts.map(({ role }) => house.demoKey(role))
    this.#unifiedKeys = demoAccounts.flatMap(({ role, mode }) => (mode === 'classic' ? [] : [house.demoKey(role)]))
    this.#key = this.#unifiedKeys[0]!
    this.#compareShare = compareShare
    for (const { uid } of this.#keys)
      for (const other of this.#keys) this.#grammar.learn({ uid: String(other.uid) }, uid)
  }

  /** One request; throws Broken. */
  async step(): Promise<void> {
    const { figures } = this
    const endpoint = endpoints[figures.requests % endpoints.length]
    const sent = this.#draw(endpoint)
    figures.requests += 1
    const compare = this.#random.happens(this.#compareShare)
    const stateBefore = compare ? this.#house.fingerprint() : ''
    const { events } = this.#house
    const startedAt = process.threadCpuUsage()
    const answer = await this.#send(sent)
    const spent = process.threadCpuUsage(startedAt)
    await this.#noteTime((spent.user + spent.system) / 1_000, sent)
    this.#check(sent, answer, this.#house.events - events)
    if (compare && answer.code !== '00000') {
      figures.compared += 1
      if (this.#house.fingerprint() !== stateBefore) throw this.#broken('a refusal changed the state', sent, answer)
    }
    if (answer.code === '00000') {
      figures.succeeded.add(endpoint)
      this.#grammar.learn(answer.data, this.#uid)
    }
  }

  #broken(what: string, sent: Sent, answer?: Answer): Broken {
    return new Broken(what, sent, answer, this.figures.requests)
  }

  #draw(endpoint: Endpoint): Sent {
    const { method } = endpoint
    // The same account for a while, so that what it opens can be changed and cancelled.
    if (this.#random.happens(0.04)) this.#key = this.#mutations.pick(this.#keys)
    const served = !endpoint.path.startsWith('/api/v3/') || this.#unifiedKeys.includes(this.#key)
    const key = served || this.#random.happens(0.1) ? this.#key : this.#mutations.pick(this.#unifiedKeys)
    this.#uid = key.uid
    const value = this.#grammar.request(endpoint, key.uid)
    const kind = this.#random.share()
    const wrong = kind >= 0.3
    const path = kind > 0.98 ? this.#mutations.path(endpoint.path) : endpoint.path
    let sent: Sent
    if (method === 'GET') {
      const query = wrong ? this.#mutations.query(fieldsOf(value)) : queryOf(fieldsOf(value))
      const target = query === '' ? path : `${path}?${query}`
      sent = this.#house.signed(key, method, target, kind > 0.97 ? this.#mutations.body(value) : undefined)
    } else {
      const query = kind > 0.96 ? `?${this.#mutations.query(fieldsOf(value))}` : ''
      const body = wrong ? this.#mutations.body(value) : JSON.stringify(value)
      sent = this.#house.signed(key, kind > 0.995 ? 'PUT' : method, path + query, body)
    }
    return kind > 0.93 ? { ...sent, headers: this.#mutations.headers(sent.headers) } : sent
  }

  #check(sent: Sent, answer: Answer, emitted: number): void {
    const { status, code, envelope, text } = answer
    this.figures.codes.set(String(code), (this.figures.codes.get(String(code)) ?? 0) + 1)
    const members = Object.keys(envelope ?? {})
      .sort()
      .join(' ')
    if (members !== 'code data msg requestTime') throw this.#broken('no envelope', sent, answer)
    if (status >= 500 || ![200, 400, 404, 405, 413, 414].includes(status)) throw this.#broken('a status', sent, answer)
    if ((status === 200) !== (code === '00000')) throw this.#broken('status and code differ', sent, answer)
    if (insides.test(text) || insides.test(JSON.stringify(answer.headers))) throw this.#broken('insides', sent, answer)
    const fault = undocumented(sent.method, sent.target, answer)
    if (fault !== undefined) throw this.#broken(`not as documented: ${fault}`, sent, answer)
    if (status !== 200 && emitted > 0) throw this.#broken(`a refusal emitted ${emitted} events`, sent, answer)
    if (status !== 200 && answer.msg === '') throw this.#broken('a refusal without a sentence', sent, answer)
    if (this.#house.trouble.length > 0) {
      const [first] = this.#house.trouble
      throw this.#broken(`trouble: ${first instanceof Error ? first.stack : String(first)}`, sent, answer)
    }
  }

  /** What seems slow is asked again, since a garbage collection may have come in between. */
  async #noteTime(firstMs: number, sent: Sent): Promise<void> {
    let ms = firstMs
    for (let again = 0; again < 3 && ms > slowMs && sent.method === 'GET'; again++) {
      const startedAt = process.threadCpuUsage()
      await this.#send(sent)
      const spent = process.threadCpuUsage(startedAt)
      ms = Math.min(ms, (spent.user + spent.system) / 1_000)
    }
    if (ms <= this.figures.worst.ms) return
    const body =
      sent.body === undefined ? '' : ` with ${sent.body.length} bytes, ${sent.body.toString('latin1').slice(0, 120)}`
    this.figures.worst = { ms, what: `${sent.method} ${sent.target.slice(0, 200)}${body}` }
  }
}

function fieldsOf(value: Json): Readonly<Record<string, Json>> {
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === 'object' && first !== null ? (first as Readonly<Record<string, Json>>) : {}
}

function queryOf(fields: Readonly<Record<string, Json>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join('&')
}
