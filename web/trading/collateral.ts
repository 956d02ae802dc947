/**
 * The collateral of a cross position, for the preview's liquidation price: all coins of the unified wallet at the ratios at
 * which they count, or in a futures wallet the coin alone that the contract settles in.
 * Source  risk-engine.md §6, §8, §16
 */
import { divFloor, minOf, oneE8, timesCeil, timesFloor, units } from '../numbers/decimal.ts'
import type { CoinBalance, CoinMarginState, Position, Wallet } from '../venue/account-records.ts'
import type { Instrument } from '../venue/instruments.ts'
import { type CrossPool, debtMaintenanceRate } from './liquidation.ts'

interface Step {
  readonly from: bigint
  readonly ratio: bigint
}

/** By coin: from how many USD on which ratio counts. */
export type Ratios = ReadonlyMap<string, readonly Step[]>

export interface RatioRecord {
  readonly coin: string
  readonly list: readonly { readonly tierStartValue: string; readonly discountRate: string }[]
}

export function ratiosOf(records: readonly RatioRecord[]): Ratios {
  return new Map(
    records.map(({ coin, list }) => [
      coin,
      list.map(({ tierStartValue, discountRate }) => ({ from: units(tierStartValue), ratio: units(discountRate) })),
    ]),
  )
}

/** What so many USD of a coin count for, slice by slice, and the ratio of the last slice; debts count in full. */
function counted(steps: readonly Step[], usd: bigint): { readonly usd: bigint; readonly ratio: bigint } {
  if (usd <= 0n || steps.length === 0) return { usd, ratio: oneE8 }
  let sum = 0n
  let ratio = oneE8
  for (const [index, step] of steps.entries()) {
    if (usd <= step.from) break
    const end = steps[index + 1]?.from ?? usd
    sum += divFloor((minOf(usd, end) - step.from) * step.ratio, oneE8)
    ratio = step.ratio
  }
  return { usd: sum, ratio }
}

type Contract = Pick<Instrument, 'base' | 'settle' | 'kind'>

interface Beside {
  readonly ratios: Ratios
  readonly markPrice: bigint
  /** Open positions of the account. */
  readonly positions: readonly Pick<Position, 'marginMode' | 'marginCoin' | 'margin' | 'unrealizedPnl'>[]
}

export function crossPool(contract: Contract, wallet: Wallet, beside: Beside): CrossPool | undefined {
  if (wallet.marginState !== undefined) return wholePool(contract, wallet, beside)
  const marginState = wallet.coins.find(({ coin }) => coin === contract.settle)?.marginState
  return marginState && coinPool(contract, marginState, beside.markPrice)
}

/** A coin's equity without the margin and the profit of isolated positions, which back nothing else, and its USD. */
function crossEquity(
  { coin, ...balance }: CoinBalance,
  positions: Beside['positions'],
): { equity: bigint; usd: bigint } {
  const [whole, usd] = [units(balance.equity), units(balance.usd)]
  let equity = whole
  for (const { marginMode, marginCoin, margin, unrealizedPnl } of positions) {
    if (marginMode === 'isolated' && marginCoin === coin) equity -= units(margin) + units(unrealizedPnl)
  }
  return { equity, usd: whole === 0n ? usd : divFloor(usd * equity, whole) }
}

/** In the coin itself; of a coin-margined contract in USD at its mark. */
function coinPool({ kind }: Contract, { equity, maintenanceMargin }: CoinMarginState, markPrice: bigint): CrossPool {
  const inverse = kind === 'inverse'
  const settleValue = units(equity)
  const needed = units(maintenanceMargin)
  return {
    markPrice,
    settleValue: inverse ? timesFloor(settleValue, markPrice) : settleValue,
    settleRatio: oneE8,
    baseCollateral: 0n,
    otherCollateral: 0n,
    maintenanceOfOthers: inverse ? timesCeil(needed, markPrice) : needed,
  }
}

function wholePool({ base, settle }: Contract, wallet: Wallet, { ratios, markPrice, positions }: Beside): CrossPool {
  let settleValue = 0n
  let settleRatio = ratios.get(settle)?.[0]?.ratio ?? oneE8
  let baseCollateral = 0n
  let otherCollateral = 0n
  let maintenanceOfOthers = units(wallet.marginState?.maintenanceMargin)
  for (const coin of wallet.coins) {
    const { equity, usd } = crossEquity(coin, positions)
    const { usd: collateral, ratio } = counted(ratios.get(coin.coin) ?? [], usd)
    const debt = minOf(0n, usd)
    if (coin.coin === settle) {
      settleValue = usd
      settleRatio = ratio
    } else if (coin.coin === base) {
      // A debt in the base coin grows with its price, and so does what it needs.
      const weight = debt < 0n ? oneE8 + debtMaintenanceRate : ratio
      baseCollateral = divFloor(equity * weight, oneE8)
    } else {
      otherCollateral += collateral
      continue
    }
    maintenanceOfOthers += divFloor(debt * debtMaintenanceRate, oneE8)
  }
  return { markPrice, settleValue, settleRatio, baseCollateral, otherCollateral, maintenanceOfOthers }
}
