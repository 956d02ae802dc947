/** What the keys do on the desk. */
import { signal } from '@preact/signals'
import type { Shortcut } from '../store/shortcuts.ts'
import { toggleTheme } from '../store/theme.ts'
import { deeds } from './operator.ts'
import { at, go, views } from './place.ts'
import { desk } from '../words/desk.ts'
import { t } from '../words/words.ts'

/** The list of keys is open. */
export const keysShown = signal(false)

/** With what they do in the language that is spoken. */
export const shortcuts = (): readonly Shortcut[] => [
  ...views.map((view, index) => ({ key: String(index + 1), does: desk.views[view], run: () => go(at(view)) })),
  {
    key: '/',
    does: desk.shortcuts.search,
    run: () => document.querySelector<HTMLInputElement>('.search, .question input')?.focus(),
  },
  { key: 'r', does: desk.shortcuts.readAgain, run: () => (deeds.value += 1) },
  { key: 't', does: t.keys.theme, run: toggleTheme },
  { key: '?', does: t.keys.keys, run: () => (keysShown.value = true) },
]
