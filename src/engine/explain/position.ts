/**
 * A position explained: what it is worth, what it needs, at which prices it is liquidated and bankrupt, and what it cost.
 *
 * Isolated   its own margin backs it (risk-engine §5)
 * Cross      its margin account does (§6, §7)
 * Unified    its cross positions are backed by the account as a whole (§16)
 * Inverse    the same formulas in coin (§8)
 * Source     risk-engine.md §2-§9, §13, §15
 */
import { initialMarginOf, tierValue } from '../catalog/catalog.ts'
import { crossBacking, rankedNow, scorePartsOf } from '../liquidation-rules/liquidation-rules.ts'
import {
  bankruptcyFraction,
  bankruptcyPrice,
  breakEvenFraction,
  breakEvenPrice,
  dueOf,
  isHedged,
  liquidationPrice,
  liquidationRoot,
  maintenanceFraction,
  maintenanceMargin,
  marginFraction,
  marginRatio,
  pnlFraction,
  ratioParts,
  riskBook,
  sliceAt,
  slicesOf,
  unifiedLiquidationPrice,
  valueFraction,
} from '../margin/margin.ts'
import { type Lots, oneCoin, rateOne, type Ticks } from '../numbers/numbers.ts'
import { runningRate } from '../price-rules/price-rules.ts'
import {
  entryPriceE8,
  type Exposure,
  largerSide,
  leverageOf,
  type Position,
  type Reading,
  unrealizedPnl,
} from '../state/state.ts'
import { type Contract, contractOf } from './contract.ts'
import { type Fraction, type Page, type Part, ratio, textOf, usd } from './lines.ts'

/** The position with all that its lines are made from. */
interface Subject extends Contract {
  readonly reading: Reading
  readonly exposure: Exposure
  readonly position: Position
  readonly part: Part
  readonly mark: Ticks
  /** Values of the position by their signs in risk-engine.md. */
  readonly texts: { readonly s: string; readonly q: string; readonly F: string; readonly Pm: string }
}

export function explainPosition(reading: Reading, page: Page, exposure: Exposure, position: Position): void {
  const contract = contractOf(reading, exposure.instrument)
  const { instrument, price, quantity, money } = contract
  const mark = reading.prices.markPrice(instrument.id)
  const subject: Subject = {
    ...contract,
    reading,
    exposure,
    position,
    mark,
    part: page.about(positionName(reading, exposure, position)),
    texts: {
      s: position.side === 'long' ? '+1' : '−1',
      q: textOf(quantity, position.quantity),
      F: textOf(money, position.entryValue),
      Pm: textOf(price, mark),
    },
  }
  inputs(subject)
  const V = valueFraction(contract.scale, position.quantity, mark)
  worthLines(subject, V)
  maintenanceLines(subject)
  marginLines(subject, V)
  liquidationLine(subject)
  bankruptcyLine(subject)
  breakEvenLine(subject)
  fundingLine(subject, V)
  rankLines(subject)
}

function positionName(reading: Reading, exposure: Exposure, { side }: Pick<Position, 'side'>): string {
  return `${reading.instrument(exposure.instrument).symbol} ${side} in ${exposure.wallet}`
}

function inputs({ reading, exposure, position, part, quantity, money, instrument, price }: Subject): void {
  const { account, marginMode } = exposure
  const hedged = isHedged(reading, exposure)
  part.input('positionId', position.id)
  part.input('uid', reading.accounts.byHandle(account).uid)
  part.input('side', position.side)
  part.input('holdMode', hedged ? 'hedge_mode' : 'one_way_mode')
  part.input('marginMode', marginMode)
  part.input('leverage', leverageOf(exposure, position.side, hedged))
  part.amount('quantity', quantity, position.quantity)
  part.amount('entry flow F', money, position.entryValue)
  part.amount('markPrice', price, reading.prices.markPrice(instrument.id))
  if (marginMode === 'isolated') part.amount('margin M', money, position.margin)
  if (marginMode === 'isolated') part.input('autoMargin', exposure.autoMargin)
  part.amount('takerFeeRate', ratio, instrument.takerFeeRate)
  part.amount('realizedPnl', money, position.realizedPnl)
  part.amount('openFees', money, position.openFees)
  part.amount('closeFees', money, position.closeFees)
  if (position.funding === undefined) part.input('funding', 'none yet')
  else part.amount('funding', money, position.funding)
  part.input('openedAt', position.openedAt)
  part.input('updatedAt', position.updatedAt)
}

