/**
 * A liquidation of the past explained from what was published of it.
 *
 * It shows the pool as it was found, and each step with its bankruptcy price. Then its orders and fills, and what went to
 * the insurance fund or came from it.
 *
 * Facts     are those of that moment, from the event; the formulas are computed anew from them and must give what was published
 * Source    risk-engine.md §5-§8, §14-§17
 */
import { bankruptcyFraction, maintenanceFraction, pnlFraction } from '../margin/margin.ts'
import { divCeil, divFloor, oneCoin, rateOne } from '../numbers/numbers.ts'
import type {
  FoundBalance,
  FoundPosition,
  InsuranceEvent,
  Liquidation,
  LiquidationStep,
  MarginLiquidation,
} from '../protocol/event.ts'
import type { Aftermath } from '../protocol/explanation.ts'
import type { Reading } from '../state/state.ts'
import { coinName, type Contract, contractOf } from './contract.ts'
import { coinE12 } from './margin-accounts.ts'
import { type LineParts, money, type Page, type Part, ratio, textOf, usd } from './lines.ts'
import { fillLines, orderInputs } from './orders.ts'

export function explainPast(
  reading: Reading,
  page: Page,
  past: Liquidation | MarginLiquidation,
  aftermath: Aftermath,
): void {
  const part = page.about(`liquidation ${past.liquidationId}`)
  part.input('uid', past.uid)
  part.input('wallet', past.wallet)
  part.input('at', past.at)
  if (past.kind === 'liquidation') poolLines(reading, page, part, past)
  else walletLines(reading, part, past)
  orderLines(reading, page, past.uid, aftermath)
  fundLines(reading, part, past.uid, aftermath.insurance)
}

// A pool of positions

function poolLines(reading: Reading, page: Page, part: Part, past: Liquidation): void {
  part.input('pool', past.pool)
  for (const found of past.positions) positionLines(reading, part, found)
  for (const found of past.balances) balanceInputs(reading, part, found)
  marginLines(reading, part, past)
  past.steps.forEach((step, index) => stepLines(reading, page, past, step, index + 1))
}

function positionLines(reading: Reading, part: Part, found: FoundPosition): void {
  const contract = contractOf(reading, found.instrument)
  const { instrument, scale, quantity, price, money: measure, value } = contract
  const unitE12 = coinE12(measure.unit)
  const name = `${instrument.symbol} ${found.side}`
  part.amount(`quantity ${name}`, quantity, found.quantity)
  part.amount(`entry flow F ${name}`, measure, found.flow)
  part.amount(`indexPrice ${name}`, price, found.indexPrice)
  part.amount(`markPrice ${name}`, price, found.markPrice)
  if (found.margin !== 0n) part.amount(`margin M ${name}`, measure, found.margin)
  const Pm = textOf(price, found.markPrice)
  const [pnl, divisor] = pnlFraction(scale, { ...found, entryValue: found.flow }, found.markPrice)
  part.line(`unrealizedPnl ${name}`, {
    source: scale.inverse ? 'Coin-margined contracts' : 'Initial and maintenance margin',
    formula: scale.inverse ? 'uPnL = F − s·N/Pm' : 'uPnL = F + s·q·Pm',
    values: {
      F: textOf(measure, found.flow),
      s: found.side === 'long' ? '+1' : '−1',
      q: textOf(quantity, found.quantity),
      Pm,
    },
    exact: [pnl * rateOne, divisor],
    rounding: 'down',
    measure: unitE12,
    result: found.unrealizedPnl,
  })
  if (found.counted === 0) {
    const formula = 'of a hedge the larger side counts'
    return part.word(`maintenanceMargin ${name}`, { source: 'Hedge mode', formula, values: {} }, '0')
  }
  const [needed, whole] = maintenanceFraction(contract, found.counted, found.markPrice, found)
  part.line(`maintenanceMargin ${name}`, {
    source: scale.inverse ? 'Coin-margined contracts' : 'Initial and maintenance margin',
    formula: scale.inverse ? 'MM = (N·(mmr + f) − cumUSD) / Pm' : 'MM = V × (mmr + f) − cum',
    values: {
      q: textOf(quantity, found.counted),
      Pm,
      'mmr + f': textOf(ratio, found.rate),
      cum: textOf({ ...value, decimals: 20 }, found.deduction),
    },
    exact: [needed * rateOne, whole],
    rounding: 'up',
    measure: unitE12,
    result: found.maintenance,
  })
}

function balanceInputs(reading: Reading, part: Part, { coin, balance, debt, usdE8 }: FoundBalance): void {
  const measure = money(coinName(reading, coin))
  part.amount(`balance ${measure.unit}`, measure, balance)
  if (debt !== 0n) part.amount(`debt ${measure.unit}`, measure, debt)
  part.amount(`indexPrice ${measure.unit}`, usd, usdE8)
}

