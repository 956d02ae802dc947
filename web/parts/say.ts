/** Words for pages that are written in HTML: put in their places, and anew when another language comes. */
import { effect } from '@preact/signals'
import { language } from '../store/language.ts'
import { type Language, languages } from '../words/languages.ts'

/** Words by the selector of their place. */
type Words = Readonly<Record<string, string>>

interface Said {
  readonly texts?: Words
  /** For screen readers. */
  readonly labels?: Words
  readonly placeholders?: Words
}

export function say(words: () => Said): void {
  effect(() => {
    const { texts = {}, labels = {}, placeholders = {} } = words()
    for (const [place, text] of Object.entries(texts)) placeOf(place).textContent = text
    for (const [place, text] of Object.entries(labels)) placeOf(place).setAttribute('aria-label', text)
    for (const [place, text] of Object.entries(placeholders)) placeOf(place).setAttribute('placeholder', text)
  })
}

function placeOf(selector: string): Element {
  const place = document.querySelector(selector)
  if (place === null) throw new Error(`the page has no ${selector}`)
  return place
}

/** Fills a list of languages, and speaks the one that is chosen. */
export function offerLanguages(list: HTMLSelectElement): void {
  for (const [name, text] of Object.entries(languages)) list.add(new Option(text, name))
  list.addEventListener('change', () => (language.value = list.value as Language))
  effect(() => {
    list.value = language.value
  })
  list.hidden = false
}
