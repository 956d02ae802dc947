/**
 * What an explanation is made of: inputs, and lines that each name a formula, its numbers, its exact value and its result.
 *
 * Exact      a fraction; as text a decimal. Where the decimals go on it is cut off with `…`, and the fraction stands beside it
 * Result     comes from the function that decides, and is checked against the exact value: a difference is a defect
 * Texts      plain decimals without separators; `of` says what the input or line is part of
 * Source     risk-engine.md §1 (rounding); docs/risk.md, the chapter that each line names
 */
import {
  amountMax,
  assert,
  divCeil,
  divFloor,
  divHalfUp,
  formatDecimal,
  type Millis,
  pow10,
  rateDecimals,
} from '../numbers/numbers.ts'
import type { Explained, ExplainInput, ExplainLine, Rounding } from '../protocol/explanation.ts'

/** What an integer of the engine stands for: `value × factor / 10^decimals` of a unit. */
export interface Measure {
  readonly unit: string
  readonly factor: bigint
  readonly decimals: number
}

export const ratio: Measure = { unit: '', factor: 1n, decimals: rateDecimals }
export const usd: Measure = { unit: 'USD', factor: 1n, decimals: 8 }

export function money(coin: string): Measure {
  return { unit: coin, factor: 1n, decimals: 8 }
}

/** The value as a plain decimal of the measure's unit. */
export function textOf({ factor, decimals }: Measure, value: bigint | number): string {
  return formatDecimal(BigInt(value) * factor, decimals)
}

/** An exact value in integers of the measure; the divisor is above zero. */
export type Fraction = readonly [dividend: bigint, divisor: bigint]

/** Chapters of docs/risk.md: the one of a line has its formula. */
export const chapters = [
  'Which price is used for what',
  'Initial and maintenance margin',
  'Isolated',
  'Cross',
  'Hedge mode',
  'Coin-margined contracts',
  'Insurance fund',
  'Auto-deleveraging',
  'Break-even price',
  'Funding',
  'Fills and fees',
  'The unified account',
  'Cross margin: loans',
  'What an order needs',
  'Take-profit, stop-loss, plans',
] as const

export type Chapter = (typeof chapters)[number]

/** What a line is made from. */
export interface LineParts {
  readonly source: Chapter
  readonly formula: string
  readonly values: Readonly<Record<string, string>>
  /** As the formula has it; absent: the result is exact. */
  readonly exact?: Fraction
  readonly rounding?: Exclude<Rounding, 'none'>
  /** Rounded to a multiple of so many integers of the measure. */
  readonly step?: bigint
  /** The rounded value is brought within these. */
  readonly within?: readonly [least: bigint, most: bigint]
  readonly measure: Measure
  readonly result: bigint
}

/** Gathers inputs and lines. */
export class Page implements Explained {
  readonly sequence: number
  readonly at: Millis
  readonly inputs: ExplainInput[] = []
  readonly lines: ExplainLine[] = []

  constructor({ sequence, at }: Pick<Explained, 'sequence' | 'at'>) {
    this.sequence = sequence
    this.at = at
  }

  about(of: string): Part {
    return new Part(this, of)
  }
}

/** One part of a page, such as a position; its inputs and lines name it. */
export class Part {
  readonly #page: Page
  readonly of: string

  constructor(page: Page, of: string) {
    this.#page = page
    this.of = of
  }

  input(name: string, value: string | number | boolean, unit = ''): void {
    this.#page.inputs.push({ of: this.of, name, value: String(value), unit })
  }

  amount(name: string, measure: Measure, value: bigint | number): void {
    this.input(name, textOf(measure, value), measure.unit)
  }

  line(name: string, parts: LineParts): void {
    const { source, formula, values, measure, result, step = 1n } = parts
    const exact = parts.exact ?? ([result, 1n] as const)
    const rounding = parts.rounding ?? 'none'
    checkRounded(`${this.of}: ${name}`, parts, exact, rounding)
    const { text, fraction } = exactText(measure, exact)
    this.#page.lines.push({
      of: this.of,
      name,
      source: `docs/risk.md § ${source}`,
      formula,
      values,
      exact: text,
      fraction,
      rounding,
      step: rounding === 'none' ? '' : textOf(measure, step),
      result: textOf(measure, result),
      unit: measure.unit,
    })
  }

  /** A line whose value is a word, or that has no value. */
  word(name: string, parts: Pick<LineParts, 'source' | 'formula' | 'values'>, result: string): void {
    const { source, formula, values } = parts
    const said = { exact: result, fraction: '', rounding: 'none', step: '', result, unit: '' } as const
    this.#page.lines.push({ of: this.of, name, source: `docs/risk.md § ${source}`, formula, values, ...said })
  }
}

/** Stops when the result is not the exact value, rounded and bounded as the line says. */
function checkRounded(what: string, { within, result, step = 1n }: LineParts, exact: Fraction, rounding: Rounding) {
  const [dividend, divisor] = exact
  assert(divisor > 0n, `${what} is a fraction`)
  const rounded = step * quotient(dividend, divisor * step, rounding)
  const bounded = within === undefined ? rounded : most(within[0], least(within[1], rounded))
  // What is only shown is capped at 64 bits.
  const isCapped = result === amountMax || result === -amountMax
  assert(bounded === result || isCapped, `${what} is ${result}, by its formula ${bounded}`)
}

function quotient(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  switch (rounding) {
    case 'none':
      assert(dividend % divisor === 0n, 'what is not rounded is whole')
      return dividend / divisor
    case 'up':
      return divCeil(dividend, divisor)
    case 'down':
      return divFloor(dividend, divisor)
    case 'nearest':
      return divHalfUp(dividend, divisor)
    case 'toward zero':
      return dividend / divisor
  }
}

/** Decimals shown of a value whose decimals go on, and of a value whose decimals end. */
const decimalsCut = 12
const decimalsMax = 30

function exactText({ factor, decimals }: Measure, exact: Fraction): { text: string; fraction: string } {
  const common = gcd(exact[0] * factor, exact[1] * pow10(decimals))
  const dividend = (exact[0] * factor) / common
  const divisor = (exact[1] * pow10(decimals)) / common
  const ends = pow10(decimalsMax) % divisor === 0n
  if (ends) return { text: formatDecimal((dividend * pow10(decimalsMax)) / divisor, decimalsMax), fraction: '' }
  const cut = (dividend * pow10(decimalsCut)) / divisor
  const sign = dividend < 0n && cut === 0n ? '-' : ''
  return { text: `${sign}${formatDecimal(cut, decimalsCut, true)}…`, fraction: `${dividend}/${divisor}` }
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b]
  while (y !== 0n) [x, y] = [y, x % y]
  return x === 0n ? 1n : x
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
