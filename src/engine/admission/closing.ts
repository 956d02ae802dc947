/**
 * The order that closes a position, and the position that a reversal means.
 *
 * Source  wire/client-endpoints.md §4; design.md §4.11
 */
import type { FuturesInstrument, ProductLine } from '../catalog/catalog.ts'
import type { Lots } from '../numbers/numbers.ts'
import type { ClosePositions, PlaceOrder, ReversePosition } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { tradingWallet } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'
import type { Interface, PositionSide, WalletType } from '../vocabulary.ts'
import { plainOrder } from './plain-order.ts'

export function walletFor(account: Account, version: Interface, line: ProductLine): WalletType | Refusal {
  const wallet = tradingWallet(account, version, line)
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  return wallet === 'unsuitable' ? { kind: 'account-mode-unsuitable' } : wallet
}

/** In hedge mode v2 names the position's direction (design §4.11). */
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

/** The position that is closed. */
export function reversedSide({ side, tradeSide }: ReversePosition, hedged: boolean): PositionSide {
  const buys = side === 'buy'
  return hedged && tradeSide !== 'open' ? (buys ? 'long' : 'short') : buys ? 'short' : 'long'
}
