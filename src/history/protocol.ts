/**
 * What the door and the history at work say to each other, over two channels.
 *
 * Rows     in the order of sending, with all that has to keep its place among them
 * Reads    each names the last batch that it has to see, and is answered as soon as that is written: what others have waiting
 *          behind it is passed
 */
import type { MessagePort } from 'node:worker_threads'
import type { RulesNote } from '../runtime/runtime.ts'
import type { PageText } from './page-text.ts'
import type { Progress } from './row-export.ts'
import type { ReadName, ReadQuery } from './reads.ts'
import type { Batch } from './writer.ts'

export interface ThreadOptions {
  readonly file: string
  readonly reads: MessagePort
}

/** Wants an answer under its number. */
export type Question =
  /** Answered when what was sent before it is committed. */
  | { readonly kind: 'flush' }
  /** The same, and on disk. */
  | { readonly kind: 'sync' }
  | { readonly kind: 'prune'; readonly before: number }
  /** Answers the whole database as bytes: one that is in memory. */
  | { readonly kind: 'save' }
  | { readonly kind: 'restore'; readonly saved: Uint8Array }
  | { readonly kind: 'rules'; readonly note: RulesNote }
  | { readonly kind: 'close' }

export type ToService = ({ readonly kind: 'write' } & Batch) | ({ readonly id: number } & Question)

export interface Read {
  readonly id: number
  readonly name: ReadName
  readonly query: ReadQuery<ReadName>
  /** The batch that has to be written before. */
  readonly after: number
}

export type FromService =
  | { readonly kind: 'opened'; readonly reached: Progress }
  /** Reads see it, and it will be committed soon. */
  | { readonly kind: 'written'; readonly events: number }
  | { readonly kind: 'committed'; readonly sequence: number }
  | { readonly kind: 'answered'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'page'; readonly id: number; readonly page: PageText }
  /** This question only. */
  | { readonly kind: 'unanswered'; readonly id: number; readonly error: unknown }
  /** The database refused to be opened, written or synced: nothing more is done. */
  | { readonly kind: 'failed'; readonly error: unknown }
