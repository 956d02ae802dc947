/** The menu at a price of the chart, while it is open. */
import { signal } from '@preact/signals'

export interface ChartMenu {
  /** Pixels within the chart. */
  readonly x: number
  readonly y: number
  /** On a step of the instrument. */
  readonly price: string
  /** The last price when it opened. */
  readonly last: string
}

export const chartMenu = signal<ChartMenu | undefined>(undefined)