function worthLines({ scale, position, part, price, value, money, mark, texts }: Subject, V: Fraction): void {
  const entryValue = position.entryValue < 0n ? -position.entryValue : position.entryValue
  const lots = BigInt(position.quantity)
  const { q, F, s, Pm } = texts
  if (entryValue > 0n) {
    part.line('entryPrice', {
      source: 'Initial and maintenance margin',
      formula: scale.inverse ? 'E = N / |F|' : 'E = |F| / q',
      values: scale.inverse ? { N: q, F } : { F, q },
      exact: scale.inverse
        ? [lots * scale.usdUnit * oneCoin, entryValue]
        : [entryValue * oneCoin, lots * scale.baseUnit],
      rounding: 'nearest',
      measure: { ...value, unit: price.unit },
      result: entryPriceE8(scale, position),
    })
  }
  part.line('value', {
    source: 'Initial and maintenance margin',
    formula: scale.inverse ? 'V = N' : 'V = q·Pm',
    values: scale.inverse ? { N: q } : { q, Pm },
    exact: scale.inverse ? [lots * scale.usdUnit, 1n] : V,
    rounding: 'nearest',
    measure: value,
    result: tierValue(scale, position.quantity, mark),
  })
  part.line('unrealizedPnl', {
    source: scale.inverse ? 'Coin-margined contracts' : 'Initial and maintenance margin',
    formula: scale.inverse ? 'uPnL = F − s·N/Pm' : 'uPnL = F + s·q·Pm',
    values: scale.inverse ? { F, s, N: q, Pm } : { F, s, q, Pm },
    exact: pnlFraction(scale, position, mark),
    rounding: 'down',
    measure: money,
    result: unrealizedPnl(scale, position, mark),
  })
}

/** Of the quantity that counts: each slice of value at its own rate, then the same in one step with the deduction. */
function maintenanceLines(subject: Subject): void {
  const { exposure, position, part, instrument, scale, value, money, mark, quantity, texts } = subject
  const counted = countedQuantity(exposure, position)
  const other = exposure.marginMode === 'cross' && exposure.long !== undefined && exposure.short !== undefined
  const worth = tierValue(scale, counted, mark)
  if (other) part.amount('larger side', quantity, counted)
  let lower = 0n
  for (const [index, { to, rate }] of slicesOf(instrument).entries()) {
    const last = index === instrument.tiers.length - 1
    if (worth <= lower && index > 0) break
    const upper = worth < to || last ? worth : to
    const slice = upper - lower
    // Of an inverse contract the slice is in USD: in coin it is over the mark price.
    const coin = scale.inverse ? BigInt(mark) * scale.tickE8 : 1n
    const units = scale.inverse ? slice * oneCoin * rate : slice * rate
    part.line(`maintenance tier ${index + 1}`, {
      source: 'Initial and maintenance margin',
      formula: scale.inverse ? 'slice × (mmr + f) / Pm' : 'slice × (mmr + f)',
      values: {
        slice: textOf(value, slice),
        mmr: textOf(ratio, instrument.tiers[index].maintenanceRate),
        f: textOf(ratio, instrument.takerFeeRate),
        ...(scale.inverse ? { Pm: texts.Pm } : {}),
      },
      exact: [units, coin * rateOne],
      rounding: 'nearest',
      measure: money,
      result: nearest(units, coin * rateOne),
    })
    lower = upper
  }
  const slice = sliceAt(instrument, worth)
  part.line('maintenanceMargin', {
    source: scale.inverse ? 'Coin-margined contracts' : 'Initial and maintenance margin',
    formula: scale.inverse ? 'MM = (N·(mmr + f) − cumUSD) / Pm' : 'MM = V × (mmr + f) − cum',
    values: {
      [scale.inverse ? 'N' : 'V']: textOf(value, worth),
      'mmr + f': textOf(ratio, slice.rate),
      cum: textOf({ ...value, decimals: 20 }, slice.deduction),
      ...(scale.inverse ? { Pm: texts.Pm } : {}),
    },
    exact: maintenanceFraction(subject, counted, mark, slice),
    rounding: 'up',
    measure: money,
    result: maintenanceMargin(instrument, scale, counted, mark),
  })
}

