/**
 * The mark of a contract at which a unified account is liquidated, with the coin that the contract is about moving along.
 *
 * Source  risk-engine.md §16
 */
import type { CoinId, FuturesInstrument } from '../catalog/catalog.ts'
import { big, divCeil, priceTicksMax, rateOne, type Ticks } from '../numbers/numbers.ts'
import type { Exposure, Reading } from '../state/state.ts'
import { noRow } from '../storage/storage.ts'
import { countBalances, countedUsd, needsOf, usdCeil } from './unified-margin.ts'

/**
 * Mark of a contract at which the account is liquidated, to the tick, net long up and net short down; 0: none. The coin
 * that the contract is about moves with it, as collateral and as debt; all other prices stand.
 */
export function unifiedLiquidationPrice(reading: Reading, exposure: Exposure): Ticks | 0 {
  const { id } = reading.instrument(exposure.instrument)
  const now = reading.prices.markPrice(id)
  const spareAt = spareByMark(reading, exposure)
  const net = exposure.longQuantity - exposure.shortQuantity
  // Between a mark that is sound and one that is not lies the one looked for.
  let sound: number = net > 0 ? priceTicksMax : 1
  let breached: number = net > 0 ? 1 : priceTicksMax
  const spareNow = spareAt(now)
  if (spareNow > 0n) sound = now
  else breached = now
  let most = sound === now ? spareNow : spareAt(sound)
  let least = breached === now ? spareNow : spareAt(breached)
  if (least > 0n || most <= 0n) return 0
  for (let step = 1; Math.abs(sound - breached) > 1; step++) {
    const width = Math.abs(sound - breached)
    // The way between them is nearly straight. Each third step halves it, so that a bend costs little.
    const crossing = step % 3 === 0 ? width >> 1 : Number((big(width) * most) / (most - least))
    const part = Math.min(Math.max(1, crossing), width - 1)
    const mark = sound < breached ? sound + part : sound - part
    const spare = spareAt(mark)
    if (spare > 0n) [sound, most] = [mark, spare]
    else [breached, least] = [mark, spare]
  }
  return (least === 0n ? breached : sound) as Ticks
}

/**
 * What an account has beyond its maintenance, in USD of 1e-8, by the mark of one of its contracts. The coin that the
 * contract is about moves with the mark. What neither of them changes is summed once.
 */
function spareByMark(reading: Reading, exposure: Exposure): (mark: number) => bigint {
  const { account } = exposure
  const { collateral } = reading.accounts.byHandle(account)
  const own = reading.instrument(exposure.instrument) as FuturesInstrument
  const { base, settle } = own
  const now = big(reading.prices.markPrice(own.id))
  const baseUsd = reading.prices.usdE8(base)
  const spareOf = (coin: CoinId, units: bigint, usd: bigint): bigint => {
    if (units >= 0n) return countedUsd(reading, collateral, coin, units, usd)
    const owed = usdCeil(-units, usd)
    return -owed - divCeil(owed * reading.catalog.coins[coin].debtMaintenanceRate, rateOne)
  }

  const { equities } = reading.scratch
  countBalances(reading, account)
  let still = 0n
  /** What other contracts need that are settled in the coin. */
  const needed: bigint[] = []
  for (const other of reading.futures.ofAccount(account)) {
    if (other.index === exposure.index || other.wallet !== 'uta' || other.marginMode !== 'cross') continue
    if (other.longRow === noRow && other.shortRow === noRow) continue
    const instrument = reading.instrument(other.instrument) as FuturesInstrument
    const { pnl, maintenance } = needsOf(reading, other, instrument)
    equities.add(instrument.settle, pnl)
    if (instrument.settle === base) needed.push(maintenance)
    else still -= usdCeil(maintenance, reading.prices.usdE8(instrument.settle))
  }
  const [ofBase, ofSettle] = [equities.of(base), equities.of(settle)]
  for (let place = 0; place < equities.count; place++) {
    const coin = equities.coins[place]
    if (coin !== base && coin !== settle) still += spareOf(coin, equities.units[place], reading.prices.usdE8(coin))
  }

  return (mark) => {
    const usd = (baseUsd * big(mark)) / now
    const { pnl, maintenance } = needsOf(reading, exposure, own, mark as Ticks)
    const settleUsd = settle === base ? usd : reading.prices.usdE8(settle)
    let spare = still + spareOf(settle, ofSettle + pnl, settleUsd) - usdCeil(maintenance, settleUsd)
    if (settle !== base) spare += spareOf(base, ofBase, usd)
    for (const units of needed) spare -= usdCeil(units, usd)
    return spare
  }
}
