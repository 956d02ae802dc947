/**
 * The places of an account's positions in the queues of auto-deleveraging, for queries.
 *
 * Place    how many positions on the same side of the contract come before it (liquidation-rules/adl-ranking.ts has the order)
 * Lights   five in the first fifth of the queue, one in the last
 * Bounded  one pass over the contract's exposures, without sorting. Of more than `readsMax` of them, or when the account has
 *          many positions, only every n-th is read. The place is then right to within a few hundredths of the queue
 * Source   risk-engine.md §15
 */
import type { FuturesInstrument, ProductLine } from '../catalog/catalog.ts'
import { scoreOf } from '../liquidation-rules/liquidation-rules.ts'
import { rate, rateOne } from '../numbers/numbers.ts'
import type { AdlRankView } from '../protocol/query.ts'
import { readingWallet } from '../records/records.ts'
import { type Account, type Exposure, type Position, positionOf, type Reading } from '../state/state.ts'
import type { Interface } from '../vocabulary.ts'

/** Exposures read for one position, and for all positions of the account together. */
const readsMax = 250
const readsMaxAll = 1_000

/** Lights and rank of every open position of the account, or of those of one product line. */
export function adlRanks(
  reading: Reading,
  account: Account,
  version: Interface,
  only: ProductLine | undefined,
): AdlRankView[] {
  const held: { readonly exposure: Exposure; readonly position: Position }[] = []
  for (const exposure of reading.futures.ofAccount(account.handle)) {
    const { category } = reading.instrument(exposure.instrument) as FuturesInstrument
    if (exposure.wallet !== readingWallet(account, version, category)) continue
    if (only !== undefined && category !== only) continue
    for (const side of ['long', 'short'] as const) {
      const position = positionOf(exposure, side)
      if (position !== undefined) held.push({ exposure, position })
    }
  }
  const reads = Math.max(1, Math.min(readsMax, Math.floor(readsMaxAll / held.length)))
  return held.map(({ exposure, position }) => {
    const { ahead, length } = placeOf(reading, exposure, position, reads)
    return {
      instrument: exposure.instrument,
      side: position.side,
      indicator: 5 - Math.floor((5 * ahead) / length),
      rank: rate((rateOne * BigInt(length - ahead)) / BigInt(length)),
    }
  })
}

/** Of the positions that were read: how many come before this one, and how many there are, itself included. */
function placeOf(
  reading: Reading,
  exposure: Exposure,
  position: Position,
  reads: number,
): { readonly ahead: number; readonly length: number } {
  const listed = reading.futures.byInstrument[exposure.instrument] ?? []
  const stride = Math.ceil(listed.length / reads)
  const score = scoreOf(reading, exposure, position)
  const uid = reading.accounts.byHandle(exposure.account).uid
  let ahead = 0
  let length = 1
  for (let index = 0; index < listed.length; index += stride) {
    const other = reading.futures.at(listed[index])
    const open = positionOf(other, position.side)
    if (open === undefined || open.id === position.id) continue
    length++
    const against = scoreOf(reading, other, open)
    const older = open.id - position.id || reading.accounts.byHandle(other.account).uid - uid
    if (against > score || (against === score && older < 0)) ahead++
  }
  return { ahead, length }
}
