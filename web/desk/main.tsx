/** The desk begins: draws the page at once, then watches the venue if this tab has the token. */
import { render } from 'preact'
import { listenFor } from '../store/shortcuts.ts'
import { Desk } from './desk.tsx'
import { shortcuts } from './shortcuts.ts'
import { resume } from './session.ts'

const place = document.getElementById('desk')
if (place !== null) render(<Desk />, place)
listenFor(shortcuts)
void resume()
