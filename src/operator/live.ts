/**
 * `GET /operator/events`: what calls answer, pushed as it changes, for as long as the reader stays.
 *
 * Line      of JSON: the answer of `GET /operator/<of>` without fields, `{"of", "ok", "data" | "error"}`. Always the whole
 *           answer, so that whoever missed one has missed nothing once the next is there
 * Log       has a name for each level, too, `log?level=warn`: among newest lines of all levels those of one could be lost
 * Pace      a call that somebody reads is made once a second, and at once when something happened that it tells of; never
 *           so often that more than `share` of the venue's time goes into it. What is as it was is not sent again
 * Readers   at most `readersMax`; a slow one misses lines in between, never the last one
 * Why       JSON lines and not server-sent events: a browser's EventSource cannot carry the token
 * Source    docs/operations.md, "What the venue pushes"
 */
import type { ServerResponse } from 'node:http'
import type { Event } from '../engine/protocol/event.ts'
import type { EventConsumer } from '../runtime/runtime.ts'
import { CallRefused, fieldWrong } from './calls/refusals.ts'
import { logLevels } from './log-tail.ts'

/** The calls that can be read so. */
export const liveCalls = [
  'status',
  'metrics',
  'markets',
  'house-funds',
  'liquidations',
  'near-liquidation',
  'exposure',
  'trail',
  'conservation',
  'log',
  ...logLevels.map((level) => `log?level=${level}` as const),
] as const
type LiveCall = (typeof liveCalls)[number]

/** What is out of date after an event. */
const changedBy: Partial<Record<Event['kind'], readonly LiveCall[]>> = {
  liquidation: ['liquidations', 'house-funds', 'near-liquidation', 'exposure'],
  'margin-liquidation': ['liquidations', 'house-funds', 'near-liquidation'],
  insurance: ['liquidations', 'house-funds'],
  'instrument-frozen': ['markets'],
  'instrument-unfrozen': ['markets'],
  'catalog-changed': ['markets'],
}

const everyMs = 1_000
/** What happens together is told together. */
const gatherMs = 100
const share = 0.005
/** What is told without a choice. */
const unasked = liveCalls.filter((of) => !of.includes('?'))
const readersMax = 32

export class LiveAnswers implements EventConsumer {
  readonly #calls: ReadonlyMap<LiveCall, LiveAnswer>
  readonly #readers = new Set<Reader>()

  /** `answerOf` makes a call: the envelope of its answer, refusals too. */
  constructor(answerOf: (of: LiveCall) => Promise<object>) {
    this.#calls = new Map(liveCalls.map((of) => [of, new LiveAnswer(async () => ({ of, ...(await answerOf(of)) }))]))
  }

  /** `of`: names, separated by commas; all without it, the log of every level. Throws CallRefused before anything is written. */
  follow(response: ServerResponse, of: string | readonly string[] = unasked): void {
    const names = [of].flat().flatMap((name) => name.split(','))
    const calls = [...new Set(names)].map((name) => this.#called(name.trim()))
    if (this.#readers.size >= readersMax) {
      throw new CallRefused(409, 'readers-max', `${readersMax} read already; one of them has to leave first`)
    }
    // It may have gone while its token was looked at.
    if (response.destroyed) return
    response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' })
    response.flushHeaders()
    const reader = new Reader(response)
    this.#readers.add(reader)
    response.on('close', () => {
      this.#readers.delete(reader)
      for (const call of calls) call.leave(reader)
    })
    for (const call of calls) call.join(reader)
  }

  record(_sequence: number, _at: number, events: readonly Event[]): void {
    if (this.#readers.size === 0) return
    for (const { kind } of events) changedBy[kind]?.forEach((of) => this.#calls.get(of)?.stir())
  }

  /** The operator did something: whoever watches sees it soon. */
  acted(): void {
    for (const call of this.#calls.values()) call.stir()
  }

  close(): void {
    for (const { response } of this.#readers) response.end()
  }

  #called(name: string): LiveAnswer {
    const call = this.#calls.get(name as LiveCall)
    if (call === undefined)
      throw fieldWrong('of', `must be some of ${unasked.join(', ')}, log?level=warn, separated by commas`)
    return call
  }
}

class Reader {
  readonly response: ServerResponse
  readonly #missed = new Set<LiveAnswer>()

  constructor(response: ServerResponse) {
    this.response = response
  }

  push(call: LiveAnswer, line: string, isNew: boolean): void {
    if (this.response.writableEnded || (!isNew && !this.#missed.has(call))) return
    if (this.response.writableNeedDrain) {
      this.#missed.add(call)
      return
    }
    this.#missed.delete(call)
    this.response.write(`${line}\n`)
  }
}

/** One call with those who read it; nothing is asked while nobody does. */
class LiveAnswer {
  readonly #ask: () => Promise<object>
  readonly #readers = new Set<Reader>()
  /** As it was last told; empty: not yet. */
  #line = ''
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  #isStirred = false
  #notBeforeMs = 0

  constructor(ask: () => Promise<object>) {
    this.#ask = ask
  }

  join(reader: Reader): void {
    this.#readers.add(reader)
    if (this.#line !== '') reader.push(this, this.#line, true)
    else if (!this.#isLooking) void this.#look()
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return
    clearTimeout(this.#timer)
    this.#line = ''
  }

  /** It may be another from now on. */
  stir(): void {
    if (this.#readers.size === 0 || this.#isStirred) return
    this.#isStirred = true
    if (!this.#isLooking) this.#lookIn(gatherMs)
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer)
    const restMs = this.#notBeforeMs - performance.now()
    this.#timer = setTimeout(() => void this.#look(), Math.max(ms, restMs)).unref()
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    this.#isStirred = false
    clearTimeout(this.#timer)
    const [askedMs, answering] = timed(this.#ask)
    const answer = await answering
    const [writtenMs, line] = timed(() => JSON.stringify(answer))
    // What was waited for in between went to others.
    this.#notBeforeMs = performance.now() + (askedMs + writtenMs) / share
    this.#isLooking = false
    if (this.#readers.size === 0) return
    const isNew = line !== this.#line
    this.#line = line
    for (const reader of this.#readers) reader.push(this, line, isNew)
    this.#lookIn(this.#isStirred ? gatherMs : everyMs)
  }
}

function timed<T>(work: () => T): [ms: number, T] {
  const beganMs = performance.now()
  const done = work()
  return [performance.now() - beganMs, done]
}
