/**
 * A laboratory for a test: the real `tidemark dev` in a process of its own, and its venues over HTTP.
 *
 * Venue   speaks under /_lab, and for the demo accounts through the interface, signed with the venue's own time
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Answer, Connection, type Exchange } from '../support/http.ts'
import { type Key, Person } from '../support/person.ts'
import { sooner } from '../support/sooner.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

/** What `/_lab` answers of a venue. */
export interface Shown {
  readonly venue: string
  readonly url: string
  readonly now: number
  readonly sequence: number
  readonly keys: Readonly<Record<string, Key & { readonly uid: string }>>
}

export class Laboratory {
  readonly #child: ChildProcess
  readonly main: LabVenue

  private constructor(child: ChildProcess, main: LabVenue) {
    this.#child = child
    this.main = main
  }

  static async open(...flags: readonly string[]): Promise<Laboratory> {
    const words = [join(checkout, 'bin/tidemark.js'), 'dev', '--port', '0', ...flags]
    const child = spawn(process.execPath, [...sooner, ...words], { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] })
    let errors = ''
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4_000)))
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the laboratory ended with code ${code}\n${errors}`)))
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.startsWith('ready ')) resolve(line.slice('ready '.length))
      })
    })
    return new Laboratory(child, await LabVenue.at(url))
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Answers the exit code. */
  async close(): Promise<number | null> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const [code] = (await exited) as [number | null]
    return code
  }
}

export class LabVenue {
  readonly url: string
  readonly #connection: Connection
  #shown!: Shown

  private constructor(url: string) {
    this.url = url
    this.#connection = new Connection(url)
  }

  static async at(url: string): Promise<LabVenue> {
    const venue = new LabVenue(url)
    venue.#shown = await venue.get<Shown>('')
    return venue
  }

  get id(): string {
    return this.#shown.venue
  }

  /** One call under /_lab, whatever it answers. */
  call(method: string, path: string, body?: unknown, headers: Exchange['headers'] = {}): Promise<Answer> {
    return this.#connection.exchange({
      method,
      target: `/_lab${path}`,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { host: this.#connection.base.host, 'content-type': 'application/json', ...headers },
    })
  }

  get<T>(path: string): Promise<T> {
    return dataOf(this.call('GET', path), path)
  }

  post<T = Record<string, unknown>>(path: string, body: unknown = {}): Promise<T> {
    return dataOf(this.call('POST', path, body), path)
  }

  async fork(snapshot?: string): Promise<LabVenue> {
    const { url } = await this.post<Shown>('/fork', snapshot === undefined ? {} : { snapshot })
    return LabVenue.at(url)
  }

  /** Somebody of the demo venue. Requests are signed with the time `now` answers. */
  person(role: string, now: () => number): Person {
    const { uid, ...key } = this.#shown.keys[role]
    return new Person(
      { url: this.url, now, exchange: (exchange) => this.#connection.exchange(exchange) },
      role,
      uid,
      key,
    )
  }

  /** One request of the interface. */
  exchange(exchange: Exchange): Promise<Answer> {
    return this.#connection.exchange(exchange)
  }
}

async function dataOf<T>(asked: Promise<Answer>, path: string): Promise<T> {
  const { status, envelope, text } = await asked
  if (envelope?.['ok'] !== true) throw new Error(`/_lab${path}: ${status} ${text}`)
  return envelope['data'] as T
}
