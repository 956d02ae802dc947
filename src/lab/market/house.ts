/**
 * Who makes books and trades in the laboratory's name: accounts of the house, with as much money as that takes.
 *
 * Accounts  main, unified, without keys, made when they are first needed. Their names begin with `lab-`
 * House     these, and the simulated agents. Everybody else is a user, whose orders nobody takes away
 * Money     is deposited, as much as an order lacks: its worth twice over, at the least leverage
 * Source    lab.md §4.5, §4.10
 */
import { type CoinId, type Instrument, isFutures } from '../../engine/catalog/catalog.ts'
import { type Amount, amount, type Lots, lots, type Ticks } from '../../engine/numbers/numbers.ts'
import type { Command, PlaceOrder } from '../../engine/protocol/command.ts'
import type { OrderRecord } from '../../engine/protocol/event.ts'
import type { Answer, Query, QueryKind } from '../../engine/protocol/query.ts'
import type { Side, Uid } from '../../engine/vocabulary.ts'
import { lotsFor, priceOf } from '../../simulator/simulator.ts'
import { labAccount, orderOf, worth } from '../cheats/positions.ts'
import type { Rehearsal } from '../rehearsal.ts'

/** Whoever can be asked: a rehearsal, or the venue itself. */
export interface Askable {
  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K>
}

const houseNames = /^(?:lab|simulator)-/

/** Accounts of the house, those of simulated agents too. */
export function houseUids(of: Askable): Uid[] {
  return of.query({ kind: 'accounts' }).flatMap(({ kind, name, uid }) => {
    return kind === 'main' && houseNames.test(name) ? [uid] : []
  })
}

/** Newest first. */
export function restingOf(of: Askable, uid: Uid, { category, id }: Instrument): readonly OrderRecord[] {
  return of.query({ kind: 'open-orders', uid, interface: 'v3', category, instrument: id })
}

/** An account of the house that may trade an instrument. */
export function houseAccount(rehearsal: Rehearsal, name: string, instrument: Instrument): Uid {
  const uid = labAccount(rehearsal, name)
  if (isFutures(instrument)) {
    const { id, leverageMin: leverage } = instrument
    const [now] = rehearsal.query({ kind: 'symbol-settings', uid, interface: 'v3', instrument: id })
    const terms = { interface: 'v3', instrument: id, positionSide: undefined, marginMode: undefined } as const
    if (now?.leverage !== leverage) rehearsal.submit({ kind: 'set-leverage', uid, leverage, ...terms })
  }
  return uid
}

export interface Wanted {
  readonly side: Side
  readonly price: Ticks
  readonly quantity: Lots
}

/** What these orders lack is deposited. */
export function provide(rehearsal: Rehearsal, uid: Uid, instrument: Instrument, wanted: readonly Wanted[]): void {
  for (const command of deposits(rehearsal, uid, instrument, wanted)) rehearsal.submit(command)
}

/** The same as commands. */
export function deposits(of: Askable, uid: Uid, instrument: Instrument, wanted: readonly Wanted[]): Command[] {
  const needs = new Map<CoinId, bigint>()
  for (const order of wanted) {
    const [coin, units] = needOf(instrument, order)
    needs.set(coin, (needs.get(coin) ?? 0n) + units)
  }
  const balances = of.query({ kind: 'balances', uid, wallet: 'uta' })
  return [...needs].flatMap(([coin, units]): Command[] => {
    const lacking = units - (balances.find((balance) => balance.coin === coin)?.available ?? 0n)
    return lacking > 0n ? [{ kind: 'deposit', uid, wallet: 'uta', coin, amount: amount(lacking) }] : []
  })
}

/** Which coin an order takes, and how much of it at most. */
function needOf(instrument: Instrument, { side, price, quantity }: Wanted): [coin: CoinId, units: Amount] {
  if (isFutures(instrument)) return [instrument.settle, worth(instrument, price, quantity)]
  const { base, quote, quantityStep, quantityDecimals } = instrument
  if (side === 'buy') return [quote, worth(instrument, price, quantity)]
  const units = BigInt(quantity) * BigInt(quantityStep) * 10n ** BigInt(8 - quantityDecimals)
  return [base, amount(units * 2n)]
}

/** A limit order of the house. */
export function limitOrder(
  uid: Uid,
  instrument: Instrument,
  { side, price, quantity }: Wanted,
  timeInForce: PlaceOrder['timeInForce'],
): PlaceOrder {
  const limit = { orderType: 'limit', price, quantity: { unit: 'lots', lots: quantity } } as const
  return orderOf(uid, 'v3', instrument, { ...limit, side, timeInForce })
}

export function cancelOf({ uid, orderId }: OrderRecord): Command {
  return { kind: 'cancel-order', uid, order: { orderId, clientOid: '' }, category: undefined, instrument: undefined }
}

/** In as many orders as the instrument asks for. */
export function parts({ quantityMax }: Instrument, quantity: number): Lots[] {
  const most = quantityMax || quantity
  const found: Lots[] = []
  for (let left = quantity; left > 0; left -= most) found.push(lots(Math.min(left, most)))
  return found
}

/** For about so many units of the quote at a price, and at least what an order takes. */
export function lotsWorth(instrument: Instrument, price: Ticks, notional: number): Lots {
  return lotsFor(instrument, notional, priceOf(instrument, price)) ?? lots(Math.max(1, instrument.quantityMin))
}

/** The smallest order. */
export function leastLots(instrument: Instrument, price: Ticks): Lots {
  return lotsWorth(instrument, price, 0)
}
