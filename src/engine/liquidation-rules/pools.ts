/**
 * What stands against what is needed, pool by pool, in 1e-12 units: decisions compare these, never displayed values.
 *
 * Pool      an isolated position, a cross margin account (account, wallet, margin coin), or a unified account as a whole
 * Breached  equity <= maintenance
 * Source    risk-engine.md §5, §6, §12, §16
 */
import { type CoinId, type FuturesInstrument, notionalFloor } from '../catalog/catalog.ts'
import { maintenanceE12, unifiedMargin } from '../margin/margin.ts'
import { divCeil, divFloor, type Lots, rateOne } from '../numbers/numbers.ts'
import { isCoinHalted, isHalted } from '../price-rules/price-rules.ts'
import { type Breached, type Exposure, largerSide, type Position, type Reading } from '../state/state.ts'
import type { AccountHandle, PositionSide, WalletType } from '../vocabulary.ts'

export interface Pool {
  readonly account: AccountHandle
  readonly wallet: WalletType
  /** Margin coin; `allCoins` for a unified account. */
  readonly coin: CoinId
  /** The one exposure of an isolated position, or all with positions of a cross margin account. */
  readonly exposures: readonly Exposure[]
  /** The isolated position's side; undefined: cross. */
  readonly side: PositionSide | undefined
}

/** In 1e-12 units of the margin coin; of a unified account in USD of 1e-8. */
export interface MarginState {
  readonly equity: bigint
  readonly maintenance: bigint
}

/** In place of a margin coin: the pool of a unified account. */
export const allCoins = -1

/** The pools in which an account has positions, in the order of their contracts. */
export function poolsOf(reading: Reading, account: AccountHandle): Pool[] {
  const pools: Pool[] = []
  const crossPools = new Map<string, Exposure[]>()
  for (const exposure of reading.futures.ofAccount(account)) {
    if (exposure.long === undefined && exposure.short === undefined) continue
    const { settle } = reading.instrument(exposure.instrument) as FuturesInstrument
    const where = { account, wallet: exposure.wallet, coin: settle }
    if (exposure.marginMode === 'isolated') {
      if (exposure.long !== undefined) pools.push({ ...where, exposures: [exposure], side: 'long' })
      if (exposure.short !== undefined) pools.push({ ...where, exposures: [exposure], side: 'short' })
      continue
    }
    const coin = exposure.wallet === 'uta' ? allCoins : settle
    const key = `${exposure.wallet} ${coin}`
    const known = crossPools.get(key)
    if (known !== undefined) {
      known.push(exposure)
      continue
    }
    const exposures = [exposure]
    crossPools.set(key, exposures)
    pools.push({ ...where, coin, exposures, side: undefined })
  }
  // A unified account that owes is a pool even without a position.
  if (!crossPools.has(`uta ${allCoins}`) && owesUnified(reading, account)) {
    pools.push({ account, wallet: 'uta', coin: allCoins, exposures: [], side: undefined })
  }
  return pools
}

/** Equity and maintenance of a pool at the marks as they stand. */
export function marginStateOf(reading: Reading, pool: Pool): MarginState {
  if (pool.side !== undefined) {
    const exposure = pool.exposures[0]
    const position = exposure[pool.side]
    if (position === undefined) return { equity: 0n, maintenance: -1n }
    const equity = position.margin * rateOne + pnlE12(reading, exposure, position)
    return { equity, maintenance: neededE12(reading, exposure, position.quantity) }
  }
  if (pool.coin === allCoins) return unifiedMargin(reading, pool.account)
  let equity = reading.ledger.balanceOf(reading.ledger.find(pool.account, pool.wallet, pool.coin)) * rateOne
  let maintenance = 0n
  for (const exposure of pool.exposures) {
    for (const position of [exposure.long, exposure.short]) {
      if (position !== undefined) equity += pnlE12(reading, exposure, position)
    }
    maintenance += neededE12(reading, exposure, largerSide(exposure))
  }
  return { equity, maintenance }
}

function owesUnified(reading: Reading, account: AccountHandle): boolean {
  const { ledger } = reading
  for (const row of ledger.rowsOf(account)) {
    if (ledger.walletOf(row) === 'uta' && ledger.debtOf(row) > 0n) return true
  }
  return false
}

/** Unrealized PnL at mark in 1e-12 units: exact for linear, rounded down for inverse. */
export function pnlE12(reading: Reading, exposure: Exposure, position: Position): bigint {
  const scale = reading.scale(exposure.instrument)
  const mark = BigInt(reading.prices.markPrice(exposure.instrument))
  const quantity = BigInt(position.quantity)
  const long = position.side === 'long'
  const entryValue = position.entryValue * rateOne
  if (!scale.inverse) {
    const value = quantity * mark * scale.unit * rateOne
    return long ? entryValue + value : entryValue - value
  }
  const dividend = quantity * scale.numerator * rateOne
  const divisor = mark * scale.priceStep
  return long ? entryValue - divCeil(dividend, divisor) : entryValue + divFloor(dividend, divisor)
}

function neededE12(reading: Reading, exposure: Exposure, quantity: Lots): bigint {
  const instrument = reading.instrument(exposure.instrument) as FuturesInstrument
  return maintenanceE12(instrument, reading.scale(instrument.id), quantity, reading.prices.markPrice(instrument.id))
}

/** Whether what has no trusted price is a hundredth of the pool or more. */
export function isPoolHalted(reading: Reading, pool: Pool): boolean {
  let all = 0n
  let halted = 0n
  const count = (worth: bigint, isUntrusted: boolean) => {
    all += worth
    if (isUntrusted) halted += worth
  }
  for (const exposure of pool.exposures) {
    const { id, settle } = reading.instrument(exposure.instrument) as FuturesInstrument
    const mark = reading.prices.markPrice(id)
    const worth = notionalFloor(reading.scale(id), largerSide(exposure), mark) * reading.prices.usdE8(settle)
    count(worth, isHalted(reading, id))
  }
  if (pool.coin === allCoins) {
    const { ledger } = reading
    for (const row of ledger.rowsOf(pool.account)) {
      if (ledger.walletOf(row) !== 'uta') continue
      const coin = ledger.coinOf(row)
      count((ledger.balanceOf(row) + ledger.debtOf(row)) * reading.prices.usdE8(coin), isCoinHalted(reading, coin))
    }
  }
  return halted > 0n && halted * 100n >= all
}

const ratioOne = 1_000_000_000n
const ratioWorst = 1_000_000_000_000_000_000n

/**
 * A breached pool as it is queued. `ratio` is maintenance over equity in 1e-9; once equity is used up it lies above any such
 * ratio, the more so the more is missing.
 */
export function breachedOf(pool: Pool, equity: bigint, maintenance: bigint): Breached {
  const first = pool.exposures[0] as Exposure | undefined
  return {
    account: pool.account,
    wallet: pool.wallet,
    coin: pool.coin,
    exposure: pool.side === undefined || first === undefined ? -1 : first.index,
    side: pool.side ?? '',
    ratio: equity <= 0n ? ratioWorst - equity : (maintenance * ratioOne) / equity,
    instrument: first?.instrument ?? 0,
  }
}

/** What tells a pool from every other. */
export function keyOf({ account, wallet, coin, exposure, side }: Breached): string {
  return `${account} ${wallet} ${coin} ${exposure} ${side}`
}
