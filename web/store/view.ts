/** What is open on the page: which view a phone shows, which tab, which dialog. */
import { signal } from '@preact/signals'
import type { Explained } from './explanations.ts'

/** On a phone one of these at a time; on a wide screen all. */
export const views = [
  ['chart', 'Chart'],
  ['book', 'Book'],
  ['trade', 'Trade'],
  ['account', 'Account'],
] as const
export type View = (typeof views)[number][0]
export const view = signal<View>('chart')

export type ChartTab = 'candles' | 'depth'
export const chartTab = signal<ChartTab>('candles')

/** Where there is no room for both. */
export const marketTab = signal<'book' | 'tape'>('book')

export const accountTabs = [
  ['positions', 'Positions'],
  ['orders', 'Open orders'],
  ['history', 'Order history'],
  ['fills', 'Fills'],
  ['closed', 'Closed positions'],
  ['funding', 'Funding'],
  ['wallets', 'Wallets'],
] as const
export type AccountTab = (typeof accountTabs)[number][0]
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
  | 'about'
  | 'cause'
export const dialog = signal<DialogName | undefined>(undefined)

/** What the dialog `cause` tells. */
export const explained = signal<Explained>('liquidation')

export function closeDialog(): void {
  dialog.value = undefined
}
