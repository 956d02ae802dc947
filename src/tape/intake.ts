/**
 * Where rows of a recording arrive: numbers become whole ones of a scale that grows with what is met, rows go into blocks.
 *
 * Scale    as many decimals as the finest price and the finest amount so far had; what is at hand grows with it
 * Dropped  lines that say nothing to a tape are counted, with the reason and the first of them
 */
import { Block, blockRowsMax, decimalsMax, isPriced, rateDecimals, referenceDecimals, type Scales } from './columns.ts'
import type { Lines } from './lines.ts'

export interface Dropped {
  count: number
  /** File and row. */
  readonly first: string
}

export class Intake {
  readonly #full: (block: Block, scales: Scales) => void
  readonly #block = new Block(blockRowsMax)
  readonly scales = { price: 0, amount: 0 }
  readonly dropped = new Map<string, Dropped>()
  /** Told when numbers that somebody keeps are to be so many times larger. */
  onGrown: ((field: 'price' | 'amount', factor: number) => void) | undefined

  /** `full` gets each block when it is full, sorted. */
  constructor(full: (block: Block, scales: Scales) => void) {
    this.#full = full
  }

  add(time: number, kind: number, value: number, amount: number): void {
    this.#block.add(time, kind, value, amount)
    if (this.#block.length === blockRowsMax) this.flush()
  }

  flush(): void {
    if (this.#block.length === 0) return
    this.#block.sort()
    this.#full(this.#block, { ...this.scales })
    this.#block.length = 0
  }

  drop(lines: Lines, reason: string): void {
    const dropped = this.dropped.get(reason)
    if (dropped === undefined) this.dropped.set(reason, { count: 1, first: `${lines.file}, row ${lines.row}` })
    else dropped.count += 1
  }

  /** Above 0. */
  price(lines: Lines, field: number): number {
    if (!lines.decimal(field) || lines.digits <= 0) throw lines.wrong(field, 'must be a plain decimal above 0')
    return this.#scaled(lines, field, 'price')
  }

  amount(lines: Lines, field: number): number {
    if (!lines.decimal(field) || lines.digits < 0) throw lines.wrong(field, 'must be a plain decimal, 0 or more')
    return this.#scaled(lines, field, 'amount')
  }

  /** Rounded to what is kept of an index or a mark. */
  reference(lines: Lines, field: number): number {
    if (!lines.decimal(field) || lines.digits <= 0) throw lines.wrong(field, 'must be a plain decimal above 0')
    return this.#checked(lines, field, Math.round(lines.digits * 10 ** (referenceDecimals - lines.decimals)))
  }

  rate(lines: Lines, field: number): number {
    if (!lines.decimal(field)) throw lines.wrong(field, 'must be a plain decimal')
    return this.#checked(lines, field, Math.round(lines.digits * 10 ** (rateDecimals - lines.decimals)))
  }

  /** A number that was reckoned, at so many decimals. */
  computed(scale: 'price' | 'amount', number: number, decimals: number): number {
    if (decimals > this.scales[scale]) this.#grow(scale, decimals)
    return Math.round(number * 10 ** decimals) * powers[this.scales[scale] - decimals]
  }

  #scaled(lines: Lines, field: number, scale: 'price' | 'amount'): number {
    const { digits, decimals } = lines
    if (decimals > this.scales[scale]) {
      if (decimals > decimalsMax) throw lines.wrong(field, `must have at most ${decimalsMax} decimals`)
      this.#grow(scale, decimals)
    }
    return this.#checked(lines, field, digits * powers[this.scales[scale] - decimals])
  }

  #checked(lines: Lines, field: number, number: number): number {
    if (number > Number.MAX_SAFE_INTEGER) throw lines.wrong(field, 'has more digits than are kept (15)')
    return number
  }

  #grow(scale: 'price' | 'amount', decimals: number): void {
    const factor = 10 ** (decimals - this.scales[scale])
    this.scales[scale] = decimals
    grow(this.#block, scale, factor)
    this.onGrown?.(scale, factor)
  }
}

const powers = Array.from({ length: decimalsMax + 1 }, (_, power) => 10 ** power)

/** Prices or amounts of a block in a finer scale. */
export function grow({ kinds, values, amounts, length }: Block, scale: 'price' | 'amount', factor: number): void {
  if (factor === 1) return
  for (let at = 0; at < length; at++) {
    if (scale === 'amount') amounts[at] *= factor
    else if (isPriced(kinds[at])) values[at] *= factor
  }
}
