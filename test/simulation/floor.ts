/**
 * What everybody in the simulation sees of the venue: the catalogue, prices, who is there, which orders were placed.
 *
 * Fresh   answers are asked for once per round (`look`), so that a round of commands costs a handful of questions
 */
import { type Catalog, type FuturesInstrument, type Instrument, isFutures } from '../../src/engine/catalog/catalog.ts'
import type { Command, OrderReference } from '../../src/engine/protocol/command.ts'
import type { AccountView, PositionView, PricesView } from '../../src/engine/protocol/query.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import type { Interface, Uid, WalletType } from '../../src/engine/vocabulary.ts'
import type { Ask } from '../support/audit.ts'
import type { IndexPrices } from './index-prices.ts'
import type { Random } from './random.ts'

export interface PlacedOrder {
  readonly uid: Uid
  readonly order: OrderReference
}

/** Orders that can still be named in a cancellation. */
const rememberedMax = 1000

export class Floor {
  readonly random: Random
  readonly indexPrices: IndexPrices
  /** Everybody, in the order in which they joined. */
  readonly uids: Uid[] = []
  readonly placed: PlacedOrder[] = []
  readonly triggers: PlacedOrder[] = []
  #ask: Ask
  #catalog: Catalog | undefined
  #open: Instrument[] = []
  readonly #prices = new Map<number, PricesView>()
  readonly #accounts = new Map<Uid, AccountView>()
  #ids = 0

  constructor(random: Random, indexPrices: IndexPrices, ask: Ask) {
    this.random = random
    this.indexPrices = indexPrices
    this.#ask = ask
  }

  get ask(): Ask {
    return this.#ask
  }

  /** A round begins: what is asked is asked anew. */
  look(ask: Ask): void {
    this.#ask = ask
    this.#catalog = undefined
    this.#prices.clear()
    this.#accounts.clear()
  }

  get catalog(): Catalog {
    if (this.#catalog === undefined) {
      this.#catalog = this.#ask({ kind: 'catalog' })
      this.#open = this.#catalog.instruments.filter(({ status }) => status === 'online')
    }
    return this.#catalog
  }

  /** Mostly one that trades, and mostly one of a few, so that orders meet. */
  instrument(): Instrument {
    const { instruments } = this.catalog
    if (this.#open.length === 0 || this.random.happens(0.02)) return this.random.pick(instruments)
    if (this.random.happens(0.5)) return this.#open[this.random.below(Math.min(3, this.#open.length))]
    return this.random.pick(this.#open)
  }

  contract(): FuturesInstrument | undefined {
    const contracts = (this.random.happens(0.9) ? this.#online() : this.catalog.instruments).filter(isFutures)
    return contracts.length === 0 ? undefined : this.random.pick(contracts)
  }

  #online(): readonly Instrument[] {
    void this.catalog
    return this.#open
  }

  prices(instrument: number): PricesView {
    let found = this.#prices.get(instrument)
    if (found === undefined) {
      found = this.#ask({ kind: 'prices', instrument })
      this.#prices.set(instrument, found)
    }
    return found
  }

  account(uid: Uid): AccountView {
    let found = this.#accounts.get(uid)
    if (found === undefined) {
      found = this.#ask({ kind: 'account', uid }) as AccountView
      this.#accounts.set(uid, found)
    }
    return found
  }

  uid(): Uid {
    return this.random.pick(this.uids)
  }

  /** A version of the interface, mostly one that serves the account. */
  speaks(uid: Uid): Interface {
    const { mode } = this.account(uid)
    if (mode === 'classic') return this.random.happens(0.02) ? 'v3' : 'v2'
    return this.random.pick(['v2', 'v3'] as const)
  }

  /** A position of an account in a contract, or in any contract of its line. */
  position(uid: Uid, speaks: Interface, contract: FuturesInstrument, any = false): PositionView | undefined {
    const { category: line, id } = contract
    const instrument = any ? undefined : id
    const found = this.#ask({ kind: 'positions', uid, interface: speaks, line, instrument })
    return found.length === 0 ? undefined : this.random.pick(found)
  }

  /** A wallet that the account may have money in, mostly. */
  wallet(uid: Uid): WalletType {
    const { mode } = this.account(uid)
    const { random } = this
    if (mode === 'unified' || (mode === 'hybrid' && random.happens(0.5)))
      return random.happens(0.85) ? 'uta' : random.pick(['spot', 'p2p', 'usdt_futures'] as const)
    return random.pick(['spot', 'usdt_futures', 'usdt_futures', 'coin_futures', 'usdc_futures', 'crossed_margin'])
  }

  /** One of the orders that were placed; mostly it is named only once. */
  anyPlaced(): PlacedOrder | undefined {
    const { placed, random } = this
    if (placed.length === 0) return undefined
    const place = random.below(placed.length)
    const chosen = placed[place]
    const last = placed.pop() as PlacedOrder
    if (place < placed.length) placed[place] = last
    if (chosen !== undefined && random.happens(0.1)) placed.push(chosen)
    return chosen
  }

  newId(prefix: string): string {
    return `${prefix}-${++this.#ids}`
  }

  /** Notes what can be named later. */
  heed(command: Command, reply: Reply): void {
    if (reply.kind === 'account-created') this.uids.push(reply.uid)
    if (!('uid' in command)) return
    const goes = command.kind === 'place-order' && (command.timeInForce === 'ioc' || command.timeInForce === 'fok')
    if (reply.kind === 'placed' && reply.orderId !== 0 && !goes) {
      const list = command.kind === 'place-trigger' ? this.triggers : this.placed
      remember(list, { uid: command.uid, order: { orderId: reply.orderId, clientOid: reply.clientOid } })
    }
    if (reply.kind !== 'triggers-placed') return
    for (const order of reply.orders) remember(this.triggers, { uid: command.uid, order })
  }
}

function remember(list: PlacedOrder[], order: PlacedOrder): void {
  list.push(order)
  if (list.length > rememberedMax) list.splice(0, rememberedMax / 2)
}