/** Lots that need maintenance: in cross mode the larger side only (risk-engine §7). */
function countedQuantity(exposure: Exposure, position: Position): Lots {
  if (exposure.marginMode === 'isolated') return position.quantity
  return largerSide(exposure)
}

function nearest(dividend: bigint, divisor: bigint): bigint {
  return (dividend * 2n + divisor) / (divisor * 2n)
}

function marginLines(subject: Subject, [value, divisor]: Fraction): void {
  const { reading, exposure, position, part, instrument, scale, money, mark, texts } = subject
  const leverage = leverageOf(exposure, position.side, isHedged(reading, exposure))
  part.line('initialMargin', {
    source: exposure.marginMode === 'isolated' ? 'Isolated' : 'Cross',
    formula: scale.inverse ? 'IM = N / (Pm·L)' : 'IM = q·Pm / L',
    values: { [scale.inverse ? 'N' : 'q']: texts.q, Pm: texts.Pm, L: String(leverage) },
    exact: [value, divisor * BigInt(leverage)],
    rounding: 'up',
    measure: money,
    result: initialMarginOf(scale, position.quantity, mark, leverage),
  })
  const { maintenance, equity } = ratioParts(reading, instrument, exposure, position)
  const isolated = exposure.marginMode === 'isolated'
  const unified = isUnified(exposure)
  const measure = unified ? usd : money
  const source = isolated ? 'Isolated' : unified ? 'The unified account' : 'Cross'
  part.line('equity', {
    source,
    formula: isolated ? 'E_q = M + uPnL' : unified ? 'adj, of the account as a whole' : 'Eq = W + Σ uPnL',
    values: isolated
      ? { M: textOf(money, position.margin), uPnL: textOf(money, equity - position.margin) }
      : unified
        ? {}
        : crossValues(subject, equity),
    measure,
    result: equity,
  })
  const formula = 'marginRatio = MM / equity, liquidated at 1'
  const values = { MM: textOf(measure, maintenance), equity: textOf(measure, equity) }
  const shown = marginRatio(reading, instrument, exposure, position)
  const [needed, whole] = marginFraction(reading, instrument, exposure, position)
  if (whole <= 0n)
    return part.word('marginRatio', { source, formula, values }, `${textOf(ratio, shown)}: equity is used up`)
  part.line('marginRatio', {
    source,
    formula,
    values,
    exact: [needed * rateOne, whole],
    rounding: 'up',
    step: 10_000n,
    measure: ratio,
    result: shown,
  })
}

function crossValues({ reading, exposure, instrument, money }: Subject, equity: bigint) {
  const wallet = reading.ledger.balanceOf(reading.ledger.find(exposure.account, exposure.wallet, instrument.settle))
  return { W: textOf(money, wallet), 'Σ uPnL': textOf(money, equity - wallet) }
}

/** Cross positions of a unified wallet are backed by all of its coins. */
function isUnified({ wallet, marginMode }: Exposure): boolean {
  return wallet === 'uta' && marginMode === 'cross'
}

/** The mark price at which the account is liquidated; found to the tick by search, not by a formula. */
function unifiedLiquidationLine({ reading, exposure, position, part, instrument, price }: Subject): void {
  const { maintenance, equity } = ratioParts(reading, instrument, exposure, position)
  const values = { 'adj now': textOf(usd, equity), 'Σ MM now': textOf(usd, maintenance) }
  const parts = {
    source: 'The unified account' as const,
    formula: 'Pm at which adj = Σ MM, its coin moving with it, other prices standing',
    values,
  }
  const result = unifiedLiquidationPrice(reading, exposure)
  if (result === 0) part.word('liquidationPrice', parts, 'none')
  else part.line('liquidationPrice', { ...parts, measure: price, result: BigInt(result) })
}

