/**
 * A unified account explained: every coin of its wallet as collateral or debt, what its positions need, and the two rates
 * that decide.
 *
 * Totals   are those of the function that decides (margin/unified-margin.ts); lines that do not add up to them are a defect
 * Source   risk-engine.md §16
 */
import type { Coin, FuturesInstrument } from '../catalog/catalog.ts'
import { collateralValue, isCollateral, needsOf, unifiedAvailable, unifiedMargin, usdCeil } from '../margin/margin.ts'
import { assert, divCeil, divFloor, oneCoin, rateOne } from '../numbers/numbers.ts'
import { debtOf } from '../records/records.ts'
import type { Account, Exposure, Reading } from '../state/state.ts'
import { contractOf } from './contract.ts'
import { money, type Page, type Part, ratio, textOf, usd } from './lines.ts'

const source = 'The unified account'

/** The lines so far, in USD of 1e-8. */
interface Sums {
  equity: bigint
  initial: bigint
  maintenance: bigint
}

export function explainUnified(reading: Reading, page: Page, account: Account): void {
  const { ledger, catalog } = reading
  const part = page.about('unified account')
  const sums: Sums = { equity: 0n, initial: 0n, maintenance: 0n }
  const pnl = new Map<number, bigint>()
  for (const exposure of reading.futures.ofAccount(account.handle)) {
    if (exposure.wallet === 'uta') exposureLines(reading, part, exposure, sums, pnl)
  }
  for (const coin of catalog.coins) {
    const row = ledger.find(account.handle, 'uta', coin.id)
    const balance = ledger.balanceOf(row)
    const debt = debtOf(reading, row)
    const won = pnl.get(coin.id)
    if (balance === 0n && debt === 0n && won === undefined) continue
    const counts = isCollateral(reading, account.collateral, coin.id)
    coinLines(reading, part, coin, { balance, debt, pnl: won ?? 0n, counts }, sums)
  }
  totalLines(reading, part, account, sums)
}

/** What a contract adds to its coin's equity, and the margin that it needs. */
function exposureLines(reading: Reading, part: Part, exposure: Exposure, sums: Sums, pnl: Map<number, bigint>): void {
  const { instrument, money: measure } = contractOf(reading, exposure.instrument)
  const { settle, symbol } = instrument satisfies FuturesInstrument
  const price = reading.prices.usdE8(settle)
  const inUsd = (name: string, units: bigint, formula: string): bigint => {
    part.line(`${name} ${symbol}`, {
      source,
      formula,
      values: { units: textOf(measure, units), index: textOf(usd, price) },
      exact: [units * price, oneCoin],
      rounding: 'up',
      measure: usd,
      result: usdCeil(units, price),
    })
    return usdCeil(units, price)
  }
  if (exposure.held > 0n) sums.initial += inUsd('orderMargin', exposure.held, 'IM_orders = held × index')
  if (exposure.marginMode !== 'cross' || (exposure.long === undefined && exposure.short === undefined)) return
  const needs = needsOf(reading, exposure, instrument)
  part.line(`unrealizedPnl ${symbol}`, {
    source,
    formula: 'uPnL at the mark price',
    values: {},
    measure,
    result: needs.pnl,
  })
  pnl.set(settle, (pnl.get(settle) ?? 0n) + needs.pnl)
  sums.initial += inUsd('initialMargin', needs.initial, 'IM_pos = Σ ⌈V/L⌉ × index')
  sums.maintenance += inUsd('maintenanceMargin', needs.maintenance, 'MM_pos = ⌈V·(mmr + f) − cum⌉ × index')
}

