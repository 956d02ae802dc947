/**
 * One account as rules read it; a row of the table of accounts writes it (account-table.ts).
 *
 * Source  interface.md "Account settings"; design.md §3, §4.18, §4.20
 */
import type { InstrumentId } from '../catalog/catalog.ts'
import type { Millis, Rate } from '../numbers/numbers.ts'
import type { AccountHandle, AccountMode, CollateralChoice, HoldModes, OrderId, StpMode, Uid } from '../vocabulary.ts'

export interface Account {
  readonly handle: AccountHandle
  readonly uid: Uid
  /** The main account of the family: self-trade prevention and daily counts go by it; its own for a main account. */
  readonly main: AccountHandle
  readonly mode: AccountMode
  /** It was hybrid, and its mode is changing: it has money in classic wallets and in `uta`, and reads see both. */
  readonly leavesHybrid: true | undefined
  /** It may trade and move money no more, as its main account or the operator has it; what is open goes on. */
  readonly frozen: boolean
  /** By its main account. */
  readonly frozenByOwner: boolean
  /** By the operator; undefined: no. */
  readonly frozenByOperator: true | undefined
  readonly stpMode: StpMode
  readonly holdMode: HoldModes
  readonly collateral: CollateralChoice
  /** Announced instruments of an elite trader. */
  readonly copyTrader: readonly InstrumentId[] | undefined
  /** Client order ids that are taken, with their orders; undefined: none. */
  readonly clientOids: ReadonlyMap<string, OrderId> | undefined
  /** Open orders over all futures, and over spot and margin (design §4.18). */
  readonly openFutures: number
  readonly openSpot: number
  /** Newest open order, head of the account's chain. */
  readonly firstOrder: number
  /** Orders of the family on one UTC day; kept at the main account. */
  readonly ordersDay: number
  readonly ordersOfDay: number
  readonly kind: 'main' | 'sub'
  readonly name: string
  readonly note: string
  readonly createdAt: Millis
  /** When its owner last changed what it may do. */
  readonly updatedAt: Millis
  /** What its keys may do at most, in the words of the edge; undefined: whatever each key may. */
  readonly permissions: readonly string[] | undefined
  readonly broker: { readonly channelCode: string; readonly rebateRate: Rate } | undefined
  /** Since when somebody else manages this sub-account; undefined: nobody does (design §3). */
  readonly boundAt: Millis | undefined
}
