/** How wide and high the panels are that somebody has pulled, kept in this browser; the others are as the styles have them. */
import { computed, type Signal } from '@preact/signals'
import { kept } from './kept.ts'

export interface Pulled {
  /** Pixels; empty: as the styles have it. */
  readonly kept: Signal<string>
  readonly min: number
  readonly max: number
  /** What the styles have, about. */
  readonly usual: number
}

export type PulledPanel = 'market' | 'ticket' | 'account'

/** Widths of book and ticket, and the height of the account's panel. */
export const pulled: Readonly<Record<PulledPanel, Pulled>> = {
  market: { kept: kept<string>('layout.market', ''), min: 220, max: 520, usual: 264 },
  ticket: { kept: kept<string>('layout.ticket', ''), min: 260, max: 480, usual: 300 },
  account: { kept: kept<string>('layout.account', ''), min: 140, max: 700, usual: 280 },
}

export function sizeOf({ kept: { value }, min, max }: Pulled): number | undefined {
  return /^\d{1,4}$/.test(value) ? Math.min(max, Math.max(min, Number(value))) : undefined
}

/** The whole page is 900 pixels wide at least where panels stand beside each other: no size leaves nothing to the chart. */
export const layoutStyle = computed(() => {
  const style: Record<string, string> = {}
  for (const [name, panel] of Object.entries(pulled)) {
    const size = sizeOf(panel)
    if (size !== undefined) style[`--${name}-size`] = `min(${size}px, ${name === 'account' ? '70vh' : '30vw'})`
  }
  return style
})

export function pull(panel: Pulled, size: number): void {
  panel.kept.value = String(Math.round(Math.min(panel.max, Math.max(panel.min, size))))
}
