/**
 * Who makes books and trades in the laboratory's name: accounts of the house, with as much money as that takes.
 *
 * Accounts  main, unified, without keys, made when they are first needed. Their names begin with `lab-`
 * House     these, and the simulated agents. Everybody else is a user, whose orders nobody takes away
 * Money     is deposited, as much as an order lacks: its worth twice over, at the least leverage
 * Source    lab.md §4.5, §4.10
 */
import { type Instrument, isFutures } from '../../engine/catalog/catalog.ts'
import { type Lots, lots, type Ticks } from '../../engine/numbers/numbers.ts'
import type { Command } from '../../engine/protocol/command.ts'
import type { OrderRecord } from '../../engine/protocol/event.ts'
import type { Uid } from '../../engine/vocabulary.ts'
import { lotsFor, priceOf } from '../../simulator/simulator.ts'
import { type Askable, deposits, type Wanted } from '../../house-book/house-book.ts'
import { labAccount } from '../cheats/positions.ts'
import type { Rehearsal } from '../rehearsal.ts'

const houseNames = /^(?:lab|simulator)-/

/** Accounts of the house, those of simulated agents too. */
export function houseUids(of: Askable): Uid[] {
  return of.query({ kind: 'accounts' }).flatMap(({ kind, name, uid }) => {
    return kind === 'main' && houseNames.test(name) ? [uid] : []
  })
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

/** What these orders lack is deposited. */
export function provide(rehearsal: Rehearsal, uid: Uid, instrument: Instrument, wanted: readonly Wanted[]): void {
  for (const command of deposits(rehearsal, uid, instrument, wanted)) rehearsal.submit(command)
}

export function cancelOf({ uid, orderId }: OrderRecord): Command {
  return { kind: 'cancel-order', uid, order: { orderId, clientOid: '' }, category: undefined, instrument: undefined }
}

/** For about so many units of the quote at a price, and at least what an order takes. */
export function lotsWorth(instrument: Instrument, price: Ticks, notional: number): Lots {
  return lotsFor(instrument, notional, priceOf(instrument, price)) ?? lots(Math.max(1, instrument.quantityMin))
}

/** The smallest order. */
export function leastLots(instrument: Instrument, price: Ticks): Lots {
  return lotsWorth(instrument, price, 0)
}
