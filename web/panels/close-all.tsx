/** Closing all positions at market, after being asked. */
import { useState } from 'preact/hooks'
import { closePositions } from '../actions/positions.ts'
import { grouped } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { positions } from '../store/account.ts'
import { isLive } from '../store/connection.ts'
import { instrumentNamed } from '../store/market.ts'
import { closeDialog } from '../store/view.ts'
import { t } from '../words/words.ts'

export function CloseAllDialog() {
  const [closing, setClosing] = useState(false)
  const all = positions.value
  const run = async () => {
    setClosing(true)
    if (await closePositions(all)) closeDialog()
    setClosing(false)
  }
  return (
    <Dialog title={t.positions.closeAllTitle} onClose={closeDialog}>
      <p class="quiet">{t.positions.closeAllAbout}</p>
      <ul class="plain-list">
        {all.map(({ key, side, symbol, category, quantity }) => (
          <li key={key}>
            {t.sides[side]} {grouped(quantity)} {instrumentNamed(category, symbol)?.quantityUnit} {symbol}
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="send sell"
        data-testid="close-all"
        disabled={all.length === 0 || closing || !isLive.value}
        autoFocus
        onClick={() => void run()}
      >
        {closing ? t.positions.closing : t.positions.closeAllButton(all.length)}
      </button>
    </Dialog>
  )
}
