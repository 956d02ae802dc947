/**
 * What carries a cross position, for the preview's liquidation price: all coins of the unified wallet at the ratios at which
 * they count, or in a futures wallet of its own the coin that the contract settles in alone.
 * Source  risk-engine.md §6, §8, §16
 */
import { divFloor, minOf, oneE8, timesCeil, timesFloor, units } from '../numbers/decimal.ts'
import type { CoinBalance, CoinStanding, Position, Wallet } from '../venue/account-records.ts'
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
  if (wallet.standing !== undefined) return wholePool(contract, wallet, beside)
  const carries = wallet.coins.find(({ coin }) => coin === contract.settle)?.carries
  return carries && coinPool(contract, carries, beside.markPrice)
}

/** A coin's equity without the margin and the profit of isolated positions, which carry nothing else, and its USD. */
function carrying({ coin, ...worth }: CoinBalance, positions: Beside['positions']): { equity: bigint; usd: bigint } {
  const [whole, usd] = [units(worth.equity), units(worth.usd)]
  let equity = whole
  for (const { marginMode, marginCoin, margin, unrealizedPnl } of positions) {
    if (marginMode === 'isolated' && marginCoin === coin) equity -= units(margin) + units(unrealizedPnl)
  }
  return { equity, usd: whole === 0n ? usd : divFloor(usd * equity, whole) }
}

/** In the coin itself; of a coin-margined contract in USD at its mark. */
function coinPool({ kind }: Contract, { equity, maintenanceMargin }: CoinStanding, markPrice: bigint): CrossPool {
  const inverse = kind === 'inverse'
  const settleWorth = units(equity)
  const needed = units(maintenanceMargin)
  return {
    markPrice,
    settleWorth: inverse ? timesFloor(settleWorth, markPrice) : settleWorth,
    settleRatio: oneE8,
    baseCollateral: 0n,
    otherWorth: 0n,
    maintenanceOfOthers: inverse ? timesCeil(needed, markPrice) : needed,
  }
}

function wholePool({ base, settle }: Contract, wallet: Wallet, { ratios, markPrice, positions }: Beside): CrossPool {
  let settleWorth = 0n
  let settleRatio = ratios.get(settle)?.[0]?.ratio ?? oneE8
  let baseCollateral = 0n
  let otherWorth = 0n
  let maintenanceOfOthers = units(wallet.standing?.maintenanceMargin)
  for (const coin of wallet.coins) {
    const { equity, usd } = carrying(coin, positions)
    const { usd: worth, ratio } = counted(ratios.get(coin.coin) ?? [], usd)
    const debt = minOf(0n, usd)
    if (coin.coin === settle) {
      settleWorth = usd
      settleRatio = ratio
    } else if (coin.coin === base) {
      // A debt in the base coin grows with its price, and so does what it needs.
      const weight = debt < 0n ? oneE8 + debtMaintenanceRate : ratio
      baseCollateral = divFloor(equity * weight, oneE8)
    } else {
      otherWorth += worth
      continue
    }
    maintenanceOfOthers += divFloor(debt * debtMaintenanceRate, oneE8)
  }
  return { markPrice, settleWorth, settleRatio, baseCollateral, otherWorth, maintenanceOfOthers }
}