function marginLines(reading: Reading, part: Part, past: Liquidation): void {
  const unified = past.pool === 'unified'
  // A unified account is measured in USD of 1e-8, the others in 1e-12 of a unit of their coin.
  const measure = unified ? usd : coinE12(coinName(reading, past.coin ?? 0))
  const source = unified ? 'The unified account' : past.pool === 'cross' ? 'Cross' : 'Isolated'
  const backing =
    past.pool === 'isolated' ? (past.positions[0]?.margin ?? 0n) : (past.balances.find(isOf(past))?.balance ?? 0n)
  const won = past.positions.reduce((sum, found) => sum + found.unrealizedPnl, 0n)
  const needed = past.positions.reduce((sum, found) => sum + found.maintenance, 0n)
  part.line('equity', {
    source,
    formula: unified ? 'adj = Σ collateral − Σ owed' : past.pool === 'cross' ? 'Eq = W + Σ uPnL' : 'E_q = M + uPnL',
    values: unified
      ? {}
      : {
          [past.pool === 'cross' ? 'W' : 'M']: textOf(measure, backing * rateOne),
          'Σ uPnL': textOf(measure, won),
        },
    ...(unified ? {} : { exact: [backing * rateOne + won, 1n] as const }),
    measure,
    result: past.equity,
  })
  part.line('maintenance', {
    source,
    formula: unified ? 'Σ MM_pos + Σ debt·mmr_c' : 'Σ MM',
    values: {},
    ...(unified ? {} : { exact: [needed, 1n] as const }),
    measure,
    result: past.maintenance,
  })
  const values = { equity: textOf(measure, past.equity), maintenance: textOf(measure, past.maintenance) }
  const breached = past.equity <= past.maintenance
  part.word('breached', { source, formula: 'liquidated when equity <= maintenance', values }, breached ? 'yes' : 'no')
}

function isOf({ coin }: Liquidation) {
  return (found: FoundBalance) => found.coin === coin
}

const stepWords = {
  offset: 'long against short at the mark price, free of fees',
  'top-up': 'auto margin added out of the wallet',
  reduce: 'cut down to a lower tier: offered to the book at the bankruptcy price or better',
  close: 'offered to the book at the bankruptcy price or better',
  'hand-over': 'what the book did not take: to the insurance fund, or to counterparties (adl), at the bankruptcy price',
} as const satisfies Record<LiquidationStep['kind'], string>

function stepLines(reading: Reading, page: Page, past: Liquidation, step: LiquidationStep, number: number): void {
  const contract = contractOf(reading, step.instrument)
  const { quantity, price, money: measure, instrument } = contract
  const part = page.about(`step ${number}: ${step.kind} ${instrument.symbol} ${step.side}`)
  part.input('what', stepWords[step.kind])
  part.amount('open', quantity, step.open)
  part.amount('quantity', quantity, step.quantity)
  part.amount('entry flow F', measure, step.flow)
  part.amount('markPrice', price, step.markPrice)
  if (step.kind === 'top-up') return part.amount('margin added', measure, step.backing)
  if (step.kind === 'offset') return part.amount('price', price, step.price)
  // An isolated position is taken over at the price that it was offered at.
  const isDerived = past.pool !== 'isolated' || step.kind !== 'hand-over'
  if (isDerived) bankruptcyLine(part, contract, past, step)
  else part.amount('bankruptcyPrice', price, step.price)
}

function bankruptcyLine(part: Part, contract: Contract, past: Liquidation, step: LiquidationStep): void {
  const { instrument, scale, money: measure, quantity, price } = contract
  const isolated = past.pool === 'isolated'
  const { side, flow: entryValue, open, backing } = step
  const exact = bankruptcyFraction(instrument, scale, { side, quantity: open, entryValue }, backing)
  const source = scale.inverse ? 'Coin-margined contracts' : isolated ? 'Isolated' : 'Cross'
  const behind = isolated ? 'M' : 'share − uPnL'
  const parts: Pick<LineParts, 'source' | 'formula' | 'values'> = {
    source,
    formula: scale.inverse
      ? `P_bk = N·(s + f) / (${behind} + s·N/E)`
      : `P_bk = (s·q·E − ${isolated ? behind : `(${behind})`}) / (q·(s − f))`,
    values: {
      s: side === 'long' ? '+1' : '−1',
      [scale.inverse ? 'N' : 'q']: textOf(quantity, open),
      [scale.inverse ? 's·N/E' : 's·q·E']: textOf(measure, scale.inverse ? entryValue : -entryValue),
      [behind]: textOf(measure, backing),
      ...(isolated ? {} : { Eq: textOf(measure, step.equity), 'V/ΣV': `${step.worth}/${step.total}` }),
      f: textOf(ratio, instrument.takerFeeRate),
    },
  }
  if (!agrees(step, exact)) {
    const why = step.price === step.markPrice ? ', the mark price: there is no bankruptcy price' : ''
    return part.word('bankruptcyPrice', parts, `${textOf(price, step.price)}${why}`)
  }
  part.line('bankruptcyPrice', {
    ...parts,
    exact,
    rounding: side === 'long' ? 'up' : 'down',
    measure: price,
    result: BigInt(step.price),
  })
}

