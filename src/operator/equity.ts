/**
 * Samples of equity: what accounts are worth, taken between two commands and recorded with the first of them.
 *
 * Turns    every account has one in a round of five minutes, by its place among all; of more than 15,000 accounts the round is as
 *          long as fifty a second take. What falls due within a tenth of a second is sampled after the first command that follows
 * Moves    whoever gets or gives money is sampled at once, with how much it was
 * Same     what is sampled after a command is told by it, its time and the time of the one before: every copy of a venue, and a
 *          replay, has the same samples
 * Bounded  after one command 256 accounts have their turn, those that are due longest are left out
 * Kept     the first sample of an account in four hours, and moves, as long as all history; the first in an hour for a week, the
 *          others for a day (equity-table.ts)
 * Not here the engine: nothing of it is in its state, and no command waits for the database
 * Source   docs/decisions/0069-samples-of-equity.md
 */
import { CatalogIndex, CoinPrices, equityOf } from '../api/api.ts'
import type { CoinId } from '../engine/catalog/catalog.ts'
import { type Amount, cappedAmount, type Millis, zero } from '../engine/numbers/numbers.ts'
import type { BillType, Event } from '../engine/protocol/event.ts'
import type { AccountView } from '../engine/protocol/query.ts'
import type { Uid } from '../engine/vocabulary.ts'
import type { EquitySample, History, HistoryEvent } from '../history/history.ts'
import type { Answering, HistoryConsumer } from '../runtime/parts.ts'
import type { RuntimeLog } from '../runtime/runtime.ts'

const roundMsMin = 300_000
const accountsPerSecondMax = 50
const lookEveryMs = 100
const accountsAtOnceMax = 256
const hourMs = 3_600_000
const longMs = 4 * hourMs

/** What comes from outside of an account, or leaves it. Between its own wallets both sides are there, and cancel out. */
const moves: ReadonlySet<BillType> = new Set<BillType>([
  'transfer_in',
  'transfer_out',
  'deposit',
  'withdrawal',
  'withdrawal_returned',
])

/** Where the runtime records: a history, which gets the samples with the events. */
export function withEquity(history: History, log: RuntimeLog): HistoryConsumer {
  const sampler = new EquitySampler(log)
  return {
    get appliedSequence() {
      return history.appliedSequence
    },
    get pendingEvents() {
      return history.pendingEvents
    },
    flush: () => history.flush(),
    flushDurably: () => history.flushDurably(),
    noteRules: (note) => history.noteRules(note),
    record(sequence, at, events, command, _reply, engine) {
      history.record(sequence, at, sampler.sampled(history.recordedAt, at, events, engine), command)
    },
  }
}

export class EquitySampler {
  readonly #log: RuntimeLog
  #catalog: CatalogIndex | undefined
  #isBroken = false

  constructor(log: RuntimeLog) {
    this.#log = log
  }

  /** The events of a command and the samples after it. `before`: the time of the command before it; zero: nobody knows. */
  readonly sampled = (
    before: Millis,
    at: Millis,
    events: readonly Event[],
    engine: Answering | undefined,
  ): readonly HistoryEvent[] => {
    // What was passed over, or is replayed and in history already.
    if (engine === undefined || at < before) return events
    const moved = movedBy(events)
    const isLate = before > 0 && Math.floor(at / lookEveryMs) > Math.floor(before / lookEveryMs)
    if (moved === undefined && !isLate) return events
    try {
      const samples = isLate ? this.#due(before, at, engine) : []
      if (moved !== undefined) this.#addMoved(samples, moved, at, engine)
      return samples.length === 0 ? events : [...events, ...samples]
    } catch (error) {
      // A venue does not stop for a statistic.
      if (!this.#isBroken) this.#log.error({ err: error }, 'equity could not be sampled')
      this.#isBroken = true
      return events
    }
  }

  #due(before: Millis, at: Millis, engine: Answering): EquitySample[] {
    const samples: EquitySample[] = []
    for (const { place, keptFor } of turnsBetween(before, at, engine.query({ kind: 'account-count' }))) {
      const account = engine.query({ kind: 'account-at', place })
      const equity = account === undefined ? zero : this.#equityOf(account, engine)
      if (account === undefined || equity === zero) continue
      samples.push({ kind: 'equity', uid: account.uid, equity, moved: zero, keptFor, at })
    }
    return samples
  }

  #addMoved(samples: EquitySample[], moved: MovedCoins, at: Millis, engine: Answering): void {
    const prices = new CoinPrices(engine, this.#catalogOf(engine))
    for (const [uid, coins] of moved) {
      const account = engine.query({ kind: 'account', uid })
      if (account === undefined || [...coins.values()].every((units) => units === 0n)) continue
      let usd = 0n
      for (const [coin, units] of coins) usd += prices.usd(coin, units)
      const equity = this.#equityOf(account, engine)
      samples.push({ kind: 'equity', uid, equity, moved: cappedAmount(prices.inUsdt(usd)), keptFor: 'all', at })
    }
  }

  #equityOf(account: AccountView, engine: Answering): Amount {
    return cappedAmount(equityOf({ account, core: engine, catalog: this.#catalogOf(engine) }))
  }

  #catalogOf(engine: Answering): CatalogIndex {
    const catalog = engine.query({ kind: 'catalog' })
    if (this.#catalog?.catalog !== catalog) this.#catalog = new CatalogIndex(catalog)
    return this.#catalog
  }
}

type MovedCoins = ReadonlyMap<Uid, ReadonlyMap<CoinId, bigint>>

/** Of each account that a command moved money of, by coin; undefined: of none. */
function movedBy(events: readonly Event[]): MovedCoins | undefined {
  let moved: Map<Uid, Map<CoinId, bigint>> | undefined
  for (const event of events) {
    if (event.kind !== 'bill' || !moves.has(event.type)) continue
    moved ??= new Map()
    const coins = moved.get(event.uid) ?? new Map<CoinId, bigint>()
    moved.set(event.uid, coins.set(event.coin, (coins.get(event.coin) ?? 0n) + event.amount))
  }
  return moved
}

interface Turn {
  /** Of the account among all, the oldest first. */
  readonly place: number
  /** By whether it had one before in the same hour, or the same four hours. */
  readonly keptFor: EquitySample['keptFor']
}

/**
 * Whose turn came after one moment and until another, each once.
 *
 *   turn n is of place n mod count, in round n / count, at  round × R + ⌈place × R / count⌉
 */
export function turnsBetween(before: Millis, at: Millis, count: number): Turn[] {
  if (count === 0) return []
  const roundMs = Math.max(roundMsMin, Math.ceil(count / accountsPerSecondMax) * 1_000)
  const turnsBy = (time: Millis) =>
    Math.floor(time / roundMs) * count + Math.floor(((time % roundMs) * count) / roundMs) + 1
  const end = turnsBy(at)
  const first = Math.max(turnsBy(before), end - Math.min(count, accountsAtOnceMax))
  return Array.from({ length: end - first }, (_, index) => {
    const turn = first + index
    const place = turn % count
    const dueAt = Math.floor(turn / count) * roundMs + Math.ceil((place * roundMs) / count)
    const dueBefore = dueAt - Math.ceil((dueAt - before) / roundMs) * roundMs
    const isWithin = (spanMs: number) => Math.floor(dueAt / spanMs) === Math.floor(dueBefore / spanMs)
    return { place, keptFor: isWithin(hourMs) ? 'day' : isWithin(longMs) ? 'week' : 'all' }
  })
}
