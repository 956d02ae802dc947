/** What the keys do in the terminal. Alt+Enter sends the ticket from anywhere that it is seen from, its fields included. */
import { chartTab, accountTab, accountTabs, dialog, page, view } from './view.ts'
import { isLab } from '../venue/lab.ts'
import { toggleLab } from './lab.ts'
import { toggleFullScreen } from './full-screen.ts'
import { toggleFavourite } from './favourites.ts'
import { nextPane, otherCount } from './panes.ts'
import { isInDialog, listenFor, type Shortcut } from './shortcuts.ts'
import { toggleTheme } from './theme.ts'
import { ticket } from './ticket.ts'
import { t } from '../words/words.ts'

function write(side: 'buy' | 'sell'): void {
  ticket.side.value = side
  page.value = 'trade'
  view.value = 'trade'
  focusField(ticket.hasLimitPrice.value ? 'price' : 'quantity')
}

/** When the page has drawn it. */
function focusField(name: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>(`.ticket input[name="${name}"]`)?.focus())
}

/** With what they do in the language that is spoken. */
export const shortcuts = (): readonly Shortcut[] => [
  { key: '/', does: t.keys.instruments, run: () => (dialog.value = 'instruments') },
  { key: 'b', does: t.sides.buy, run: () => write('buy') },
  { key: 's', does: t.sides.sell, run: () => write('sell') },
  { key: 'l', does: t.keys.limit, run: () => (ticket.kind.value = 'limit') },
  { key: 'm', does: t.keys.market, run: () => (ticket.kind.value = 'market') },
  { key: 'g', does: t.keys.trigger, run: () => (ticket.kind.value = 'trigger') },
  { key: 'q', does: t.keys.quantity, run: () => focusField('quantity') },
  { key: 'x', does: t.keys.cancelAll, run: () => (dialog.value = 'cancel-all') },
  { key: 'c', does: t.keys.closeAll, run: () => (dialog.value = 'close-all') },
  { key: 'a', does: t.keys.alerts, run: () => (dialog.value = 'alerts') },
  { key: 'f', does: t.keys.favourite, run: toggleFavourite },
  {
    key: 'd',
    does: t.keys.depth,
    run: () => (chartTab.value = chartTab.value === 'depth' ? 'candles' : 'depth'),
  },
  { key: 'i', does: t.keys.indicators, run: () => (dialog.value = 'indicators') },
  { key: 'e', does: t.keys.fullScreen, run: toggleFullScreen },
  { key: 'o', does: t.keys.panes, run: otherCount },
  { key: 'n', does: t.keys.nextPane, run: nextPane },
  { key: 'w', does: t.keys.transfer, run: () => (dialog.value = 'transfer') },
  ...accountTabs.map((name, index) => ({
    key: String(index + 1),
    does: t.account[name],
    run: () => {
      accountTab.value = name
      page.value = 'trade'
      view.value = 'account'
    },
  })),
  {
    key: 'p',
    does: t.keys.performance,
    run: () => (page.value = page.value === 'performance' ? 'trade' : 'performance'),
  },
  { key: 'k', does: t.keys.lab, run: () => isLab.value && toggleLab() },
  { key: ',', does: t.common.settings, run: () => (dialog.value = 'settings') },
  { key: 't', does: t.keys.theme, run: toggleTheme },
  { key: '?', does: t.keys.keys, run: () => (dialog.value = 'keys') },
]

export function listenToKeys(): void {
  listenFor(shortcuts())
  addEventListener('keydown', (event) => {
    if (!event.altKey || event.key !== 'Enter' || isInDialog()) return
    event.preventDefault()
    document.querySelector<HTMLFormElement>('.ticket form')?.requestSubmit()
  })
}