/**
 * Whether the formula gives the price that was published. It does not when there is no bankruptcy price that the book
 * carries, or when the taker fee rate of the contract has changed since.
 */
function agrees({ side, price }: LiquidationStep, [dividend, divisor]: readonly [bigint, bigint]): boolean {
  if (divisor === 0n) return false
  return (side === 'long' ? divCeil(dividend, divisor) : divFloor(dividend, divisor)) === BigInt(price)
}

// A wallet with debt

function walletLines(reading: Reading, part: Part, past: MarginLiquidation): void {
  const usdE16 = { unit: 'USD', factor: 1n, decimals: 16 }
  for (const found of past.balances) balanceInputs(reading, part, found)
  part.amount('liquidation level', ratio, past.liquidationLevel)
  part.amount('liquidation fee', ratio, past.feeRate)
  const assets = past.balances.reduce((sum, { balance, usdE8 }) => sum + balance * usdE8, 0n)
  const debt = past.balances.reduce((sum, found) => sum + found.debt * found.usdE8, 0n)
  const known = past.wallet === 'crossed_margin' && debt > 0n
  const source = 'Cross margin: loans'
  const values = { assets: textOf(usd, past.assetsUsd), debt: textOf(usd, past.debtUsd) }
  const usdLine = (name: string, formula: string, exact: bigint, result: bigint) =>
    part.line(name, {
      source,
      formula,
      values: {},
      ...(known ? { exact: [exact, oneCoin] as const, rounding: 'down' as const } : {}),
      measure: usd,
      result,
    })
  usdLine('assets', 'Σ balance × index', assets, past.assetsUsd)
  usdLine('debt', 'Σ (principal + interest) × index', debt, past.debtUsd)
  const exactValues = known ? { assets: textOf(usdE16, assets), debt: textOf(usdE16, debt) } : values
  part.line('marginLevel', {
    source,
    formula: 'ML = assets / (principal + interest)',
    values: exactValues,
    ...(known ? { exact: [assets * rateOne, debt] as const, rounding: 'down' as const } : {}),
    measure: ratio,
    result: past.level,
  })
  part.line('riskRatio', {
    source,
    formula: 'riskRatio = liquidation level / ML, liquidated at 1',
    values: { ...exactValues, 'liquidation level': textOf(ratio, past.liquidationLevel) },
    ...(known && assets > 0n
      ? { exact: [past.liquidationLevel * debt, assets] as const, rounding: 'up' as const }
      : {}),
    measure: ratio,
    result: past.riskRate,
  })
  const formula = 'liquidated when ML <= liquidation level'
  const breached = known && assets * rateOne <= past.liquidationLevel * debt
  part.word('breached', { source, formula, values }, breached || !known ? 'yes' : 'no')
  const words = { source, values: {}, measure: usd } as const
  part.line('fees', {
    ...words,
    formula: 'Σ of what was sold × liquidation fee, to the insurance fund',
    result: past.feeUsd,
  })
  part.line('covered', { ...words, formula: 'debt that the insurance fund paid', result: past.coveredUsd })
}

// What came of it

function orderLines(reading: Reading, page: Page, uid: number, { orders, fills }: Aftermath): void {
  const ordered = [...orders].sort((a, b) => a.orderId - b.orderId)
  for (const order of ordered) {
    const role = order.uid === uid ? 'forced order' : order.cause === 'adl' ? 'adl counterparty' : 'taken over by'
    orderInputs(reading, page.about(`${role} ${order.orderId}`), order)
  }
  for (const fill of fills) fillLines(reading, page, fill)
}

function fundLines(reading: Reading, part: Part, uid: number, insurance: readonly InsuranceEvent[]): void {
  const sums = new Map<number, bigint>()
  for (const { uid: whose, coin, amount } of insurance) {
    if (whose === uid) sums.set(coin, (sums.get(coin) ?? 0n) + amount)
  }
  for (const [coin, units] of sums) {
    part.line(`insurance fund ${coinName(reading, coin)}`, {
      source: 'Insurance fund',
      formula: 'Σ paid to the account, negative: taken from it',
      values: {
        postings: insurance
          .filter((paid) => paid.uid === uid && paid.coin === coin)
          .map((paid) => textOf(money(''), paid.amount))
          .join(' + '),
      },
      exact: [units, 1n],
      measure: money(coinName(reading, coin)),
      result: units,
    })
  }
  if (sums.size === 0)
    part.word('insurance fund', { source: 'Insurance fund', formula: 'Σ paid to the account', values: {} }, '0')
}
