/**
 * An auditor who knows only the events: sums them up and compares with what the exchange answers.
 *
 * Money      balance and isolated margin less principal owed, by person, wallet and coin, is the sum of all deposits,
 *            withdrawals, also those over networks that are under way, conversions, transfers, fills, fees, rebates, funding, interest paid, profit that paid for a shortfall, and
 *            what the insurance fund gave or took; to the unit, and the fund has what is then left to it
 * Bills      and fills, in the order of their numbers, each begin where the one before them in their wallet and coin ended,
 *            from nothing to its balance
 * Loans      principal is what was lent less what was repaid; interest owed is what was emitted and not paid, and of hours
 *            that have begun since
 * Positions  are the sums of their fills; fills that only may reduce never open
 * Orders     an ended order's record is the sum of its fills; a trigger order ends once, and one that was executed names
 *            the order that came of it
 * Memory     of orders that are open, not of all that ever were
 */
import { type Instrument, isFutures, productLines } from '../../src/engine/catalog/catalog.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Event, FillEvent, OrderRecord } from '../../src/engine/protocol/event.ts'
import type { PositionView } from '../../src/engine/protocol/query.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import { type OrderId, walletTypes } from '../../src/engine/vocabulary.ts'

export type Ask = Engine['query']

export class Audit {
  readonly #ask: Ask
  readonly #faults: string[] = []
  readonly #sums = new Sums()
  readonly #funded = new Sums()
  readonly #loans = new Sums()
  /** Where the bills of each wallet and coin have come to, and the newest number of a bill. */
  readonly #billed = new Map<string, bigint>()
  #newestBill = -1
  /** Of orders that have not ended. */
  readonly #fills = new Map<OrderId, FillEvent[]>()
  readonly #triggersEnded = new Set<OrderId>()

  constructor(ask: Ask) {
    this.#ask = ask
  }

  /** What one command did, and what came of it. */
  record({ command, reply, events }: { command: Command; reply: Reply; events: readonly Event[] }): void {
    if (command.kind === 'fund-house' && reply.kind === 'done') this.#funded.add(String(command.coin), command.amount)
    if (events.length === 0) return
    this.#recordBills(events)
    const { instruments } = this.#ask({ kind: 'catalog' })
    for (const event of events) {
      addMoney(this.#sums, instruments, event)
      addLoan(this.#loans, event)
      if (event.kind === 'insurance') this.#funded.add(String(event.coin), -event.amount)
      if (event.kind === 'fill') this.#recordFill(event)
      if (event.kind === 'order-ended') this.#recordEnd(event.order)
      if (event.kind !== 'trigger-ended') continue
      const { orderId, status, executedOrderId, failure } = event.trigger
      if (this.#triggersEnded.has(orderId)) this.#faults.push(`trigger order ${orderId} ended before`)
      this.#triggersEnded.add(orderId)
      if ((status === 'executed') !== (executedOrderId !== 0) || (status === 'failed') !== (failure !== '')) {
        this.#faults.push(`trigger order ${orderId} is ${status}, with order ${executedOrderId} and failure ${failure}`)
      }
    }
  }

  /** What has been found so far, and what differs now. */
  faults(): string[] {
    this.#compareMoney()
    this.#compareBills()
    this.#compareLoans()
    this.#compareTriggers()
    this.#comparePositions()
    return this.#faults
  }

  /** Events may be emitted in another order than that in which they were posted. */
  #recordBills(events: readonly Event[]): void {
    for (const { id, place, amount, balance } of events.flatMap(postingsOf).toSorted((a, b) => a.id - b.id)) {
      if (id <= this.#newestBill) this.#faults.push(`bill ${id} comes after bill ${this.#newestBill}`)
      this.#newestBill = id
      this.#same(`bill ${id} of ${place}`, balance, (this.#billed.get(place) ?? 0n) + amount)
      this.#billed.set(place, balance)
    }
  }

  #recordFill(fill: FillEvent): void {
    addPosition(this.#sums, fill)
    const fills = this.#fills.get(fill.orderId)
    if (fills === undefined) this.#fills.set(fill.orderId, [fill])
    else fills.push(fill)
  }

  #recordEnd(order: OrderRecord): void {
    const fills = this.#fills.get(order.orderId) ?? []
    this.#fills.delete(order.orderId)
    const total = <Name extends 'notional' | 'fee' | 'realizedPnl'>(name: Name) =>
      fills.reduce((sum, fill) => sum + fill[name], 0n)
    const what = `order ${order.orderId}`
    const quantity = fills.reduce((sum, fill) => sum + fill.quantity, 0)
    this.#same(`filled of ${what}`, order.filled, quantity)
    this.#same(`notional of ${what}`, order.filledNotional, total('notional'))
    this.#same(`fee of ${what}`, order.fee, total('fee'))
    this.#same(`profit of ${what}`, order.realizedPnl, total('realizedPnl'))
    if (order.status === 'filled' && order.quoteAmount === 0n)
      this.#same(`all of ${what}`, order.filled, order.quantity)
    const reduces = order.reduceOnly || order.intent === 'close'
    if (reduces && fills.some(({ effect }) => effect !== 'close'))
      this.#faults.push(`${what} only reduces, and it opened`)
  }

  #compareMoney(): void {
    for (const { uid } of this.#ask({ kind: 'accounts' })) {
      const positions = positionsOf(this.#ask, uid)
      const leaving = this.#leaving(uid)
      for (const wallet of walletTypes) {
        const margins = isolatedMargins(this.#ask, positions, wallet)
        for (const { coin, balance, principal } of this.#ask({ kind: 'balances', uid, wallet })) {
          const key = `${uid} ${wallet} ${coin}`
          this.#same(key, balance - principal + margins.at(String(coin)) + leaving.at(key), this.#sums.at(key))
        }
      }
    }
    this.#ask({ kind: 'verify' }).coins.forEach(({ house }, coin) => {
      this.#same(`insurance fund of coin ${coin}`, house['insurance'], this.#funded.at(String(coin)))
    })
  }

