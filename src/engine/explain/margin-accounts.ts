/**
 * Margin accounts explained: one coin of a classic futures wallet with its cross positions, and each isolated position.
 *
 *   Eq = W + Σ uPnL      MM, IM = Σ over its contracts      liquidated when Eq <= MM
 *
 * Exact     decisions compare equity and maintenance in 1e-12 of a unit, as they are shown here
 * Isolated  positions stand outside, on their own margin; each is listed with its backing and whether it is breached
 * Not here  the unified account (unified.ts)
 * Source    risk-engine.md §5, §6, §7
 */
import { initialMarginOf, tierValue } from '../catalog/catalog.ts'
import { allCoins, type Pool, poolsOf, marginStateOf } from '../liquidation-rules/liquidation-rules.ts'
import {
  maintenanceFraction,
  maintenanceMargin,
  marginFraction,
  marginRatio,
  pnlFraction,
  sliceAt,
  valueFraction,
} from '../margin/margin.ts'
import { type Lots, rateOne } from '../numbers/numbers.ts'
import { type Account, type Exposure, largerSide, type Position, type Reading, unrealizedPnl } from '../state/state.ts'
import { coinName, contractOf } from './contract.ts'
import { type Chapter, type Measure, money, type Page, type Part, ratio, textOf } from './lines.ts'

export function explainMarginAccounts(reading: Reading, page: Page, account: Account): void {
  for (const pool of poolsOf(reading, account.handle)) {
    if (pool.coin !== allCoins) explainPool(reading, page, pool)
  }
}

function explainPool(reading: Reading, page: Page, pool: Pool): void {
  const coin = coinName(reading, pool.coin)
  const isolated = pool.side !== undefined
  const { symbol } = reading.instrument(pool.exposures[0].instrument)
  const name = isolated ? `isolated ${symbol} ${pool.side} in ${pool.wallet}` : `cross ${pool.wallet} ${coin}`
  const part = page.about(name)
  const measure = money(coin)
  const backing = isolated
    ? (pool.exposures[0][pool.side]?.margin ?? 0n)
    : reading.ledger.balanceOf(reading.ledger.find(pool.account, pool.wallet, pool.coin))
  part.amount(isolated ? 'margin M' : 'wallet W', measure, backing)
  let initial = 0n
  for (const exposure of pool.exposures) {
    for (const position of [exposure.long, exposure.short]) {
      if (position === undefined || (isolated && position.side !== pool.side)) continue
      initial += positionLines(reading, part, exposure, position)
    }
    maintenanceLine(reading, part, exposure, pool)
  }
  marginLines(reading, part, pool, backing, initial)
}

/** Profit and initial margin of one position; answers the margin, in units. */
function positionLines(reading: Reading, part: Part, exposure: Exposure, position: Position): bigint {
  const { instrument, scale, money: measure, quantity, price } = contractOf(reading, exposure.instrument)
  const mark = reading.prices.markPrice(instrument.id)
  const name = `${instrument.symbol} ${position.side}`
  const values = {
    s: position.side === 'long' ? '+1' : '−1',
    q: textOf(quantity, position.quantity),
    Pm: textOf(price, mark),
  }
  part.line(`unrealizedPnl ${name}`, {
    source: scale.inverse ? 'Coin-margined contracts' : 'Initial and maintenance margin',
    formula: scale.inverse ? 'uPnL = F − s·N/Pm' : 'uPnL = F + s·q·Pm',
    values: { F: textOf(measure, position.entryValue), ...values },
    exact: pnlFraction(scale, position, mark),
    rounding: 'down',
    measure,
    result: unrealizedPnl(scale, position, mark),
  })
  const result = initialMarginOf(scale, position.quantity, mark, exposure.leverage)
  if (exposure.marginMode === 'isolated') return result
  const [value, divisor] = valueFraction(scale, position.quantity, mark)
  part.line(`initialMargin ${name}`, {
    source: 'Cross',
    formula: 'IM = V(Pm) / L',
    values: { q: values.q, Pm: values.Pm, L: String(exposure.leverage) },
    exact: [value, divisor * BigInt(exposure.leverage)],
    rounding: 'up',
    measure,
    result,
  })
  return result
}

