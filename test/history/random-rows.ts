/**
 * Events of accounts that trade, as an engine would number them, and random asks for what they leave: numbers grow with time,
 * orders end later than they begin, one counter numbers fills and bills.
 */
import { balanceUnknown } from '../../src/history/bill-table.ts'
import { amount } from '../../src/engine/numbers/numbers.ts'
import type { Event, FillEvent, OrderRecord } from '../../src/engine/protocol/event.ts'
import type { ReadQuery } from '../../src/history/history.ts'
import { bill, fill, noon, order } from './samples.ts'

const categories = ['USDT-FUTURES', 'SPOT', 'MARGIN'] as const
const wallets = ['uta', 'spot', 'usdt_futures'] as const
const causes = ['user', 'liquidation', 'adl'] as const

export type KeptQuery = {
  [Name in 'fills' | 'orders' | 'bills']: readonly [Name, ReadQuery<Name>]
}['fills' | 'orders' | 'bills']

export class RandomRows {
  now = noon - (noon % 86_400_000)
  #state: number
  readonly #accounts: number
  #number = 1_000
  readonly #resting: OrderRecord[] = []

  constructor(seed: number, accounts: number) {
    this.#state = seed
    this.#accounts = accounts
  }

  /** A whole number below a bound. */
  below(bound: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }

  #chance(ofHundred: number): boolean {
    return this.below(100) < ofHundred
  }

  #oneOf<T>(list: readonly T[]): T {
    return list[this.below(list.length)]
  }

  /** Few accounts do most of it. */
  #uid(): number {
    return 1_000 + Math.min(this.below(this.#accounts), this.below(this.#accounts))
  }

  /** Those of one command; time goes on a little, and sometimes by hours. */
  events(): readonly Event[] {
    this.now += this.#chance(2) ? this.below(6 * 3_600_000) : this.below(50)
    const events: Event[] = []
    for (let more = this.below(3); more >= 0; more--) {
      const placed = this.#order()
      if (this.#chance(60)) this.#resting.push(placed)
      else events.push(this.#ended(placed))
      if (this.#chance(80)) events.push(this.#fill(placed))
      if (this.#chance(30)) events.push(this.#bill())
      const [late] = this.#chance(50) ? this.#resting.splice(this.below(this.#resting.length), 1) : []
      if (late !== undefined) events.push(this.#ended(late))
    }
    return events
  }

  #order(): OrderRecord {
    const orderId = ++this.#number
    return {
      ...order,
      orderId,
      clientOid: this.#chance(50) ? String(orderId) : `mine-${orderId % 50}`,
      uid: this.#uid(),
      category: this.#oneOf(categories),
      wallet: this.#oneOf(wallets),
      instrument: this.below(4),
      cause: this.#oneOf(causes),
      bookSide: this.#oneOf(['buy', 'sell'] as const),
      takeProfit: this.#chance(50) ? order.takeProfit : undefined,
      createdAt: this.now,
    }
  }

  #ended(placed: OrderRecord): Event {
    const status = this.#oneOf(['filled', 'canceled'] as const)
    return { kind: 'order-ended', order: { ...placed, status, updatedAt: this.now } }
  }

  #fill(of: OrderRecord): FillEvent {
    const isSpot = of.category !== 'USDT-FUTURES'
    this.#number += 2
    return {
      ...fill,
      execId: this.#number - 1,
      matchId: this.#number,
      orderId: of.orderId,
      clientOid: of.clientOid,
      uid: of.uid,
      wallet: of.wallet,
      category: of.category,
      instrument: of.instrument,
      cause: of.cause,
      bookSide: of.bookSide,
      holdMode: this.#oneOf(['one_way_mode', 'hedge_mode'] as const),
      effect: this.#oneOf(['open', 'close'] as const),
      feeCoin: this.below(3),
      paidCoin: isSpot ? this.below(3) : undefined,
      notional: amount(2n ** 60n + BigInt(this.#number)),
      balance: amount(this.#chance(10) ? balanceUnknown : -BigInt(this.#number)),
      at: this.now,
    }
  }

  #bill(): Event {
    const sign = this.#chance(50) ? 1n : -1n
    return {
      ...bill,
      id: ++this.#number,
      uid: this.#uid(),
      wallet: this.#oneOf(wallets),
      category: this.#oneOf([...categories, 'OTHER'] as const),
      coin: this.below(3),
      type: this.#oneOf(['transfer_in', 'transfer_out'] as const),
      amount: amount(sign * BigInt(this.#number)),
      instrument: this.#chance(50) ? this.below(4) : undefined,
      otherWallet: this.#oneOf(['', 'spot'] as const),
      at: this.now,
    }
  }

  #maybe<T>(ofHundred: number, make: () => T): T | undefined {
    return this.#chance(ofHundred) ? make() : undefined
  }

  query(): KeptQuery {
    const number = () => this.#number - this.below(this.#chance(80) ? 300 : this.#number)
    const moment = () => this.now - this.below(this.#chance(50) ? 60_000 : 5 * 86_400_000)
    const of = {
      uid: this.#uid(),
      wallets: this.#maybe(20, () => [this.#oneOf(wallets)]),
      categories: this.#maybe(40, () => categories.filter(() => this.#chance(50))),
      instrument: this.#maybe(20, () => this.below(5)),
      from: this.#maybe(30, moment),
      to: this.#maybe(20, moment),
      limit: this.#oneOf([1, 20, 100, 130, 200, 500]),
    }
    const before = this.#maybe(40, number)
    switch (this.below(3)) {
      case 0:
        return ['fills', { ...of, orderId: this.#maybe(5, number), beforeExecId: before }]
      case 1: {
        const more = {
          orderId: this.#maybe(5, number),
          clientOid: this.#maybe(5, () => `mine-${this.below(60)}`),
          causes: this.#maybe(10, () => [this.#oneOf(causes)]),
          statuses: this.#maybe(10, () => [this.#oneOf(['filled', 'canceled'] as const)]),
          bookSide: this.#maybe(10, () => 'buy' as const),
        }
        return ['orders', { ...of, ...more, beforeOrderId: before }]
      }
      default: {
        const { wallets: _, ...rest } = of
        const bills = { ...rest, coin: this.#maybe(20, () => this.below(3)), beforeId: before }
        return ['bills', { ...bills, wallet: this.#oneOf(wallets), kinds: this.#maybe(30, () => this.#kinds()) }]
      }
    }
  }

  #kinds(): NonNullable<ReadQuery<'bills'>['kinds']> {
    const bills = (['in', 'out'] as const).filter(() => this.#chance(60))
    const deals = (['trade', 'deal_in', 'deal_out'] as const).filter(() => this.#chance(60))
    return {
      bills: bills.map((comes) => ({ type: 'transfer_in', comes, otherWallet: this.#oneOf(['', 'spot'] as const) })),
      fills: deals.map((type) => ({
        type,
        cause: this.#maybe(30, () => this.#oneOf(causes)),
        effect: this.#maybe(30, () => 'open' as const),
        bookSide: this.#maybe(30, () => 'buy' as const),
        holdMode: this.#maybe(30, () => 'hedge_mode' as const),
      })),
    }
  }
}
