/**
 * An auditor who knows only what was told: sums up the events and compares with what the exchange answers.
 *
 * Money      balance and isolated margin less principal owed, by person, wallet and coin, is the sum of all deposits,
 *            withdrawals, transfers, fills, fees, rebates, funding, interest paid, profit that paid for a shortfall, and
 *            what the insurance fund gave or took; to the unit, and the fund has what is then left to it
 * Bills      and fills, in the order of their numbers, each begin where the one before them in their wallet and coin ended,
 *            from nothing to its balance
 * Loans      principal is what was lent less what was repaid; interest owed is what was told and not paid, and of hours
 *            that have begun since
 * Positions  are the sums of their fills; fills that only may reduce never open
 * Orders     an ended order's record is the sum of its fills; a trigger order ends once, and one that was executed names
 *            the order that came of it
 */
import { expect } from 'vitest'
import { walletTypes } from '../../../src/engine/accounts/accounts.ts'
import { type Instrument, isFutures, productLines } from '../../../src/engine/catalog/catalog.ts'
import type { Event, FillEvent, OrderRecord, TriggerRecord } from '../../../src/engine/event.ts'
import type { Exchange } from './exchange.ts'

export function expectAudited(exchange: Exchange): void {
  const sums = new Sums()
  const orders = new Map<number, FillEvent[]>()
  const funded = new Sums()
  const loans = new Sums()
  const postings: Posting[] = []
  const triggers = new Map<number, TriggerRecord>()
  const { instruments } = exchange.query({ kind: 'catalog' })
  for (const { command, reply, events } of exchange.heard) {
    if (command.kind === 'fund-house' && reply.kind === 'done') funded.add(String(command.coin), command.amount)
    for (const event of events) {
      addMoney(sums, instruments, event)
      addLoan(loans, event)
      postings.push(...postingsOf(event))
      if (event.kind === 'insurance') funded.add(String(event.coin), -event.amount)
      if (event.kind === 'fill') {
        addPosition(sums, event)
        orders.set(event.orderId, [...(orders.get(event.orderId) ?? []), event])
      }
      if (event.kind === 'order-ended') expectOrder(event.order, orders.get(event.order.orderId) ?? [])
      if (event.kind === 'trigger-ended') {
        expect(triggers.has(event.trigger.orderId), `trigger order ${event.trigger.orderId} ended before`).toBe(false)
        triggers.set(event.trigger.orderId, event.trigger)
      }
    }
  }
  expectMoney(exchange, sums, funded)
  expectPostings(exchange, postings)
  expectLoans(exchange, loans)
  expectTriggers(exchange, triggers, orders)
  expectPositions(exchange, sums)
}

class Sums {
  readonly units = new Map<string, bigint>()

  add(key: string, units: bigint): void {
    this.units.set(key, (this.units.get(key) ?? 0n) + units)
  }

