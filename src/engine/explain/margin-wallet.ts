/**
 * A cross margin wallet explained: assets over debt, and the levels that it is compared with.
 *
 * Exact     values are products of units and prices, 1e-16 USD; decisions compare them in that unit
 * Price     with one asset and debt in other coins only: the price of that asset at each level, level × D / q
 * Source    risk-engine.md §17
 */
import { isAtOrBelow, levelOf, riskRateOf, walletStateOf } from '../lending/lending.ts'
import { assert, divCeil, divFloor, type Rate, rateOne } from '../numbers/numbers.ts'
import { debtOf } from '../records/records.ts'
import type { Account, Reading } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { coinName } from './contract.ts'
import { money, type Page, type Part, ratio, textOf, usd } from './lines.ts'
import { rowsInUse } from './wallets.ts'

const source = 'Cross margin: loans'
/** 1e-16 USD. */
const usdE16 = { unit: 'USD', factor: 1n, decimals: 16 }

export function explainMarginWallet(reading: Reading, page: Page, account: Account): void {
  const { ledger, prices } = reading
  const rows = rowsInUse(reading, account).filter((row) => ledger.walletOf(row) === 'crossed_margin')
  if (rows.length === 0) return
  const part = page.about('cross margin')
  let assets = 0n
  let debts = 0n
  for (const row of rows) {
    const coin = ledger.coinOf(row)
    const worth = (name: string, sign: string, units: bigint): bigint => {
      if (units === 0n) return 0n
      const price = prices.usdE8(coin)
      part.line(`${name} ${coinName(reading, coin)}`, {
        source,
        formula: `${sign} × index`,
        values: { [sign]: textOf(money(coinName(reading, coin)), units), index: textOf(usd, price) },
        measure: usdE16,
        result: units * price,
      })
      return units * price
    }
    assets += worth('assets', 'balance', ledger.balanceOf(row))
    debts += worth('debt', 'debt', debtOf(reading, row))
  }
  const state = walletStateOf(reading, account, 'crossed_margin')
  assert(state.assets === assets && state.debt === debts, 'the lines of a margin wallet add up to its state')
  const total = { source, values: {}, measure: usdE16 } as const
  part.line('assets', { ...total, formula: 'Σ balance × index', result: state.assets })
  part.line('debt', { ...total, formula: 'Σ (principal + interest) × index', result: state.debt })
  levelLines(reading, part, state)
  if (state.debt > 0n) priceLines(reading, part, rows)
}

function levelLines(reading: Reading, part: Part, state: ReturnType<typeof walletStateOf>): void {
  const { margin: levels } = reading.settings
  const { assets, debt } = state
  for (const name of ['transfer', 'borrow', 'call', 'liquidation'] as const)
    part.amount(`${name} level`, ratio, levels[name])
  part.amount('liquidation fee', ratio, levels.liquidationFee)
  const values = { assets: textOf(usdE16, assets), debt: textOf(usdE16, debt) }
  const level = levelOf(state)
  const formula = 'ML = assets / (principal + interest)'
  if (level === undefined) return part.word('marginLevel', { source, formula, values }, 'none: nothing is owed')
  part.line('marginLevel', {
    source,
    formula,
    values,
    exact: [assets * rateOne, debt],
    rounding: 'down',
    measure: ratio,
    result: level,
  })
  part.line('riskRatio', {
    source,
    formula: 'riskRatio = liquidation level / ML, liquidated at 1',
    values: { ...values, 'liquidation level': textOf(ratio, levels.liquidation) },
    exact: [levels.liquidation * debt, assets > 0n ? assets : 1n],
    rounding: 'up',
    measure: ratio,
    result: riskRateOf(state, levels),
  })
  const states = [
    ['called', levels.call, 'warned when ML <= call level'],
    ['breached', levels.liquidation, 'liquidated when ML <= liquidation level'],
  ] as const
  for (const [name, at, rule] of states) {
    part.word(name, { source, formula: rule, values }, isAtOrBelow(state, at) ? 'yes' : 'no')
  }
}

/** When one coin is all that the wallet has, and it owes none of it: the coin's price at which a level is reached. */
function priceLines(reading: Reading, part: Part, rows: readonly Row[]): void {
  const { ledger, prices } = reading
  const [only, ...more] = rows.filter((row) => ledger.balanceOf(row) > 0n)
  if (only === undefined || more.length > 0 || debtOf(reading, only) > 0n) return
  const units = ledger.balanceOf(only)
  const debt = rows.reduce((sum, row) => sum + debtOf(reading, row) * prices.usdE8(ledger.coinOf(row)), 0n)
  const coin = coinName(reading, ledger.coinOf(only))
  const { call, liquidation } = reading.settings.margin
  for (const [name, level] of [
    ['liquidation', liquidation],
    ['call', call],
  ] as const satisfies (readonly [string, Rate])[]) {
    const divisor = units * rateOne
    const price = divCeil(level * debt, divisor)
    const below = divFloor(level * debt, divisor)
    assert(isAtOrBelow({ assets: units * below, debt }, level), 'below its price a level is reached')
    part.line(`${name} price ${coin}`, {
      source,
      formula: `P = ${name} level × D / q`,
      values: { level: textOf(ratio, level), D: textOf(usdE16, debt), q: textOf(money(coin), units) },
      exact: [level * debt, divisor],
      rounding: 'up',
      measure: usd,
      result: price,
    })
  }
}
