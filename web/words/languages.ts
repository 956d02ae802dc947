/**
 * The languages that people are spoken to in, and the books of messages that each page has of them.
 *
 * Books     a page loads those that it says something of: words.ts is the terminal's, desk.ts the desk's, docs.ts that of the reference
 *           and the guide
 * English   is there from the beginning; every other language is loaded when it is chosen
 * More      a language is a name and a tag here, and a file beside each English one in messages/
 */
import { batch, signal, type Signal } from '@preact/signals'

/** Each as it calls itself. */
export const languages = { en: 'English', zh: '中文' } as const
export type Language = keyof typeof languages

/** Of a page, as HTML has it. */
const tags: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-CN' }

interface Book {
  readonly spoken: Signal<object>
  readonly load: (language: Language) => Promise<object>
}

const books: Book[] = []
const spoken = signal<Language>('en')
let asked: Language = 'en'

/** Messages in the language that is spoken. Never kept from one drawing to the next. */
export function book<M extends object>(
  english: M,
  others: Readonly<Record<Exclude<Language, 'en'>, () => Promise<NoInfer<M>>>>,
): M {
  const messages = signal<M>(english)
  const load = async (language: Language) => (language === 'en' ? english : others[language]())
  books.push({ spoken: messages, load })
  return new Proxy(english, { get: (_, section) => messages.value[section as keyof M] })
}

/** Speaks it from when its messages are there; of two that were asked for the later counts. */
export async function speak(language: Language): Promise<void> {
  asked = language
  const found = await Promise.all(books.map(({ load }) => load(language)))
  if (asked !== language) return
  batch(() => {
    found.forEach((messages, place) => {
      const one = books[place]
      if (one !== undefined) one.spoken.value = messages
    })
    spoken.value = language
  })
}

/** Of the language that is spoken. */
export function spokenTag(): string {
  return tags[spoken.value]
}