  /** What withdrawals that have not ended have taken out of the wallets of an account. */
  #leaving(uid: number): Sums {
    const sums = new Sums()
    for (const { transfer } of this.#ask({ kind: 'chain-transfers', uid, direction: 'withdrawal' })) {
      for (const { wallet, amount } of transfer.wallets) sums.add(`${uid} ${wallet} ${transfer.coin}`, amount)
    }
    return sums
  }

  #compareBills(): void {
    for (const { uid } of this.#ask({ kind: 'accounts' })) {
      for (const wallet of walletTypes) {
        for (const { coin, balance } of this.#ask({ kind: 'balances', uid, wallet })) {
          const key = `${uid} ${wallet} ${coin}`
          this.#same(`bills of ${key}`, this.#billed.get(key) ?? 0n, balance)
        }
      }
    }
  }

  #compareLoans(): void {
    for (const { uid } of this.#ask({ kind: 'accounts' })) {
      for (const wallet of ['crossed_margin', 'uta'] as const) {
        for (const { coin, principal, interest } of this.#ask({ kind: 'balances', uid, wallet })) {
          const key = `${uid} ${wallet} ${coin}`
          this.#same(`principal of ${key}`, principal, this.#loans.at(key))
          const begun = interest - this.#loans.at(`${key} interest`)
          if (principal > 0n ? begun < 0n : begun !== 0n) this.#faults.push(`interest of ${key} differs by ${begun}`)
        }
      }
    }
  }

  #compareTriggers(): void {
    const any = { category: undefined, instrument: undefined, kinds: [] } as const
    for (const { uid } of this.#ask({ kind: 'accounts' })) {
      for (const version of ['v2', 'v3'] as const) {
        for (const { orderId } of this.#ask({ kind: 'triggers', uid, interface: version, ...any })) {
          if (this.#triggersEnded.has(orderId)) this.#faults.push(`trigger order ${orderId} ended and waits`)
        }
      }
    }
  }

  #comparePositions(): void {
    const found = new Sums()
    for (const { uid } of this.#ask({ kind: 'accounts' })) {
      for (const { wallet, instrument, side, quantity } of positionsOf(this.#ask, uid)) {
        found.add(`${uid} ${wallet} ${instrument} ${side}`, BigInt(quantity))
      }
    }
    for (const key of new Set([...this.#sums.keys(), ...found.keys()])) {
      if (/(long|short)$/.test(key)) this.#same(`position ${key}`, found.at(key), this.#sums.at(key))
    }
  }

  #same(what: string, found: unknown, summed: unknown): void {
    if (found !== summed) this.#faults.push(`${what} is ${String(found)}, and its events make ${String(summed)}`)
  }
}

class Sums {
  readonly #units = new Map<string, bigint>()

  add(key: string, units: bigint): void {
    this.#units.set(key, (this.#units.get(key) ?? 0n) + units)
  }

  at(key: string): bigint {
    return this.#units.get(key) ?? 0n
  }

  keys(): Iterable<string> {
    return this.#units.keys()
  }
}

