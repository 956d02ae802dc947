/**
 * What came of a run: orders and fills of the demo accounts, fees, funding, where their orders stood, and what each account was worth
 * minute by minute.
 *
 * Samples   at each whole minute of the venue, behind all else of that moment; of accounts that have placed an order, from the
 *           beginning on (before its first order an account is worth what it began with, at the prices of then)
 * Equity    in USDT, as the interface tells it: all wallets, with unrealized profit, at index prices
 * Bounded   by samples and fills: what comes behind the bound is counted, and not kept
 * Goes back with the venue, to what it was then
 * Source    lab.md §4.14
 */
import { accountValue } from '../../api/api.ts'
import type { InstrumentId } from '../../engine/catalog/catalog.ts'
import type { Event, FillEvent, FundingPayment, OrderRecord } from '../../engine/protocol/event.ts'
import type { Uid } from '../../engine/vocabulary.ts'
import type { EventConsumer } from '../../runtime/runtime.ts'
import { tapeOf } from '../tape/tape.ts'
import type { LabVenue } from '../venue.ts'
import type { Planned } from '../way/agenda.ts'

const minuteMs = 60_000
const samplesMax = 500_000
const fillsMax = 500_000

/** An order that came to rest: what stood before it then. */
interface Rested {
  readonly uid: Uid
  readonly instrument: InstrumentId
  readonly at: number
  readonly ahead: number
  /** Of its first fill as a maker. */
  filledAt?: number
}

/** USDT, 1e-8. */
interface Sample {
  readonly at: number
  readonly equity: ReadonlyMap<Uid, bigint>
  /** Of an instrument that was traded, its last price in ticks. */
  readonly prices: ReadonlyMap<InstrumentId, number>
}

export interface Collected {
  readonly from: number
  readonly beginning: ReadonlyMap<Uid, bigint>
  readonly samples: readonly Sample[]
  readonly fills: readonly FillEvent[]
  readonly funding: readonly FundingPayment[]
  readonly orders: ReadonlyMap<Uid, number>
  readonly rested: ReadonlyMap<number, Rested>
  readonly dropped: number
}

type Saved = Collected & { readonly nextAt: number }

export class Results implements Planned, EventConsumer {
  readonly name = 'results'
  readonly #venue: LabVenue
  #beginning = new Map<Uid, bigint>()
  #from: number
  #nextAt: number
  #samples: Sample[] = []
  #fills: FillEvent[] = []
  #funding: FundingPayment[] = []
  #orders = new Map<Uid, number>()
  #rested = new Map<number, Rested>()
  #traded = new Set<InstrumentId>()
  #dropped = 0

  constructor(venue: LabVenue) {
    this.#venue = venue
    this.#from = venue.parts.runtime.now()
    this.#nextAt = nextMinute(this.#from)
    for (const { uid } of Object.values(venue.parts.demoKeys())) {
      if (!this.#beginning.has(Number(uid))) this.#beginning.set(Number(uid), equityOf(venue, Number(uid)))
    }
    const tape = tapeOf(venue)
    if (tape !== undefined) this.#traded.add(tape.instrument.id)
    venue.parts.runtime.addConsumer(this)
    venue.agenda.add(this)
  }

  collected(): Collected {
    return {
      from: this.#from,
      beginning: this.#beginning,
      samples: this.#samples,
      fills: this.#fills,
      funding: this.#funding,
      orders: this.#orders,
      rested: this.#rested,
      dropped: this.#dropped,
    }
  }

  record(_sequence: number, at: number, events: readonly Event[]): void {
    for (const event of events) {
      if (event.kind === 'order-ended') this.#ended(event.order)
      if (!('uid' in event) || !this.#beginning.has(event.uid)) continue
      if (event.kind === 'order-accepted') this.#rests(event.uid, event.orderId, at)
      else if (event.kind === 'fill') this.#filled(event)
      else if (event.kind === 'funding-payment') this.#funding.push(event)
    }
  }

  nextAt(): number | undefined {
    return this.#orders.size === 0 ? undefined : this.#nextAt
  }

  async runDue(now: number): Promise<void> {
    this.#nextAt = nextMinute(now)
    if (this.#samples.length >= samplesMax) return void (this.#dropped += 1)
    const { runtime } = this.#venue.parts
    const equity = new Map([...this.#orders.keys()].map((uid) => [uid, equityOf(this.#venue, uid)]))
    const prices = [...this.#traded].flatMap((instrument) => {
      const { lastPrice } = runtime.query({ kind: 'prices', instrument })
      return lastPrice === 0 ? [] : [[instrument, lastPrice] as const]
    })
    this.#samples.push({ at: now, equity, prices: new Map(prices) })
  }

  async settled(): Promise<void> {}

  save(): Saved {
    const collected = this.collected()
    const { beginning, samples, fills, funding, orders, rested } = collected
    return {
      ...collected,
      beginning: new Map(beginning),
      samples: [...samples],
      fills: [...fills],
      funding: [...funding],
      orders: new Map(orders),
      rested: new Map([...rested].map(([id, one]) => [id, { ...one }])),
      nextAt: this.#nextAt,
    }
  }

  restore(saved: unknown): void {
    if (saved === undefined) return
    const { from, beginning, samples, fills, funding, orders, rested, dropped, nextAt } = saved as Saved
    this.#from = from
    this.#beginning = new Map(beginning)
    this.#samples = [...samples]
    this.#fills = [...fills]
    this.#funding = [...funding]
    this.#orders = new Map(orders)
    this.#rested = new Map([...rested].map(([id, one]) => [id, { ...one }]))
    this.#dropped = dropped
    this.#nextAt = nextAt
  }

  #counts(uid: Uid): void {
    if (this.#orders.size === 0) this.#nextAt = nextMinute(this.#venue.parts.runtime.now())
    this.#orders.set(uid, (this.#orders.get(uid) ?? 0) + 1)
  }

  /** One that never rested is counted now. */
  #ended({ uid, orderId }: OrderRecord): void {
    if (this.#beginning.has(uid) && !this.#rested.has(orderId)) this.#counts(uid)
  }

  #rests(uid: Uid, orderId: number, at: number): void {
    this.#counts(uid)
    const place = this.#venue.parts.runtime.query({ kind: 'queue-place', orderId })
    // Filled by now, or it waits for a price.
    if (place === undefined) return
    this.#traded.add(place.instrument)
    this.#rested.set(orderId, { uid, instrument: place.instrument, at, ahead: place.ahead })
  }

  #filled(fill: FillEvent): void {
    this.#traded.add(fill.instrument)
    const rested = this.#rested.get(fill.orderId)
    if (rested !== undefined && fill.scope === 'maker') rested.filledAt ??= fill.at
    if (this.#fills.length >= fillsMax) this.#dropped += 1
    else this.#fills.push(fill)
  }
}

function nextMinute(at: number): number {
  return (Math.floor(at / minuteMs) + 1) * minuteMs
}

/** USDT, 1e-8, rounded down. */
function equityOf(venue: LabVenue, uid: Uid): bigint {
  const core = venue.parts.runtime
  const account = core.query({ kind: 'account', uid })
  if (account === undefined) return 0n
  const value = accountValue({ core, account, catalog: venue.parts.api.catalog() })
  return value.inCoin(value.equityUsd, 'USDT')
}