function coinLines(
  reading: Reading,
  part: Part,
  coin: Coin,
  found: { readonly balance: bigint; readonly debt: bigint; readonly pnl: bigint; readonly counts: boolean },
  sums: Sums,
): void {
  const { balance, debt, pnl, counts } = found
  const measure = money(coin.name)
  const price = reading.prices.usdE8(coin.id)
  const equity = balance - debt + pnl
  const text = (units: bigint) => textOf(measure, units)
  part.amount(`indexPrice ${coin.name}`, usd, price)
  part.line(`equity ${coin.name}`, {
    source,
    formula: 'equity_c = balance_c − debt_c + Σ uPnL_c',
    values: { balance: text(balance), debt: text(debt), 'Σ uPnL': text(pnl) },
    measure,
    result: equity,
  })
  const values = { equity: text(equity), index: textOf(usd, price) }
  if (equity >= 0n) {
    const worth = divFloor(equity * price, oneCoin)
    const exact = [equity * price, oneCoin] as const
    const formula = 'value = equity_c × index_c'
    part.line(`value ${coin.name}`, { source, formula, values, exact, rounding: 'down', measure: usd, result: worth })
    if (counts) sums.equity += sliceLines(part, coin, worth)
    else part.word(`collateral ${coin.name}`, { source, formula: 'chosen as collateral', values: {} }, 'no')
    return
  }
  const owed = usdCeil(-equity, price)
  part.line(`owed ${coin.name}`, {
    source,
    formula: 'owed = |equity_c| × index_c, counts in full',
    values,
    exact: [-equity * price, oneCoin],
    rounding: 'up',
    measure: usd,
    result: owed,
  })
  sums.equity -= owed
  const share = (name: string, sign: string, rate: bigint): bigint => {
    const result = divCeil(owed * rate, rateOne)
    part.line(`${name} ${coin.name}`, {
      source,
      formula: `debt × ${sign}`,
      values: { debt: textOf(usd, owed), [sign]: textOf(ratio, rate) },
      exact: [owed * rate, rateOne],
      rounding: 'up',
      measure: usd,
      result,
    })
    return result
  }
  sums.initial += share('debtInitial', 'imr_c', coin.debtInitialRate)
  sums.maintenance += share('debtMaintenance', 'mmr_c', coin.debtMaintenanceRate)
}

/** Each slice of value at its own ratio; what lies beyond the last does not count. */
function sliceLines(part: Part, coin: Coin, worth: bigint): bigint {
  let from = 0n
  for (const [index, { to, ratio: share }] of coin.collateral.entries()) {
    if (worth <= from) break
    const slice = (worth < to ? worth : to) - from
    part.line(`collateral ${coin.name} slice ${index + 1}`, {
      source,
      formula: 'slice × ratio',
      values: { slice: textOf(usd, slice), from: textOf(usd, from), to: textOf(usd, to), ratio: textOf(ratio, share) },
      exact: [slice * share, rateOne],
      rounding: 'down',
      measure: usd,
      result: divFloor(slice * share, rateOne),
    })
    from = to
  }
  if (worth > from) part.amount(`beyond the last slice ${coin.name}`, usd, worth - from)
  const result = collateralValue(coin, worth)
  part.line(`collateral ${coin.name}`, { source, formula: 'Σ slices', values: {}, measure: usd, result })
  return result
}

function totalLines(reading: Reading, part: Part, account: Account, sums: Sums): void {
  const { equity, initial, maintenance } = unifiedMargin(reading, account.handle)
  const same = sums.equity === equity && sums.initial === initial && sums.maintenance === maintenance
  assert(same, 'the lines of a unified account add up to its margin')
  const text = (value: bigint) => textOf(usd, value)
  part.line('adj', {
    source,
    formula: 'adj = Σ collateral − Σ owed',
    values: {},
    measure: usd,
    result: equity,
  })
  const rates = [
    ['IMR', 'IMR = (Σ IM_pos + Σ IM_orders + Σ debt·imr_c) / adj, no new risk at 1', initial],
    ['MMR', 'MMR = (Σ MM_pos + Σ debt·mmr_c) / adj, liquidated at 1', maintenance],
  ] as const
  for (const [name, formula, needed] of rates) {
    const values = { needed: text(needed), adj: text(equity) }
    if (equity <= 0n) {
      part.word(name, { source, formula, values }, needed === 0n && equity === 0n ? '0' : 'above 1: no equity is left')
      continue
    }
    part.line(name, {
      source,
      formula,
      values,
      exact: [needed * rateOne, equity],
      rounding: 'up',
      step: 10_000n,
      measure: ratio,
      result: divCeil(needed * oneCoin, equity) * 10_000n,
    })
  }
  const [first] = reading.catalog.coins
  const usdt = reading.catalog.coins.find(({ name }) => name === 'USDT') ?? first
  const price = reading.prices.usdE8(usdt.id)
  part.line(`available ${usdt.name}`, {
    source,
    formula: '(adj − Σ IM) / index, for new risk',
    values: { adj: text(equity), 'Σ IM': text(initial), index: text(price) },
    exact: [(equity - initial) * oneCoin, price],
    rounding: 'down',
    measure: money(usdt.name),
    result: unifiedAvailable(reading, account.handle, usdt.id),
  })
  const values = { adj: text(equity), MM: text(maintenance) }
  const breached = equity <= maintenance && maintenance > 0n
  part.word('breached', { source, formula: 'liquidated when adj <= Σ MM', values }, breached ? 'yes' : 'no')
}
