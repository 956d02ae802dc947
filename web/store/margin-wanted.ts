/** The margin that somebody wants a position to have, until it was asked for: a dialog that is open. */
import { signal } from '@preact/signals'

export interface MarginWanted {
  /** Of the position. */
  readonly key: string
  readonly operation: 'add' | 'remove'
  readonly amount: string
}

export const marginWanted = signal<MarginWanted | undefined>(undefined)