function liquidationLine(subject: Subject): void {
  if (isUnified(subject.exposure)) return unifiedLiquidationLine(subject)
  const { reading, exposure, position, part, instrument, scale, money, value, price, quantity } = subject
  const book = riskBook(reading, instrument, exposure, position)
  const result = liquidationPrice(instrument, scale, book)
  const isolated = exposure.marginMode === 'isolated'
  const hedge = book.long > 0 && book.short > 0
  const behind = isolated ? 'M' : 'X'
  const formula = scale.inverse
    ? `P_liq = (N·(s + mmr + f) − cumUSD) / (${behind} + s·N/E)`
    : hedge
      ? 'P_liq = (X − q_L·E_L + q_S·E_S + cum) / (max(q_L, q_S)·(mmr + f) − (q_L − q_S))'
      : `P_liq = (${behind} + cum − s·q·E) / (q·(mmr + f − s))`
  const source = scale.inverse ? 'Coin-margined contracts' : hedge ? 'Hedge mode' : isolated ? 'Isolated' : 'Cross'
  const found = liquidationRoot(instrument, scale, book)
  const entryName = hedge ? 'F_L + F_S' : scale.inverse ? 's·N/E' : '−s·q·E'
  const values = {
    [behind]: textOf(money, book.collateral),
    ...(isolated ? {} : othersOf(subject, book.collateral)),
    [entryName]: textOf(money, book.entryValue),
    ...(book.long > 0 ? { [hedge ? 'q_L' : scale.inverse ? 'N' : 'q']: textOf(quantity, book.long) } : {}),
    ...(book.short > 0 ? { [hedge ? 'q_S' : scale.inverse ? 'N' : 'q']: textOf(quantity, book.short) } : {}),
    s: subject.texts.s,
  }
  if (found === undefined) return part.word('liquidationPrice', { source, formula, values }, 'none')
  const { slice, root } = found
  const full = {
    ...values,
    'mmr + f': textOf(ratio, slice.rate),
    cum: textOf({ ...value, decimals: 20 }, slice.deduction),
    tier: String(slicesOf(instrument).indexOf(slice) + 1),
  }
  if (result === 0) return part.word('liquidationPrice', { source, formula, values: full }, 'none')
  part.line('liquidationPrice', {
    source,
    formula,
    values: full,
    exact: root,
    rounding: book.long > book.short ? 'up' : 'down',
    measure: price,
    result: BigInt(result),
  })
}

/** X = W + Σ others' uPnL − Σ others' MM. */
function othersOf({ reading, exposure, instrument, money }: Subject, collateral: bigint) {
  const wallet = reading.ledger.balanceOf(reading.ledger.find(exposure.account, exposure.wallet, instrument.settle))
  return { W: textOf(money, wallet), 'Σ others uPnL − MM': textOf(money, collateral - wallet) }
}

function bankruptcyLine(subject: Subject): void {
  const { reading, exposure, position, part, instrument, scale, money, price, texts } = subject
  const isolated = exposure.marginMode === 'isolated'
  const shared = isolated ? undefined : crossBacking(reading, exposure, position.side)
  const backing = shared?.backing ?? position.margin
  const result = bankruptcyPrice(instrument, scale, position, backing)
  const source = scale.inverse ? 'Coin-margined contracts' : isolated ? 'Isolated' : 'Cross'
  const formula = scale.inverse
    ? `P_bk = N·(s + f) / (${isolated ? 'M' : 'share − uPnL'} + s·N/E)`
    : isolated
      ? 'P_bk = (s·q·E − M) / (q·(s − f))'
      : 'P_bk = (s·q·E − (share − uPnL)) / (q·(s − f)), share = Eq·V/ΣV'
  const values = {
    s: texts.s,
    [scale.inverse ? 'N' : 'q']: texts.q,
    [scale.inverse ? 's·N/E' : 's·q·E']: textOf(money, scale.inverse ? position.entryValue : -position.entryValue),
    f: textOf(ratio, instrument.takerFeeRate),
    ...(shared === undefined
      ? { M: textOf(money, position.margin) }
      : {
          Eq: textOf(money, shared.equity),
          'V/ΣV': `${shared.worth}/${shared.total}`,
          'share − uPnL': textOf(money, backing),
        }),
  }
  if (result === 0) {
    return part.word('bankruptcyPrice', { source, formula, values }, 'none: it is covered at any price')
  }
  part.line('bankruptcyPrice', {
    source,
    formula,
    values,
    exact: bankruptcyFraction(instrument, scale, position, backing),
    rounding: position.side === 'long' ? 'up' : 'down',
    measure: price,
    result: BigInt(result),
  })
}

