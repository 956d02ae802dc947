/**
 * What is said to people, in the language that was chosen: `t.ticket.price`. Whoever draws it is drawn anew when another language
 * comes.
 *
 * English   is there from the beginning; every other language is loaded when it is chosen
 * More      a language is a file in messages/ with the type of the English one, and a line in each of the two lists below
 */
import { signal } from '@preact/signals'
import { en, type Messages } from './messages/en.ts'

export type { Messages }

/** Each as it calls itself. */
export const languages = { en: 'English', zh: '中文' } as const
export type Language = keyof typeof languages

const loaders: Readonly<Record<Language, () => Promise<Messages>>> = {
  en: () => Promise.resolve(en),
  zh: async () => (await import('./messages/zh.ts')).zh,
}

const spoken = signal<Messages>(en)

/** The messages of the language that is spoken. Never kept from one drawing to the next. */
export const t: Messages = new Proxy(en, {
  get: (_, section) => spoken.value[section as keyof Messages],
})

let asked: Language = 'en'

/** Speaks it from when its messages are there; of two that were asked for the later counts. */
export async function speak(language: Language): Promise<void> {
  asked = language
  const found = await loaders[language]()
  if (asked === language) spoken.value = found
}

/** What a table calls it; what it does not know keeps its own name. */
export function named(table: Readonly<Record<string, string>>, key: string): string {
  return table[key] ?? key
}

/** The rows of a table, as choices. */
export function choices<K extends string>(table: Readonly<Record<K, string>>): (readonly [value: K, text: string])[] {
  return Object.entries(table) as [K, string][]
}
