/**
 * What an agent holds in an instrument, as a value in dollars or quote coin: negative when it is short or owes.
 *
 * Futures   the position, whole
 * Pairs     the base coin beyond what the account had when it was first looked at: an agent's working capital is no bet
 * Memory    an agent looks at its books now and then, not before each order: asking a unified account with positions is
 *           dear for the venue
 */
import type { CoinId, FuturesInstrument, Instrument, InstrumentId } from '../engine/catalog/catalog.ts'
import type { PositionView } from '../engine/protocol/query.ts'
import type { Core } from '../runtime/runtime.ts'
import { lotValue } from './scale.ts'

/** How long a look is good for, in seconds. */
const positionAgeMax = 3
const balancesAgeMax = 15

interface Look<Seen> {
  readonly at: number
  readonly seen: Seen
}

type Coins = ReadonlyMap<CoinId, number>

export interface SavedHoldings {
  readonly now: number
  readonly capital: ReadonlyMap<number, Coins>
  readonly balances: ReadonlyMap<number, Look<Coins>>
  readonly positions: ReadonlyMap<number, ReadonlyMap<InstrumentId, Look<number>>>
}

export class Holdings {
  /** Seconds of the simulator's own time. */
  now = 0
  readonly #core: Core
  #capital = new Map<number, Coins>()
  #balances = new Map<number, Look<Coins>>()
  #positions = new Map<number, Map<InstrumentId, Look<number>>>()

  constructor(core: Core) {
    this.#core = core
  }

  /** Looks are never written to: copies share them. */
  save(): SavedHoldings {
    return {
      now: this.now,
      capital: new Map(this.#capital),
      balances: new Map(this.#balances),
      positions: copied(this.#positions),
    }
  }

  restore({ now, capital, balances, positions }: SavedHoldings): void {
    this.now = now
    this.#capital = new Map(capital)
    this.#balances = new Map(balances)
    this.#positions = copied(positions)
  }

  value(uid: number, instrument: Instrument, price: number): number {
    if (instrument.kind !== 'spot') return this.#lots(uid, instrument) * lotValue(instrument, price)
    const { seen } = this.#look(uid)
    const capital = this.#capital.get(uid)?.get(instrument.base) ?? 0
    return ((seen.get(instrument.base) ?? 0) - capital) * price
  }

  /** As they are now. */
  positions(uid: number, { id, category }: FuturesInstrument): readonly PositionView[] {
    return this.#core.query({ kind: 'positions', uid, interface: 'v3', line: category, instrument: id })
  }

  /** Coins in the unified wallet, less debt, as they are now. */
  coins(uid: number): Coins {
    const balances = this.#core.query({ kind: 'balances', uid, wallet: 'uta' })
    const inCoins = (units: bigint) => Number(units) / 1e8
    return new Map(
      balances.map((balance) => [balance.coin, inCoins(balance.balance - balance.principal - balance.interest)]),
    )
  }

  #look(uid: number): Look<Coins> {
    const before = this.#balances.get(uid)
    if (before !== undefined && this.now - before.at < balancesAgeMax) return before
    const look = { at: this.now, seen: this.coins(uid) }
    this.#balances.set(uid, look)
    if (before === undefined) this.#capital.set(uid, look.seen)
    return look
  }

  #lots(uid: number, instrument: FuturesInstrument): number {
    let looks = this.#positions.get(uid)
    if (looks === undefined) this.#positions.set(uid, (looks = new Map()))
    const before = looks.get(instrument.id)
    if (before !== undefined && this.now - before.at < positionAgeMax) return before.seen
    const lots = this.#core.query({ kind: 'net-position', uid, instrument: instrument.id })
    looks.set(instrument.id, { at: this.now, seen: lots })
    return lots
  }
}

function copied<Seen>(positions: ReadonlyMap<number, ReadonlyMap<InstrumentId, Seen>>) {
  return new Map([...positions].map(([uid, looks]) => [uid, new Map(looks)]))
}
