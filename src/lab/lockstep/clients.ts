/**
 * Who takes part in lockstep, and what each of them waits for.
 *
 * Turns     of several that may go on the one that went on longest ago comes first, so the order is the same each time
 * Pushes    that left since a client was last answered count as new: it may not have read them when it said that it is idle
 * Silent    a client that is neither idle nor asks anything is told to the others, who would wait for it for ever
 * Source    lab.md §4.14
 */
import { LabRefusal } from '../refusals.ts'

export type Reason = 'push' | 'until' | 'end' | 'went-back'

export interface Woken {
  /** Unix milliseconds of the venue. */
  readonly now: number
  readonly reason: Reason
  /** How many messages have left over sockets by now. */
  readonly pushes: number
}

interface Waiting {
  readonly untilMs: number | undefined
  readonly wake: (reason: Reason, now: number) => void
  readonly fail: (error: Error) => void
}

export interface Client {
  readonly name: string
  /** Whether pushes wake it. */
  readonly pushes: boolean
  /** How long the others wait for it, real milliseconds. */
  readonly silentMs: number
  readonly waiting: Set<Waiting>
  /** What had left when it was last answered. */
  seen: number
  turn: number
  silence: NodeJS.Timeout | undefined
}

const clientsMax = 100

export class Clients {
  readonly #pushed: () => number
  readonly #list = new Map<string, Client>()
  #turns = 0

  constructor(pushed: () => number) {
    this.#pushed = pushed
  }

  get size(): number {
    return this.#list.size
  }

  /** How many of them wait. */
  get idle(): number {
    let idle = 0
    for (const { waiting } of this.#list.values()) if (waiting.size > 0) idle += 1
    return idle
  }

  /** When the first of them wakes by time; undefined: none does. */
  get wakesAt(): number | undefined {
    const times = [...this.#list.values()].flatMap(({ waiting }) =>
      [...waiting].map(({ untilMs }) => untilMs ?? Infinity),
    )
    const first = Math.min(...times)
    return Number.isFinite(first) ? first : undefined
  }

  get shown() {
    return [...this.#list.values()].map(({ name, pushes, waiting }) => {
      const times = [...waiting].flatMap(({ untilMs }) => untilMs ?? [])
      return { client: name, idle: waiting.size > 0, until: times.length === 0 ? null : Math.min(...times), pushes }
    })
  }

  some(is: (client: Client) => boolean): boolean {
    return [...this.#list.values()].some((one) => is(one))
  }

  /** Throws LabRefusal. */
  add(name: string, { pushes, silentMs }: Pick<Client, 'pushes' | 'silentMs'>): Client {
    if (this.#list.has(name))
      throw new LabRefusal(409, 'name-taken', `name: there is a client ${name}`, { field: 'name' })
    if (this.#list.size >= clientsMax) {
      throw new LabRefusal(409, 'clients-max', `there are ${clientsMax} clients already: delete one`)
    }
    const client: Client = {
      name,
      pushes,
      silentMs,
      waiting: new Set(),
      seen: this.#pushed(),
      turn: (this.#turns += 1),
      silence: undefined,
    }
    this.#list.set(name, client)
    this.#listen(client)
    return client
  }

  /** The only one, unless it is named. Throws LabRefusal. */
  find(name: string | undefined): Client {
    if (this.#list.size === 0) {
      throw new LabRefusal(409, 'no-clients', 'there are no clients: POST /_lab/clients {"name"} first')
    }
    if (name === undefined && this.#list.size > 1) {
      const message = `client: one of ${[...this.#list.keys()].join(', ')} is wanted, as there are several`
      throw new LabRefusal(400, 'body-wrong', message, { field: 'client' })
    }
    const found = name === undefined ? [...this.#list.values()][0] : this.#list.get(name)
    if (found !== undefined) return found
    throw new LabRefusal(404, 'unknown-client', `client: there is no client ${name}`, { field: 'client' })
  }

  remove(name: string): void {
    const client = this.find(name)
    clearTimeout(client.silence)
    this.#list.delete(client.name)
    for (const { fail } of client.waiting) fail(new LabRefusal(409, 'client-removed', `client ${name} was removed`))
    client.waiting.clear()
  }

  wait(client: Client, untilMs: number | undefined, gone: AbortSignal): Promise<Woken> {
    const { promise, resolve, reject } = Promise.withResolvers<Woken>()
    clearTimeout(client.silence)
    const leave = () => {
      client.waiting.delete(waiting)
      gone.removeEventListener('abort', leave)
      if (client.waiting.size === 0) this.#listen(client)
    }
    const waiting: Waiting = {
      untilMs,
      wake: (reason, now) => {
        leave()
        client.seen = this.#pushed()
        client.turn = this.#turns += 1
        resolve({ now, reason, pushes: client.seen })
      },
      fail: (error) => {
        leave()
        reject(error)
      },
    }
    client.waiting.add(waiting)
    gone.addEventListener('abort', leave)
    return promise
  }

  /** One that has something to do goes on: whose turn was longest ago. False: nobody has. */
  wakeNext({ now, isOver }: { readonly now: number; readonly isOver: boolean }): boolean {
    const order = [...this.#list.values()].toSorted((one, other) => one.turn - other.turn)
    for (const { waiting, pushes, seen } of order) {
      for (const one of waiting) {
        const reason = reasonOf({
          isNew: pushes && this.#pushed() > seen,
          isDue: (one.untilMs ?? Infinity) <= now,
          isOver,
        })
        if (reason === undefined) continue
        one.wake(reason, now)
        return true
      }
    }
    return false
  }

  wakeAll(reason: Reason, now: number): void {
    for (const { waiting } of this.#list.values()) for (const one of waiting) one.wake(reason, now)
  }

  failAll(error: Error): void {
    for (const { waiting } of this.#list.values()) for (const { fail } of waiting) fail(error)
  }

  close(): void {
    for (const { silence } of this.#list.values()) clearTimeout(silence)
    this.failAll(new LabRefusal(409, 'venue-stops', 'the venue stops'))
  }

  /** The others are told of a client that says nothing for so long. */
  #listen(client: Client): void {
    clearTimeout(client.silence)
    if (!this.#list.has(client.name)) return
    const { name, silentMs } = client
    client.silence = setTimeout(() => {
      const message = `client ${name} has said nothing for ${silentMs} ms: it waits for nothing (/_lab/idle), or is gone (DELETE /_lab/clients/${name})`
      for (const { waiting } of this.#list.values()) {
        for (const one of waiting) one.fail(new LabRefusal(409, 'client-silent', message))
      }
    }, silentMs).unref()
  }
}

function reasonOf({
  isNew,
  isDue,
  isOver,
}: Readonly<Record<'isNew' | 'isDue' | 'isOver', boolean>>): Reason | undefined {
  return isNew ? 'push' : isDue ? 'until' : isOver ? 'end' : undefined
}
