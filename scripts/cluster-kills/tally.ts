/** How often what befell a venue, and how long orders waited for it: milliseconds, as JSON and as a table for people. */
import { quantile } from '../../bench/measure.ts'
import type { StrikeName } from './strikes.ts'

/** One strike, as orders saw it. */
interface Wait {
  /** Until an order was acknowledged that was sent after it. */
  readonly nextMs: number
  /** The longest time between two acknowledged orders, from the strike until orders went on. */
  readonly silenceMs: number
}

interface Spread {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export class Tally {
  readonly #waits = new Map<StrikeName, Wait[]>()
  readonly #together = new Map<StrikeName, number>()

  note(name: StrikeName, wait: Wait): void {
    this.#waits.set(name, [...(this.#waits.get(name) ?? []), wait])
  }

  /** It came while another one was under way: how long that took says nothing of either. */
  noteTogether(name: StrikeName): void {
    this.#together.set(name, (this.#together.get(name) ?? 0) + 1)
  }

  rows(names: readonly StrikeName[]) {
    return names.map((name) => {
      const waits = this.#waits.get(name) ?? []
      return {
        strike: name,
        times: waits.length,
        withAnother: this.#together.get(name) ?? 0,
        nextMs: spreadOf(waits.map(({ nextMs }) => nextMs)),
        silenceMs: spreadOf(waits.map(({ silenceMs }) => silenceMs)),
      }
    })
  }

  text(names: readonly StrikeName[]): string {
    const shown = (spread: Spread | undefined) =>
      spread === undefined ? ['', '', ''] : [spread.p50, spread.p99, spread.max].map(String)
    const head = ['', 'times', 'with another', 'next: p50', 'p99', 'max ms', 'silence: p50', 'p99', 'max ms']
    const rows = this.rows(names).map(({ strike, times, withAnother, nextMs, silenceMs }) => {
      return [strike, String(times), String(withAnother), ...shown(nextMs), ...shown(silenceMs)]
    })
    const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)))
    const line = (row: readonly string[]) =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ')
    return [head, ...rows].map((row) => `${line(row)}\n`).join('')
  }
}

export function spreadOf(ms: readonly number[]): Spread | undefined {
  if (ms.length === 0) return undefined
  const at = (share: number) => Math.round(quantile(ms, share))
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
