/**
 * The orders that close a position, and the position that a reversal turns round.
 *
 * Source  wire/client-endpoints.md §4; design.md §4.11
 */
import { type FuturesInstrument, isFutures, type ProductLine } from '../catalog/catalog.ts'
import type { Lots } from '../numbers/numbers.ts'
import type { ClosePositions, PlaceOrder, ReversePosition } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { tradingWallet } from '../records/records.ts'
import { type Account, type Exposure, type Position, positionOf, type Reading } from '../state/state.ts'
import { type Interface, type PositionSide, positionSides, type WalletType } from '../vocabulary.ts'
import { contractsOf } from './direction.ts'
import { plainOrder } from './plain-order.ts'

/** The positions that the command closes, in the order in which they are closed; refused when there is none. */
export function positionsToClose(
  reading: Reading,
  command: ClosePositions,
): { readonly open: readonly { readonly exposure: Exposure; readonly side: PositionSide }[] } | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const wallet = walletFor(account, command.interface, command.line)
  if (typeof wallet !== 'string') return wallet
  const hedged = account.holdMode[command.line] === 'hedge_mode'
  const meant = positionSides.filter((side) => !hedged || (command.positionSide ?? side) === side)
  const open = reading.futures
    .ofAccount(account.handle)
    .filter((exposure) => exposure.wallet === wallet)
    .filter(({ instrument }) => reading.instrument(instrument).category === command.line)
    .filter(({ instrument }) => command.instrument === undefined || instrument === command.instrument)
    .flatMap((exposure) =>
      meant.flatMap((side) => (positionOf(exposure, side) === undefined ? [] : { exposure, side })),
    )
  if (open.length === 0) return { kind: 'nothing-to-reduce' }
  return { open }
}

/** The position that is turned round, and how many lots of it: all, unless the command says less. */
export function admitReversal(
  reading: Reading,
  command: ReversePosition,
):
  | {
      readonly account: Account
      readonly instrument: FuturesInstrument
      readonly hedged: boolean
      readonly side: PositionSide
      readonly exposure: Exposure
      readonly position: Position
      readonly lots: Lots
    }
  | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  const instrument = reading.catalog.instruments[command.instrument]
  if (instrument === undefined || !isFutures(instrument)) return { kind: 'instrument-unknown' }
  if (command.marginCoin !== undefined && command.marginCoin !== instrument.settle) {
    return { kind: 'margin-coin-wrong' }
  }
  const wallet = walletFor(account, 'v2', instrument.category)
  if (typeof wallet !== 'string') return wallet
  const hedged = account.holdMode[instrument.category] === 'hedge_mode'
  const side = reversedSide(command, hedged)
  const exposure = reading.futures.findOrNew(account.handle, wallet, instrument)
  const position = positionOf(exposure, side)
  if (position === undefined) return { kind: 'nothing-to-reduce' }
  const { quantity } = command
  if (quantity?.unit === 'quote') return { kind: 'quantity-unit-unsuitable' }
  const lots =
    quantity === undefined
      ? position.quantity
      : quantity.unit === 'lots'
        ? quantity.lots
        : contractsOf(instrument, position, quantity.amount)
  if (lots > position.quantity) return { kind: 'insufficient-position', free: position.quantity }
  return { account, instrument, hedged, side, exposure, position, lots }
}

/** A market order that closes lots of a position. In hedge mode v2 names the position by its direction (design §4.11). */
export function closing(
  reading: Reading,
  command: Pick<ClosePositions, 'uid' | 'interface' | 'channelCode'>,
  instrument: FuturesInstrument['id'],
  position: PositionSide,
  lots: Lots,
): PlaceOrder {
  const { uid, channelCode } = command
  const { category } = reading.instrument(instrument) as FuturesInstrument
  const hedged = reading.accounts.byUid(uid)?.holdMode[category] === 'hedge_mode'
  const byDirection = hedged && command.interface === 'v2'
  return {
    ...plainOrder,
    uid,
    interface: command.interface,
    category,
    instrument,
    side: (position === 'long') === byDirection ? 'buy' : 'sell',
    orderType: 'market',
    price: 0,
    quantity: { unit: 'lots', lots },
    positionSide: byDirection ? undefined : position,
    tradeSide: 'close',
    reduceOnly: true,
    channelCode,
  }
}

/** The side of the position that is closed. */
function reversedSide({ side, tradeSide }: ReversePosition, hedged: boolean): PositionSide {
  const buys = side === 'buy'
  return hedged && tradeSide !== 'open' ? (buys ? 'long' : 'short') : buys ? 'short' : 'long'
}

function walletFor(account: Account, version: Interface, line: ProductLine): WalletType | Refusal {
  const wallet = tradingWallet(account, version, line)
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  return wallet === 'unsuitable' ? { kind: 'account-mode-unsuitable' } : wallet
}
