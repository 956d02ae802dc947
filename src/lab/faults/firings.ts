/**
 * Firings: which rule struck what, and what became of it in truth.
 *
 * Outcome   of the call's command: `placed` (it rests, or did), `filled`, `done` (it placed nothing: a cancellation, a read),
 *           `refused`, `not-sequenced`. Undefined where no call was struck. One that lands later is told when it has
 * Bounded   the newest are kept
 * Source    lab.md §4.5
 */
import type { Reply } from '../../engine/protocol/reply.ts'
import type { Uid } from '../../engine/vocabulary.ts'
import type { LabVenue } from '../venue.ts'
import type { Call, SentCommands } from './call.ts'

const firingsMax = 10_000

type Outcome = 'placed' | 'filled' | 'done' | 'refused' | 'not-sequenced'

export interface Firing {
  /** Counted from 1 on. */
  readonly firing: number
  readonly rule: string
  readonly fault: string
  /** Unix milliseconds of the venue. */
  readonly at: number
  /** Of the first command of the call. */
  readonly sequence?: number
  /** Of a request. */
  readonly requestId?: string
  /** `POST /api/v3/trade/place-order`; over a socket `ws` in place of the method. */
  readonly endpoint?: string
  readonly uid?: string
  readonly outcome?: Outcome
  /** Of each command, where there were several. */
  readonly outcomes?: readonly Outcome[]
  /** How many calls or messages a fault struck that lasts. */
  readonly struck?: number
  /** What else there is to say. */
  readonly note?: string
}

export class Firings {
  #list: Firing[] = []
  #counted = 0

  get counted(): number {
    return this.#counted
  }

  add(facts: Omit<Firing, 'firing'>): number {
    this.#counted += 1
    if (this.#list.length >= firingsMax) this.#list.splice(0, firingsMax / 10)
    this.#list.push({ firing: this.#counted, ...facts })
    return this.#counted
  }

  /** Something more is known of it; nothing happens if it is no longer kept. */
  note(firing: number, facts: Partial<Omit<Firing, 'firing'>>): void {
    const at = this.#placeOf(firing)
    if (at !== undefined) this.#list[at] = { ...this.#list[at], ...facts }
  }

  /** A fault that lasts struck once more. */
  struck(firing: number): void {
    const at = this.#placeOf(firing)
    if (at !== undefined) this.note(firing, { struck: (this.#list[at].struck ?? 0) + 1 })
  }

  after(firing: number, limit: number): readonly Firing[] {
    const from = this.#list.findIndex((one) => one.firing > firing)
    return from < 0 ? [] : this.#list.slice(from, from + limit)
  }

  save(): { readonly list: readonly Firing[]; readonly counted: number } {
    return { list: [...this.#list], counted: this.#counted }
  }

  restore({ list, counted }: ReturnType<Firings['save']>): void {
    this.#list = [...list]
    this.#counted = counted
  }

  #placeOf(firing: number): number | undefined {
    const at = firing - (this.#list[0]?.firing ?? 0)
    return at >= 0 && at < this.#list.length ? at : undefined
  }
}

/** Where a call went, as it is written down. */
function placeOf({ endpoint, over }: Call): string {
  return `${over === 'socket' ? 'ws' : endpoint.method} ${endpoint.path}`
}

/** What is known of a call's commands by now. */
export function truthOf(
  sent: readonly SentCommands[],
  venue: LabVenue,
): Pick<Firing, 'sequence' | 'outcome' | 'outcomes'> {
  const found = sent.flatMap(({ replies, sequence }) =>
    replies.map((reply, place): Outcome => outcomeOf(reply, sequence === undefined ? 0 : sequence + place, venue)),
  )
  const sequence = sent.find((one) => one.sequence !== undefined)?.sequence
  return {
    ...(sequence !== undefined && { sequence }),
    outcome: found[0] ?? 'not-sequenced',
    ...(found.length > 1 && { outcomes: found }),
  }
}

function outcomeOf(reply: Reply, sequence: number, venue: LabVenue): Outcome {
  if (reply.kind === 'refused' || reply.kind === 'canceled-instead') return 'refused'
  if (reply.kind !== 'placed') return reply.kind === 'triggers-placed' ? 'placed' : 'done'
  const { orderId } = reply
  for (const { events } of venue.told.after(sequence - 1)) {
    for (const event of events) {
      if (event.kind !== 'order-ended' || event.order.orderId !== orderId) continue
      return event.order.status === 'filled' ? 'filled' : 'placed'
    }
  }
  return 'placed'
}

/** What a firing says of a call before anything became of it. */
export function factsOf(call: Call): Partial<Firing> {
  const uid: Uid | undefined = call.uid
  return {
    ...(call.requestId !== '' && { requestId: call.requestId }),
    endpoint: placeOf(call),
    ...(uid !== undefined && { uid: String(uid) }),
    outcome: 'not-sequenced',
  }
}
