/**
 * JSON of things that never change, such as public trades: made when one is first shown, and kept as long as the thing is.
 *
 * Under  what the text depends on besides the thing: the catalogue, or the instrument in it; when that is another, the text is
 *        made anew
 */
import { type JsonText, listText } from './json-text.ts'

export class KeptTexts<Thing extends object, Under, Shown> {
  readonly #show: (thing: Thing, under: Under) => Shown
  readonly #texts = new WeakMap<Thing, { readonly text: string; readonly under: Under }>()

  constructor(show: (thing: Thing, under: Under) => Shown) {
    this.#show = show
  }

  listOf(things: readonly Thing[], under: Under): JsonText<Shown[]> {
    return listText(things.map((thing) => this.#text(thing, under)))
  }

  #text(thing: Thing, under: Under): string {
    const known = this.#texts.get(thing)
    if (known?.under === under) return known.text
    const text = JSON.stringify(this.#show(thing, under))
    this.#texts.set(thing, { text, under })
    return text
  }
}
