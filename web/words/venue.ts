/**
 * Sentences and terms of the venue, which are English, in the language that is spoken. What a language has no words for stays as it
 * is: whoever shows it says that it is English.
 *
 * Pattern   `{}` in a phrase stands for figures and names, which are kept but for words that there are phrases of
 */
import { book } from './languages.ts'

type Phrases = Readonly<Record<string, string>>

const venue = book<{ readonly phrases: Phrases }>(
  { phrases: {} },
  { zh: async () => (await import('./messages/venue.zh.ts')).zh },
)

interface Pattern {
  readonly matches: RegExp
  readonly text: string
}

/** Made once for each language. */
const patterns = new WeakMap<Phrases, readonly Pattern[]>()

function patternsOf(phrases: Phrases): readonly Pattern[] {
  let found = patterns.get(phrases)
  if (found === undefined) {
    found = Object.entries(phrases)
      .filter(([phrase]) => phrase.includes('{}'))
      .map(([phrase, text]) => {
        const parts = phrase.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
        return { matches: new RegExp(`^${parts.join('(.+?)')}$`, 's'), text }
      })
    patterns.set(phrases, found)
  }
  return found
}

/** A whole sentence; undefined: there are no words for it. */
export function sentence(said: string): string | undefined {
  const { phrases } = venue
  if (Object.hasOwn(phrases, said)) return phrases[said]
  for (const { matches, text } of patternsOf(phrases)) {
    const figures = matches.exec(said)?.slice(1)
    if (figures !== undefined)
      return text.split('{}').reduce((all, part, place) => all + wordwise(figures[place - 1] ?? '') + part)
  }
  return undefined
}

/** A term with what it is of, such as `equity USDT`: the longest beginning that there are words for. */
export function term(said: string): string | undefined {
  const whole = sentence(said)
  if (whole !== undefined) return whole
  const words = said.split(' ')
  for (let count = words.length - 1; count > 0; count--) {
    const found = venue.phrases[words.slice(0, count).join(' ')]
    if (found !== undefined) return `${found} ${wordwise(words.slice(count).join(' '))}`
  }
  return undefined
}

function wordwise(said: string): string {
  const { phrases } = venue
  if (Object.hasOwn(phrases, said)) return phrases[said]
  return said
    .split(' ')
    .map((word) => (Object.hasOwn(phrases, word) ? phrases[word] : word))
    .join(' ')
}
