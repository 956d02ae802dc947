/** What the operator's desk says besides: `desk.clock.moveOn`. The terminal does not load it. */
import { book } from './languages.ts'
import { en, type DeskMessages } from './messages/desk.en.ts'

export type { DeskMessages }

export const desk: DeskMessages = book(en, { zh: async () => (await import('./messages/desk.zh.ts')).zh })