function addMoney(sums: Sums, instruments: readonly Instrument[], event: Event): void {
  const add = (uid: number, wallet: string, coin: number, units: bigint) => sums.add(`${uid} ${wallet} ${coin}`, units)
  switch (event.kind) {
    case 'deposit':
      return add(event.uid, event.wallet, event.coin, event.amount)
    case 'withdrawal':
      return add(event.uid, event.wallet, event.coin, -event.amount)
    case 'transfer':
      add(event.fromUid, event.fromWallet, event.coin, -event.amount)
      return add(event.toUid, event.toWallet, event.coin, event.amount)
    case 'repayment':
      return add(event.uid, event.wallet, event.coin, -event.interest)
    case 'insurance':
      return add(event.uid, event.wallet, event.coin, event.amount)
    case 'chain-transfer': {
      if (event.status !== 'success') return
      const sign = event.direction === 'deposit' ? 1n : -1n
      for (const { wallet, amount } of event.wallets) add(event.uid, wallet, event.coin, sign * amount)
      return
    }
    case 'conversion':
      // What was sold for a debt has its fills, or its postings of the insurance fund.
      if (event.price === undefined) return
      add(event.uid, event.wallet, event.fromCoin, -event.fromAmount)
      return add(event.uid, event.wallet, event.toCoin, event.toAmount)
    case 'rebate':
      return add(event.brokerUid, 'spot', event.coin, event.amount)
    case 'profit-realized':
    case 'funding-payment': {
      const instrument = instruments[event.instrument]
      if (instrument !== undefined && isFutures(instrument))
        add(event.uid, event.wallet, instrument.settle, event.amount)
      return
    }
    case 'fill':
      return addFill(add, instruments[event.instrument], event)
    default:
  }
}

function addLoan(loans: Sums, event: Event): void {
  switch (event.kind) {
    case 'loan':
      return loans.add(`${event.uid} ${event.wallet} ${event.coin}`, event.amount)
    case 'interest':
      return loans.add(`${event.uid} ${event.wallet} ${event.coin} interest`, event.amount)
    case 'repayment':
      loans.add(`${event.uid} ${event.wallet} ${event.coin}`, -event.principal)
      return loans.add(`${event.uid} ${event.wallet} ${event.coin} interest`, -event.interest)
    default:
  }
}

function addFill(
  add: (uid: number, wallet: string, coin: number, units: bigint) => void,
  instrument: Instrument,
  { uid, wallet, bookSide, quantity, notional, fee, feeCoin, realizedPnl }: FillEvent,
): void {
  add(uid, wallet, feeCoin, -fee)
  if (isFutures(instrument)) return add(uid, wallet, instrument.settle, realizedPnl)
  const base = BigInt(quantity) * BigInt(instrument.quantityStep) * 10n ** BigInt(8 - instrument.quantityDecimals)
  const sign = bookSide === 'buy' ? 1n : -1n
  add(uid, wallet, instrument.base, sign * base)
  add(uid, wallet, instrument.quote, -sign * notional)
}

interface Posting {
  readonly id: number
  readonly place: string
  readonly amount: bigint
  readonly balance: bigint
}

function postingsOf(event: Event): Posting[] {
  if (event.kind === 'bill') {
    const { id, uid, wallet, coin, amount, balance } = event
    return [{ id, place: `${uid} ${wallet} ${coin}`, amount, balance }]
  }
  if (event.kind !== 'fill') return []
  const { execId, uid, wallet, feeCoin, fee, realizedPnl, balance, notional, baseAmount } = event
  const place = (coin: number) => `${uid} ${wallet} ${coin}`
  if (event.paidCoin === undefined) {
    return [{ id: execId, place: place(feeCoin), amount: realizedPnl - fee, balance }]
  }
  const buys = event.bookSide === 'buy'
  const paid = { id: execId + 1, place: place(event.paidCoin), balance: event.paidBalance }
  return [
    { id: execId, place: place(feeCoin), amount: (buys ? baseAmount : notional) - fee, balance },
    { ...paid, amount: buys ? -notional : -baseAmount },
  ]
}

function addPosition(sums: Sums, fill: FillEvent): void {
  if (fill.effect === 'spot') return
  const opens = fill.effect === 'open'
  const side = opens === (fill.bookSide === 'buy') ? 'long' : 'short'
  sums.add(`${fill.uid} ${fill.wallet} ${fill.instrument} ${side}`, BigInt(opens ? fill.quantity : -fill.quantity))
}

function isolatedMargins(ask: Ask, positions: readonly PositionView[], wallet: string): Sums {
  const margins = new Sums()
  for (const position of positions) {
    if (position.wallet !== wallet || position.marginMode !== 'isolated') continue
    const instrument = ask({ kind: 'catalog' }).instruments[position.instrument]
    if (instrument !== undefined && isFutures(instrument)) margins.add(String(instrument.settle), position.margin)
  }
  return margins
}

/** Positions in whatever wallet an account has them. */
function positionsOf(ask: Ask, uid: number): PositionView[] {
  const found = productLines.flatMap((line) =>
    (['v2', 'v3'] as const).flatMap((version) =>
      ask({ kind: 'positions', uid, interface: version, line, instrument: undefined }),
    ),
  )
  return [...new Map(found.map((position) => [position.positionId, position])).values()]
}
