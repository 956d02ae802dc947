/**
 * Levels of books as JSON: the text of a level is kept by its price, and made anew when its quantity is another.
 *
 * Bound   a form keeps so many levels of all books; when there are more it begins anew
 */
import type { Instrument } from '../engine/catalog/catalog.ts'
import type { Lots, Ticks } from '../engine/numbers/numbers.ts'
import { type JsonText, listText } from './json-text.ts'

/** A level as it is shown, alone or merged of several. */
export interface ShownLevel {
  readonly price: Ticks
  readonly quantity: Lots
  /** The nearest price that it is merged of; its own if it is alone. */
  readonly nearest: Ticks
}

interface KeptLevel extends ShownLevel {
  readonly text: string
}

/** About 2 MB of them. */
export const keptLevelsMax = 16_384

export class LevelTexts<Shown> {
  readonly #show: (instrument: Instrument, level: ShownLevel) => Shown
  #kept = new WeakMap<Instrument, Map<Ticks, KeptLevel>>()
  #count = 0

  constructor(show: (instrument: Instrument, level: ShownLevel) => Shown) {
    this.#show = show
  }

  listOf(instrument: Instrument, levels: readonly ShownLevel[]): JsonText<Shown[]> {
    const kept = this.#keptOf(instrument)
    return listText(levels.map((level) => this.#text(kept, instrument, level)))
  }

  #keptOf(instrument: Instrument): Map<Ticks, KeptLevel> {
    if (this.#count > keptLevelsMax) {
      this.#kept = new WeakMap()
      this.#count = 0
    }
    let kept = this.#kept.get(instrument)
    if (kept === undefined) this.#kept.set(instrument, (kept = new Map()))
    return kept
  }

  #text(kept: Map<Ticks, KeptLevel>, instrument: Instrument, level: ShownLevel): string {
    const { price, quantity, nearest } = level
    const known = kept.get(price)
    if (known?.quantity === quantity && known.nearest === nearest) return known.text
    if (known === undefined) this.#count++
    const text = JSON.stringify(this.#show(instrument, level))
    kept.set(price, { price, quantity, nearest, text })
    return text
  }
}

/** Levels of a book as they rest. */
export function singleLevels(levels: readonly (readonly [Ticks, Lots])[]): ShownLevel[] {
  return levels.map(([price, quantity]) => ({ price, quantity, nearest: price }))
}
