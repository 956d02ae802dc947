/** What a person has chosen for this browser: kept in local storage, never anything secret. */
import { effect, signal, type Signal } from '@preact/signals'
import type { Interval } from '../venue/market-records.ts'

const prefix = 'tidemark.'

function kept<T extends string | boolean>(name: string, first: T, allowed?: readonly T[]): Signal<T> {
  const choice = signal<T>(read(name, first, allowed))
  effect(() => {
    try {
      localStorage.setItem(prefix + name, JSON.stringify(choice.value))
    } catch {
      // a browser that keeps nothing: the choice holds until the page closes
    }
  })
  return choice
}

function read<T>(name: string, first: T, allowed?: readonly T[]): T {
  try {
    const value = JSON.parse(localStorage.getItem(prefix + name) ?? 'null') as T
    return typeof value === typeof first && (allowed?.includes(value) ?? true) ? value : first
  } catch {
    return first
  }
}

export type Theme = 'dark' | 'light'
const prefersLight = matchMedia('(prefers-color-scheme: light)').matches

export const theme = kept<Theme>('theme', prefersLight ? 'light' : 'dark', ['dark', 'light'])
export const interval = kept<Interval>('interval', '1m', ['1m', '5m', '15m', '1H', '4H', '1D'])
export const confirmsOrders = kept<boolean>('confirmsOrders', false)
export const lastInstrument = kept<string>('instrument', 'USDT-FUTURES/BTCUSDT')

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
})

export function toggleTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark'
}
