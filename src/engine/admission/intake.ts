/**
 * An order on its way in: what admission decides on, gathered once for each order.
 */
import type { Instrument, Scale } from '../catalog/catalog.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import type { Account } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import type { OrderCause, WalletType } from '../vocabulary.ts'

/** A command with all that it names. */
export interface OrderIntake<Of extends Instrument = Instrument> {
  readonly account: Account
  /** The wallet that pays, by the account's mode and the version of the interface. */
  readonly wallet: WalletType
  readonly instrument: Of
  /** Of the instrument. */
  readonly scale: Scale
  readonly command: PlaceOrder
  readonly cause: OrderCause
  readonly placing: Placing
}

/** What is special about an order that did not come as a plain request. */
export interface Placing {
  /** The resting order in whose place it comes; it is of the same account, instrument and side. */
  readonly replaced?: Row
  /** Lots of the order that are filled already: amended, only the rest is admitted anew. */
  readonly filled?: number
  /** Closes all of a position: no maximum of one order, and closing orders that rest make way. */
  readonly whole?: true
}

/** Nothing special: a plain request. */
export const plainly: Placing = {}
