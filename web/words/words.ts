/**
 * What the terminal says to people, in the language that was chosen: `t.ticket.price`. Whoever draws it is drawn anew when another
 * language comes. What any page says is here, too.
 */
import { book } from './languages.ts'
import { en, type Messages } from './messages/en.ts'

export { languages, speak } from './languages.ts'
export type { Messages }

export const t: Messages = book(en, { zh: async () => (await import('./messages/zh.ts')).zh })

/** What a table calls it; what it does not know keeps its own name. */
export function named(table: Readonly<Record<string, string>>, key: string): string {
  return table[key] ?? key
}

/** The rows of a table, as choices. */
export function choices<K extends string>(table: Readonly<Record<K, string>>): (readonly [value: K, text: string])[] {
  return Object.entries(table) as [K, string][]
}
