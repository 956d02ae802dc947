/**
 * A program runs again against the venue that a recording begins with: its n-th request is compared with the recorded one.
 *
 * Same      method, path and fields, in any order. What a program makes up anew each time is not compared: times, signatures, its own
 *           names of orders
 * Each      asker by itself: the n-th request of a key, and of those without one
 * Rules     calls of the laboratory that the recording has are made again, when the request behind them comes
 * Lives     time and the simulated market go on as they did: here they are the venue's own
 * Source    lab.md §4.8
 */
import type { AskedByRequest, Inside } from '../../api/api.ts'
import type { Outgoing } from '../../http/http.ts'
import { operatorCalls } from '../../operator/operator.ts'
import { labCalls } from '../calls.ts'
import type { LabShelves } from '../venues.ts'
import type { Layer } from '../way/way.ts'
import type { Difference } from './differences.ts'
import { callOf, whereOf } from './player-words.ts'
import type { LabRow, RequestRow } from './rows.ts'
import type { Tide } from './tide-file.ts'

interface Recorded {
  readonly row: RequestRow
  /** Of all requests, from 1 on. */
  readonly number: number
  readonly before: readonly LabRow[]
}

const nobody = ''
/** Calls about other venues and other times: a program that runs again has neither. */
const leftOut = /^\/(?:venues|fork|snapshots|revert|reset|traffic)(?:\/|$)/
/** Made up by whoever sends them. */
const madeUp = new Set([
  'clientOid',
  'clientOrderId',
  'timestamp',
  'requestTime',
  'receiveWindow',
  'ts',
  'startTime',
  'endTime',
])

export class Comparer implements Layer {
  readonly name = 'recorder'
  isActive = true
  /** Of the first request that was another one. */
  difference: Difference | undefined
  /** Requests that came. */
  requests = 0
  readonly #recorded = new Map<string, Recorded[]>()
  #asked: LabShelves | undefined
  readonly #onRequest: (number: number) => void
  readonly #made = new Set<LabRow>()
  #making: Promise<void> = Promise.resolve()

  /** `onRequest` is told each that was answered. */
  constructor(tide: Tide, onRequest: (number: number) => void) {
    this.#onRequest = onRequest
    const before: LabRow[] = []
    let number = 0
    for (const row of tide.rows) {
      if (row.kind === 'lab' && !leftOut.test(row.path)) before.push(row)
      if (row.kind !== 'request') continue
      number += 1
      const asker = row.signed?.apiKey ?? row.headers['access-key'] ?? nobody
      const list = this.#recorded.get(asker) ?? []
      this.#recorded.set(asker, list)
      list.push({ row, number, before: [...before] })
    }
  }

  /** The venue is there. */
  begin(asked: LabShelves): void {
    this.#asked = asked
  }

  async request(
    { request }: AskedByRequest,
    inside: Inside,
    serve: (inside: Inside) => Promise<Outgoing>,
  ): Promise<Outgoing> {
    this.requests += 1
    const number = this.requests
    const key = request.headers['access-key']
    const recorded = this.#recorded.get(typeof key === 'string' ? key : nobody)?.shift()
    const got = textOf({ ...request, body: request.body?.toString() })
    if (recorded === undefined) this.#differs(`request ${number}`, 'request', 'none', got)
    else {
      await this.#make(recorded.before)
      const expected = textOf(recorded.row)
      if (expected !== got) this.#differs(whereOf(recorded.row, recorded.number), 'request', expected, got)
    }
    const answer = await serve(inside)
    this.#onRequest(number)
    return answer
  }

  /** The program has ended: what it left out is a difference, too. */
  end(): void {
    const [left] = [...this.#recorded.values()].flat().toSorted((one, other) => one.number - other.number)
    if (left !== undefined) this.#differs(whereOf(left.row, left.number), 'request', textOf(left.row), 'none')
  }

  /** One after the other, each once. */
  #make(rows: readonly LabRow[]): Promise<void> {
    for (const row of rows) {
      if (this.#made.has(row)) continue
      this.#made.add(row)
      this.#making = this.#making.then(() => this.#makeOne(row)).catch(() => {})
    }
    return this.#making
  }

  async #makeOne({ method, path, body }: LabRow): Promise<void> {
    const asked = this.#asked!
    const call = callOf(labCalls, method, path)
    if (call !== undefined) await call.call.run(body, asked, call.id, new AbortController().signal)
    else {
      const operators = operatorCalls.find((one) => one.method === method && one.path === path)
      await asked.venue.inTurn(async () => operators?.run(body, asked.venue.parts.ports))
    }
  }

  #differs(where: string, field: string, expected: string, got: string): void {
    this.difference ??= { where, field, expected, got }
  }
}

function textOf({ method, target, body }: Pick<RequestRow, 'method' | 'target' | 'body'>): string {
  const [path, query = ''] = target.split('?')
  const fields = lasting(Object.fromEntries(new URLSearchParams(query)))
  const sent = body === undefined || body === '' ? '' : ` ${JSON.stringify(lasting(parsed(body)))}`
  return `${method} ${path} ${JSON.stringify(fields)}${sent}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Without what is made up, fields in the order of their names. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !madeUp.has(name))
  return Object.fromEntries(
    kept.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, inner]) => [name, lasting(inner)]),
  )
}
