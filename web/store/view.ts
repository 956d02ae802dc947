/** What is open on the page: which view a phone shows, which tab, which dialog. */
import { signal } from '@preact/signals'
import type { Explained } from './explanations.ts'

/** On a phone one of these at a time; on a wide screen all. */
export const views = ['chart', 'book', 'trade', 'account'] as const
export type View = (typeof views)[number]
export const view = signal<View>('chart')

/** What fills the page. */
export const pages = ['trade', 'performance'] as const
export type PageName = (typeof pages)[number]
export const page = signal<PageName>('trade')

export type ChartTab = 'candles' | 'depth'
export const chartTab = signal<ChartTab>('candles')

/** Where there is no room for both. */
export const marketTab = signal<'book' | 'tape'>('book')

export const accountTabs = ['positions', 'orders', 'history', 'fills', 'closed', 'funding', 'bills', 'wallets'] as const
export type AccountTab = (typeof accountTabs)[number]
export const accountTab = signal<AccountTab>('positions')

export type DialogName =
  | 'instruments'
  | 'sign-in'
  | 'settings'
  | 'keys'
  | 'leverage'
  | 'transfer'
  | 'chain'
  | 'loans'
  | 'cancel-all'
  | 'close-all'
  | 'alerts'
  | 'scaled'
  | 'about'
  | 'cause'
  | 'indicators'
export const dialog = signal<DialogName | undefined>(undefined)

/** What the dialog `cause` tells. */
export const explained = signal<Explained>('liquidation')

export function closeDialog(): void {
  dialog.value = undefined
}
