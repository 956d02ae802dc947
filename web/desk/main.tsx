/** The desk begins: draws the page in its language, then watches the venue if this tab has the token. */
import { effect } from '@preact/signals'
import { render } from 'preact'
import { keepFocus } from '../parts/focus.ts'
import { firstWords } from '../store/language.ts'
import { listenFor } from '../store/shortcuts.ts'
import { desk } from '../words/desk.ts'
import { Desk } from './desk.tsx'
import { shortcuts } from './shortcuts.ts'
import { resume } from './session.ts'

keepFocus()
void firstWords().then(() => {
  const place = document.getElementById('desk')
  if (place !== null) render(<Desk />, place)
})
effect(() => {
  document.title = desk.page.title
})
listenFor(shortcuts())
void resume()
