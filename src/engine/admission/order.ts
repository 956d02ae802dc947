/**
 * Admission of an order: who asks, whether it is allowed, and what it would meet. The first half of an order's way.
 *
 * Precedence  account, wallet, instrument, order-entry limits, shape, then what the order needs; the first refusal wins
 * Full        at the most open orders, a closing order is admitted if it supersedes earlier ones
 * Not here    the second half: orders/place.ts writes what is decided here
 * Source      interface.md E2, E3; design.md §4.6, §4.18, §4.20
 */
import type { FuturesInstrument, SpotInstrument } from '../catalog/catalog.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import { tradingWallet } from '../records/records.ts'
import type { Reading } from '../state/state.ts'
import type { OrderCause } from '../vocabulary.ts'
import type { Admitted } from './admitted.ts'
import { refuseAttachedTpsl, unitFits } from './checks.ts'
import { admitFutures } from './futures.ts'
import type { OrderIntake, Placing } from './intake.ts'
import { isAskedFor, onlyReduces, refuseByLimits, refuseUnannounced, staysOpen, tradedAs } from './limits.ts'
import { admitSpot } from './spot.ts'

/**
 * What an order would do, or why it may not be.
 *
 * Orders of the venue itself (triggered or forced) skip the order-entry limits. They need no place among the open orders,
 * are not counted, and are not held to announced symbols.
 */
export function admitOrder(
  reading: Reading,
  command: PlaceOrder,
  cause: OrderCause,
  placing: Placing,
): Admitted | Refusal {
  const account = reading.accounts.byUid(command.uid)
  if (account === undefined) return { kind: 'account-unknown' }
  if (account.frozen && cause === 'user') return { kind: 'account-frozen' }
  const wallet = tradingWallet(account, command.interface, command.category)
  if (wallet === 'changing') return { kind: 'account-changing-mode' }
  if (wallet === 'unsuitable') return { kind: 'account-mode-unsuitable' }
  const instrument = reading.catalog.instruments[command.instrument]
  if (instrument === undefined || !tradedAs(instrument, command.category)) return { kind: 'instrument-unknown' }
  if (instrument.status !== 'online') return { kind: 'instrument-closed', status: instrument.status }

  const limits = isAskedFor(cause)
    ? (refuseUnannounced(account, instrument, command) ??
      refuseByLimits(reading, account, instrument, {
        clientOid: command.clientOid,
        resting: staysOpen(command) && placing.replaced === undefined ? 1 : 0,
      }))
    : undefined
  const full = limits?.kind === 'open-orders-max' && onlyReduces(account, instrument, command)
  if (limits !== undefined && !full) return limits
  if (!unitFits(instrument, command)) return { kind: 'quantity-unit-unsuitable' }
  const tpslRefusal = refuseAttachedTpsl(command)
  if (tpslRefusal !== undefined) return tpslRefusal
  const scale = reading.scale(instrument.id)
  const intake: OrderIntake = { account, wallet, instrument, scale, command, cause, placing }
  const admitted = admitNeeds(reading, intake)
  return full && !('kind' in admitted) && admitted.supersededReduceOnly.length === 0 ? limits : admitted
}

/** What the order itself needs: quantity, price, holds, margin, and what it would meet. */
export function admitNeeds(reading: Reading, intake: OrderIntake): Admitted | Refusal {
  return intake.instrument.kind === 'spot'
    ? admitSpot(reading, intake as OrderIntake<SpotInstrument>)
    : admitFutures(reading, intake as OrderIntake<FuturesInstrument>)
}
