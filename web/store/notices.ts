/** Short messages at the edge of the page, read out by screen readers; bounded, and gone after a while. */
import { signal } from '@preact/signals'
import type { Explained } from './explanations.ts'

export interface Notice {
  readonly id: number
  readonly kind: 'good' | 'bad' | 'info'
  readonly title: string
  readonly text: string
  /** It was no act of the person: a link says how that goes. */
  readonly about: Explained | undefined
}

const noticesMax = 3
const shownMs = { good: 5_000, info: 3_000, bad: 12_000 } as const

export const notices = signal<readonly Notice[]>([])
let count = 0

export function notify(kind: Notice['kind'], title: string, text = '', about?: Explained): void {
  const notice = { id: ++count, kind, title, text, about }
  notices.value = [...notices.value, notice].slice(-noticesMax)
  setTimeout(() => dismiss(notice.id), shownMs[kind])
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}