  at(key: string): bigint {
    return this.units.get(key) ?? 0n
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

function addPosition(sums: Sums, fill: FillEvent): void {
  if (fill.effect === 'spot') return
  const opens = fill.effect === 'open'
  const side = opens === (fill.bookSide === 'buy') ? 'long' : 'short'
  sums.add(`${fill.uid} ${fill.wallet} ${fill.instrument} ${side}`, BigInt(opens ? fill.quantity : -fill.quantity))
}

function expectOrder(order: OrderRecord, fills: readonly FillEvent[]): void {
  const total = <Name extends 'notional' | 'fee' | 'realizedPnl'>(name: Name) =>
    fills.reduce((sum, fill) => sum + fill[name], 0n)
  const told = {
    filled: fills.reduce((sum, fill) => sum + fill.quantity, 0),
    filledNotional: total('notional'),
    fee: total('fee'),
    realizedPnl: total('realizedPnl'),
  }
  const { filled, filledNotional, fee, realizedPnl } = order
  expect({ filled, filledNotional, fee, realizedPnl }, `order ${order.orderId}`).toEqual(told)
  if (order.status === 'filled' && order.quoteAmount === 0n) expect(filled).toBe(order.quantity)
  if (order.reduceOnly || order.intent === 'close') expect(fills.every(({ effect }) => effect === 'close')).toBe(true)
}

function expectMoney(exchange: Exchange, sums: Sums, funded: Sums): void {
  for (const { uid } of exchange.query({ kind: 'accounts' })) {
    for (const wallet of walletTypes) {
      const margins = isolatedMargins(exchange, uid, wallet)
      for (const { coin, balance, principal } of exchange.query({ kind: 'balances', uid, wallet })) {
        const has = balance - principal + margins.at(String(coin))
        expect(has, `${uid} ${wallet} ${coin}`).toBe(sums.at(`${uid} ${wallet} ${coin}`))
      }
    }
  }
  exchange.query({ kind: 'verify' }).coins.forEach(({ house }, coin) => {
    expect(house['insurance'], `insurance fund of coin ${coin}`).toBe(funded.at(String(coin)))
  })
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

function expectPostings(exchange: Exchange, postings: readonly Posting[]): void {
  const ends = new Map<string, bigint>()
  const numbers = new Set<number>()
  for (const { id, place, amount, balance } of postings.toSorted((a, b) => a.id - b.id)) {
    expect(numbers.has(id), `posting ${id} is told once`).toBe(false)
    numbers.add(id)
    expect(balance, `posting ${id} of ${place}`).toBe((ends.get(place) ?? 0n) + amount)
    ends.set(place, balance)
  }
  for (const { uid } of exchange.query({ kind: 'accounts' })) {
    for (const wallet of walletTypes) {
      for (const { coin, balance } of exchange.query({ kind: 'balances', uid, wallet })) {
        expect(ends.get(`${uid} ${wallet} ${coin}`) ?? 0n, `bills of ${uid} ${wallet} ${coin}`).toBe(balance)
      }
    }
  }
}

function expectLoans(exchange: Exchange, loans: Sums): void {
  for (const { uid } of exchange.query({ kind: 'accounts' })) {
    for (const wallet of ['crossed_margin', 'uta'] as const) {
      for (const { coin, principal, interest } of exchange.query({ kind: 'balances', uid, wallet })) {
        const key = `${uid} ${wallet} ${coin}`
        expect(principal, `principal of ${key}`).toBe(loans.at(key))
        const begun = interest - loans.at(`${key} interest`)
        expect(principal > 0n ? begun >= 0n : begun === 0n, `interest of ${key}`).toBe(true)
      }
    }
  }
}

function expectTriggers(
  exchange: Exchange,
  ended: ReadonlyMap<number, TriggerRecord>,
  filled: ReadonlyMap<number, readonly FillEvent[]>,
): void {
  for (const { orderId, status, executedOrderId, failure, reduceOnly } of ended.values()) {
    expect(status === 'executed', `trigger order ${orderId}`).toBe(executedOrderId !== 0)
    expect(status === 'failed', `trigger order ${orderId}`).toBe(failure !== '')
    const fills = filled.get(executedOrderId) ?? []
    if (reduceOnly) expect(fills.every(({ effect }) => effect === 'close')).toBe(true)
  }
  const any = { category: undefined, instrument: undefined, kinds: [] } as const
  for (const { uid } of exchange.query({ kind: 'accounts' })) {
    for (const version of ['v2', 'v3'] as const) {
      const waiting = exchange.query({ kind: 'triggers', uid, interface: version, ...any })
      expect(waiting.filter(({ orderId }) => ended.has(orderId))).toEqual([])
    }
  }
}

function isolatedMargins(exchange: Exchange, uid: number, wallet: string): Sums {
  const margins = new Sums()
  for (const position of positionsOf(exchange, uid)) {
    if (position.wallet !== wallet || position.marginMode !== 'isolated') continue
    const instrument = exchange.query({ kind: 'catalog' }).instruments[position.instrument]
    if (instrument !== undefined && isFutures(instrument)) margins.add(String(instrument.settle), position.margin)
  }
  return margins
}

function expectPositions(exchange: Exchange, sums: Sums): void {
  const found = new Sums()
  for (const { uid } of exchange.query({ kind: 'accounts' })) {
    for (const { wallet, instrument, side, quantity } of positionsOf(exchange, uid)) {
      found.add(`${uid} ${wallet} ${instrument} ${side}`, BigInt(quantity))
    }
  }
  const told = [...sums.units].filter(([key, lots]) => /(long|short)$/.test(key) && lots !== 0n)
  expect(new Map(told)).toEqual(found.units)
}

/** Positions in whatever wallet an account has them. */
function positionsOf(exchange: Exchange, uid: number) {
  const found = productLines.flatMap((line) =>
    (['v2', 'v3'] as const).flatMap((version) =>
      exchange.query({ kind: 'positions', uid, interface: version, line, instrument: undefined }),
    ),
  )
  return [...new Map(found.map((position) => [position.positionId, position])).values()]
}
