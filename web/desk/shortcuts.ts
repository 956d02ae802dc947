/** What the keys do on the desk. */
import { signal } from '@preact/signals'
import type { Shortcut } from '../store/shortcuts.ts'
import { toggleTheme } from '../store/theme.ts'
import { deeds } from './operator.ts'
import { at, go, views } from './place.ts'

/** The list of keys is open. */
export const keysShown = signal(false)

export const shortcuts: readonly Shortcut[] = [
  ...views.map(([view, text], index) => ({ key: String(index + 1), does: text, run: () => go(at(view)) })),
  {
    key: '/',
    does: 'Search',
    run: () => document.querySelector<HTMLInputElement>('.search, .question input')?.focus(),
  },
  { key: 'r', does: 'Read everything again', run: () => (deeds.value += 1) },
  { key: 't', does: 'Dark or light', run: toggleTheme },
  { key: '?', does: 'This list', run: () => (keysShown.value = true) },
]
