/**
 * What is said of a recorded market when a venue is started.
 *
 * Source  lab.md §4.9
 */
import type { QueueModel } from '../../house-book/house-book.ts'

export const endings = ['hold', 'loop', 'simulator'] as const

export interface TapeSettings {
  /** The path of a `.tmk`. */
  readonly file: string
  readonly queue: QueueModel
  /** Half of what others took is back after so long; 0: at once, infinite: never. */
  readonly healMs: number
  readonly atEnd: (typeof endings)[number]
}
