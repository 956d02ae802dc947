/** The terminal begins: draws the page at once, then opens the market and, if somebody was signed in, their account. */
import { render } from 'preact'
import { Terminal } from './terminal.tsx'
import { openMarket } from './store/market.ts'
import { resumeSession } from './store/session.ts'
import { listenToKeys } from './store/keys.ts'

const place = document.getElementById('terminal')
if (place !== null) render(<Terminal />, place)
listenToKeys()
void openMarket()
void resumeSession()
