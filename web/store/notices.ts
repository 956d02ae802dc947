/**
 * Short messages at the edge of the page, read out by screen readers; bounded, and gone after a while.
 *
 * Fates   an order has one: how it ended takes the place of that it was placed, whichever of the two is heard first
 */
import { signal } from '@preact/signals'
import type { Explained } from './explanations.ts'

export interface Notice {
  readonly id: number
  readonly kind: 'good' | 'bad' | 'info'
  readonly title: string
  readonly text: string
  /** It was no act of the person: a link says how that goes. */
  readonly about: Explained | undefined
  /** The client order id of the order that it tells of. */
  readonly of: string | undefined
  /** The venue's, of a refusal; empty: none. */
  readonly code: string
}

interface NoticeSubject {
  readonly about?: Explained
  readonly of?: string
  readonly code?: string
}

const noticesMax = 3
const endedMax = 100
const shownMs = { good: 5_000, info: 3_000, bad: 12_000 } as const

export const notices = signal<readonly Notice[]>([])
let count = 0
/** Orders of which nothing more is to be told. */
const ended = new Set<string>()

export function notify(
  kind: Notice['kind'],
  title: string,
  text = '',
  { about, of, code = '' }: NoticeSubject = {},
): void {
  if (of !== undefined && ended.has(of)) return
  const notice = { id: ++count, kind, title, text, about, of, code }
  notices.value = [...notices.value, notice].slice(-noticesMax)
  setTimeout(() => dismiss(notice.id), shownMs[kind])
}

/** The order has ended: what was told of it goes, and nothing more is told of its beginning. */
export function endNoticesOf(order: string): void {
  notices.value = notices.value.filter(({ of }) => of !== order)
  ended.add(order)
  for (const oldest of ended) {
    if (ended.size <= endedMax) break
    ended.delete(oldest)
  }
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}
