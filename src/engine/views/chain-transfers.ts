/**
 * Where an account receives, what is on its way, and where it withdrew to.
 *
 * Source  design.md §4.41; docs/decisions/0027-simulated-chain.md
 */
import { chainNamed, depositAddress } from '../catalog/catalog.ts'
import type { Answer, Query } from '../protocol/query.ts'
import { confirmed } from '../records/records.ts'
import type { Reading } from '../state/state.ts'

type Ask<Kind extends 'deposit-address' | 'chain-transfers' | 'withdrawal-addresses'> = Query<Kind>

/** Undefined: there is no such account, or the coin has no such network. */
export function depositAddressView(
  reading: Reading,
  { uid, coin: id, network }: Ask<'deposit-address'>,
): Answer<'deposit-address'> {
  const coin = reading.catalog.coins[id]
  if (coin === undefined || chainNamed(coin, network) === undefined) return undefined
  return reading.accounts.byUid(uid) === undefined ? undefined : depositAddress(network, coin.name, uid)
}

/** Newest first. */
export function chainTransferViews(reading: Reading, ask: Ask<'chain-transfers'>): Answer<'chain-transfers'> {
  const open = [...reading.chainTransfers.open.values()]
  const own = open.filter(({ uid, direction }) => uid === ask.uid && direction === ask.direction)
  return own.toReversed().map(({ usdE8: _counted, ...transfer }) => ({
    transfer,
    confirmed: confirmed(reading, transfer),
  }))
}

/** Newest first. */
export function withdrawalAddresses(
  reading: Reading,
  { uid }: Ask<'withdrawal-addresses'>,
): Answer<'withdrawal-addresses'> {
  const noted = reading.chainTransfers.addresses.get(reading.accounts.handleOf(uid)) ?? []
  return noted.toReversed()
}