function breakEvenLine({ position, part, instrument, scale, money, price, texts }: Subject): void {
  const { quantity, entryValue, openFees: fees, funding = 0n } = position
  const traded = { long: position.side === 'long', quantity, entryValue, fees, funding }
  const result = breakEvenPrice(instrument, scale, traded)
  const parts = {
    source: 'Break-even price' as const,
    formula: scale.inverse ? 'P_be = N·(s + f) / (s·N/E − a + u)' : 'P_be = (s·q·E + a − u) / (q·(s − f))',
    values: {
      s: texts.s,
      [scale.inverse ? 'N' : 'q']: texts.q,
      [scale.inverse ? 's·N/E' : 's·q·E']: textOf(money, scale.inverse ? entryValue : -entryValue),
      a: textOf(money, fees),
      u: textOf(money, funding),
      f: textOf(ratio, instrument.takerFeeRate),
    },
  }
  if (result === 0) return part.word('breakEvenPrice', parts, 'none')
  part.line('breakEvenPrice', {
    ...parts,
    exact: breakEvenFraction(instrument, scale, traded),
    rounding: traded.long ? 'up' : 'down',
    measure: price,
    result: BigInt(result),
  })
}

/** What the next settlement would book at the running rate. */
function fundingLine({ reading, position, part, instrument, money, texts, scale }: Subject, V: Fraction): void {
  const fundingRate = runningRate(reading, instrument)
  const signed = position.side === 'long' ? -fundingRate : fundingRate
  part.line('fundingPayment as the rate runs', {
    source: 'Funding',
    formula: scale.inverse ? 'Δ = −s·F·N/Pm' : 'Δ = −s·F·q·Pm',
    values: { s: texts.s, F: textOf(ratio, fundingRate), [scale.inverse ? 'N' : 'q']: texts.q, Pm: texts.Pm },
    exact: [V[0] * signed, V[1] * rateOne],
    rounding: 'down',
    measure: money,
    result: dueOf(reading, instrument, position, fundingRate),
  })
}

function rankLines({ reading, exposure, position, part, price, texts, instrument, value }: Subject): void {
  const { pnl, entry, markE8, mark, bankrupt, score } = scorePartsOf(reading, exposure, position)
  const distance = mark > bankrupt ? mark - bankrupt : bankrupt - mark
  const sign = position.side === 'long' ? 1n : -1n
  if (entry > 0n) {
    part.line('adl pnl', {
      source: 'Auto-deleveraging',
      formula: 'pnl% = s·(Pm − E)/E',
      values: { s: texts.s, Pm: texts.Pm, E: textOf(value, entry) },
      exact: [sign * (markE8 - entry) * rateOne, entry],
      rounding: 'toward zero',
      measure: ratio,
      result: pnl,
    })
  }
  const win = pnl > 0n
  const values = { 'pnl%': textOf(ratio, pnl), Pm: texts.Pm, P_bk: textOf(price, bankrupt) }
  const formula = `score = pnl% ${win ? '×' : '/'} effLev, effLev = Pm / |Pm − P_bk|`
  if (distance === 0n) part.word('adl score', { source: 'Auto-deleveraging', formula, values }, textOf(ratio, score))
  else {
    part.line('adl score', {
      source: 'Auto-deleveraging',
      formula,
      values,
      exact: win ? [pnl * mark, distance] : [pnl * distance, mark],
      rounding: 'toward zero',
      measure: ratio,
      result: score,
    })
  }
  const queue = rankedNow(reading, instrument.id, position.side)
  const rank = queue.findIndex(({ index }) => index === exposure.index) + 1
  const count = { measure: { unit: '', factor: 1n, decimals: 0 } } as const
  const places = { rank: String(rank), positions: String(queue.length) }
  part.line('adl rank', {
    ...count,
    source: 'Auto-deleveraging',
    formula: 'place in the queue: score, then the older position, then uid',
    values: { positions: String(queue.length) },
    result: BigInt(rank),
  })
  part.line('adl light', {
    ...count,
    source: 'Auto-deleveraging',
    formula: 'quintile of the queue, 5 is taken from first: 5 − 5 × (rank − 1) / positions',
    values: places,
    exact: [BigInt(5 * queue.length - 5 * (rank - 1)), BigInt(queue.length)],
    rounding: 'up',
    result: BigInt(5 - Math.floor((5 * (rank - 1)) / queue.length)),
  })
}