/** Maintenance of one contract; of a cross hedge the larger side counts (risk-engine §7). */
function maintenanceLine(reading: Reading, part: Part, exposure: Exposure, pool: Pool): void {
  const contract = contractOf(reading, exposure.instrument)
  const { instrument, scale, money: measure, quantity, price, value } = contract
  const mark = reading.prices.markPrice(instrument.id)
  const counted = (pool.side === undefined ? largerSide(exposure) : (exposure[pool.side]?.quantity ?? 0)) as Lots
  const slice = sliceAt(instrument, tierValue(scale, counted, mark))
  part.line(`maintenanceMargin ${instrument.symbol}`, {
    source: pool.side === undefined ? 'Hedge mode' : 'Isolated',
    formula: 'MM = V(Pm) × (mmr + f) − cum, of the larger side',
    values: {
      q: textOf(quantity, counted),
      Pm: textOf(price, mark),
      'mmr + f': textOf(ratio, slice.rate),
      cum: textOf({ ...value, decimals: 20 }, slice.deduction),
    },
    exact: maintenanceFraction(contract, counted, mark, slice),
    rounding: 'up',
    measure,
    result: maintenanceMargin(instrument, scale, counted, mark),
  })
}

/** Equity, maintenance and initial margin of the whole margin account. */
function marginLines(reading: Reading, part: Part, pool: Pool, backing: bigint, initial: bigint): void {
  const coin = coinName(reading, pool.coin)
  const unitE12 = coinE12(coin)
  const isolated = pool.side !== undefined
  const { equity, maintenance } = marginStateOf(reading, pool)
  const source = isolated ? 'Isolated' : 'Cross'
  part.line('equity', {
    source,
    formula: isolated ? 'E_q = M + uPnL(Pm)' : 'Eq = W + Σ uPnL(Pm)',
    values: {
      [isolated ? 'M' : 'W']: textOf(money(coin), backing),
      'Σ uPnL': textOf(unitE12, equity - backing * rateOne),
    },
    measure: unitE12,
    result: equity,
  })
  part.line('maintenanceMargin', { source, formula: 'MM = Σ MM(V)', values: {}, measure: unitE12, result: maintenance })
  if (!isolated) {
    part.line('initialMargin', {
      source,
      formula: 'IM = Σ V(Pm)/L',
      values: {},
      measure: money(coin),
      result: initial,
    })
  }
  ratioLine(reading, part, pool, { source, equity, maintenance, unit: unitE12 })
}

/** Maintenance over equity, and whether the margin account is breached. */
function ratioLine(
  reading: Reading,
  part: Part,
  { exposures: [exposure], side }: Pool,
  {
    source,
    equity,
    maintenance,
    unit,
  }: { readonly source: Chapter; readonly equity: bigint; readonly maintenance: bigint; readonly unit: Measure },
): void {
  const values = { MM: textOf(unit, maintenance), Eq: textOf(unit, equity) }
  const position = side === undefined ? (exposure.long ?? exposure.short) : exposure[side]
  if (equity > 0n && position !== undefined) {
    const { instrument } = contractOf(reading, exposure.instrument)
    const [needed, whole] = marginFraction(reading, instrument, exposure, position)
    part.line('marginRatio', {
      source,
      formula: 'marginRatio = MM / Eq',
      values,
      exact: [needed * rateOne, whole],
      rounding: 'up',
      step: 10_000n,
      measure: ratio,
      result: marginRatio(reading, instrument, exposure, position),
    })
  }
  const formula = 'liquidated when Eq <= MM'
  part.word('breached', { source, formula, values }, equity <= maintenance ? 'yes' : 'no')
}

/** Money of a coin in 1e-12 of a unit. */
export function coinE12(coin: string): Measure {
  return { unit: coin, factor: 1n, decimals: 20 }
}
