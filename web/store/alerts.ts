/**
 * Price alerts, kept in this browser: a notice and a sound when the last price comes to a level, and the alert is gone.
 *
 * Watched  while the page is open; a price that came and went while it was closed is not told
 * Bounds   20 alerts
 */
import { computed, effect, untracked } from '@preact/signals'
import { units } from '../numbers/decimal.ts'
import { grouped } from '../numbers/format.ts'
import { kept } from './kept.ts'
import { follow, instruments, tickers } from './market.ts'
import { notify } from './notices.ts'
import { sound } from './sounds.ts'
import { t } from '../words/words.ts'

export interface PriceAlert {
  /** Of its instrument. */
  readonly key: string
  readonly when: 'above' | 'below'
  readonly price: string
}

export const alertsMax = 20
const chosen = kept<string>('alerts', '[]')

export const alerts = computed<readonly PriceAlert[]>(() => {
  try {
    return JSON.parse(chosen.value) as PriceAlert[]
  } catch {
    return []
  }
})

function keep(next: readonly PriceAlert[]): void {
  chosen.value = JSON.stringify(next)
}

/** Above or below: where the price has to go from where it is now. */
export function addAlert(key: string, price: string): void {
  const when: PriceAlert['when'] = units(price) >= units(tickers.peek().get(key)?.last) ? 'above' : 'below'
  keep([...alerts.peek(), { key, when, price }].slice(-alertsMax))
}

export function removeAlert(alert: PriceAlert): void {
  keep(alerts.peek().filter((one) => one !== alert))
}

const watchedKeys = computed(() => [...new Set(alerts.value.map(({ key }) => key))].sort().join())

export function watchAlerts(): void {
  effect(() => {
    const keys = new Set(watchedKeys.value.split(','))
    return follow(instruments.value.filter(({ key }) => keys.has(key)))
  })
  effect(() => {
    const come = alerts.value.filter(({ key, when, price }) => {
      const last = tickers.value.get(key)?.last
      if (last === undefined) return false
      return when === 'above' ? units(last) >= units(price) : units(last) <= units(price)
    })
    if (come.length > 0) untracked(() => tell(come))
  })
}

function tell(come: readonly PriceAlert[]): void {
  keep(alerts.peek().filter((alert) => !come.includes(alert)))
  for (const { key, when, price } of come) {
    notify('bad', t.alerts.come(key.split('/')[1] ?? '', when, grouped(price)), t.alerts.once)
  }
  sound('alert')
}
