/**
 * What is open in each contract, over all accounts: how much, who has most of it, and what the insurance fund holds.
 *
 * Largest   of one wallet of one account on one side, the fund left out; of equals who had it first
 * Cost      reads every exposure
 * Source    risk-engine.md §14, §15
 */
import { type FuturesInstrument, isFutures, notionalFloor } from '../catalog/catalog.ts'
import { divFloor, type Lots, oneCoin } from '../numbers/numbers.ts'
import type { ExposureView, LargestPosition } from '../protocol/query.ts'
import type { Reading } from '../state/state.ts'

/** Of every contract, in the order of their listing. */
export function exposures(reading: Reading): ExposureView[] {
  return reading.catalog.instruments.filter(isFutures).map((contract) => exposureOf(reading, contract))
}

function exposureOf(reading: Reading, { id, settle }: FuturesInstrument): ExposureView {
  const { futures, prices, accounts, liquidation } = reading
  let long: { account: number; quantity: number } | undefined
  let short: typeof long
  let fundLots = 0
  for (const { account, longQuantity, shortQuantity } of futures.ofInstrument(id)) {
    if (account === liquidation.fund) {
      fundLots += longQuantity - shortQuantity
      continue
    }
    if (longQuantity > (long?.quantity ?? 0)) long = { account, quantity: longQuantity }
    if (shortQuantity > (short?.quantity ?? 0)) short = { account, quantity: shortQuantity }
  }
  const openInterest = (futures.openInterest[id] ?? 0) as Lots
  const notional = notionalFloor(reading.scale(id), openInterest, prices.markPrice(id))
  const shown = (most: typeof long): LargestPosition | undefined =>
    most && { uid: accounts.byHandle(most.account).uid, quantity: most.quantity as Lots }
  return {
    instrument: id,
    openInterest,
    notionalUsd: divFloor(notional * prices.usdE8(settle), oneCoin),
    holdersLong: futures.holdersLong[id] ?? 0,
    holdersShort: futures.holdersShort[id] ?? 0,
    largestLong: shown(long),
    largestShort: shown(short),
    fundLots,
  }
}
