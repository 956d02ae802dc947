/** Dark or light: as this browser likes it, until somebody chooses. */
import { effect } from '@preact/signals'
import { kept } from './kept.ts'

type Theme = 'dark' | 'light'
const prefersLight = matchMedia('(prefers-color-scheme: light)').matches

export const theme = kept<Theme>('theme', prefersLight ? 'light' : 'dark', ['dark', 'light'])

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
})

export function toggleTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark'
}
