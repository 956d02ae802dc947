/** What the keys do in the terminal. Alt+Enter sends the ticket from anywhere, its fields included. */
import { chartTab, accountTab, accountTabs, dialog, view } from './view.ts'
import { isLab } from '../venue/lab.ts'
import { toggleLab } from './lab.ts'
import { toggleFavourite } from './favourites.ts'
import { listenFor, type Shortcut } from './shortcuts.ts'
import { toggleTheme } from './theme.ts'
import { ticket } from './ticket.ts'

function write(side: 'buy' | 'sell'): void {
  ticket.side.value = side
  view.value = 'trade'
  focusField(ticket.hasLimitPrice.value ? 'price' : 'quantity')
}

/** When the page has drawn it. */
function focusField(name: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>(`.ticket input[name="${name}"]`)?.focus())
}

export const shortcuts: readonly Shortcut[] = [
  { key: '/', does: 'Choose an instrument', run: () => (dialog.value = 'instruments') },
  { key: 'b', does: 'Buy', run: () => write('buy') },
  { key: 's', does: 'Sell', run: () => write('sell') },
  { key: 'l', does: 'Limit order', run: () => (ticket.kind.value = 'limit') },
  { key: 'm', does: 'Market order', run: () => (ticket.kind.value = 'market') },
  { key: 'g', does: 'Trigger order', run: () => (ticket.kind.value = 'trigger') },
  { key: 'q', does: 'To the quantity', run: () => focusField('quantity') },
  { key: 'x', does: 'Cancel all orders', run: () => (dialog.value = 'cancel-all') },
  { key: 'c', does: 'Close all positions', run: () => (dialog.value = 'close-all') },
  { key: 'f', does: 'Favourite or not', run: toggleFavourite },
  {
    key: 'd',
    does: 'Candles or depth',
    run: () => (chartTab.value = chartTab.value === 'depth' ? 'candles' : 'depth'),
  },
  { key: 'w', does: 'Transfer between wallets', run: () => (dialog.value = 'transfer') },
  ...accountTabs.map(([name, text], index) => ({
    key: String(index + 1),
    does: text,
    run: () => {
      accountTab.value = name
      view.value = 'account'
    },
  })),
  { key: 'k', does: 'Laboratory, on a venue of “tidemark dev”', run: () => isLab.value && toggleLab() },
  { key: ',', does: 'Settings', run: () => (dialog.value = 'settings') },
  { key: 't', does: 'Dark or light', run: toggleTheme },
  { key: '?', does: 'This list', run: () => (dialog.value = 'keys') },
]

export function listenToKeys(): void {
  listenFor(shortcuts)
  addEventListener('keydown', (event) => {
    if (!event.altKey || event.key !== 'Enter') return
    event.preventDefault()
    document.querySelector<HTMLFormElement>('.ticket form')?.requestSubmit()
  })
}
