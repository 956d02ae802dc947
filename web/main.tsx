/** The terminal begins: draws the page in its language, opens the market and, if somebody was signed in, their account. */
import { render } from 'preact'
import { Terminal } from './terminal.tsx'
import { keepFocus } from './parts/focus.ts'
import { firstWords } from './store/language.ts'
import { openMarket } from './store/market.ts'
import { resumeSession } from './store/session.ts'
import { watchAlerts } from './store/alerts.ts'
import { listenToKeys } from './store/keys.ts'

keepFocus()
void firstWords().then(() => {
  const place = document.getElementById('terminal')
  if (place !== null) render(<Terminal />, place)
})
listenToKeys()
watchAlerts()
void openMarket()
void resumeSession()
