/** What the reference and the guide say around the documents, which are English. No other page loads it. */
import { book } from './languages.ts'
import { type DocsMessages, en } from './messages/docs.en.ts'

export const docs: DocsMessages = book(en, { zh: async () => (await import('./messages/docs.zh.ts')).zh })
