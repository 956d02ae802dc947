/** Closing all positions at market, after being asked. */
import { useState } from 'preact/hooks'
import { closePositions } from '../actions/positions.ts'
import { grouped, titled } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { positions } from '../store/account.ts'
import { instrumentNamed } from '../store/market.ts'
import { closeDialog } from '../store/view.ts'

export function CloseAllDialog() {
  const [closing, setClosing] = useState(false)
  const all = positions.value
  const run = async () => {
    setClosing(true)
    if (await closePositions(all)) closeDialog()
    setClosing(false)
  }
  return (
    <Dialog title="Close all positions" onClose={closeDialog}>
      <p class="quiet">At market, one after another. Open orders stay.</p>
      <ul class="plain-list">
        {all.map(({ key, side, symbol, category, quantity }) => (
          <li key={key}>
            {titled(side)} {grouped(quantity)} {instrumentNamed(category, symbol)?.quantityUnit} {symbol}
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="send sell"
        data-testid="close-all"
        disabled={all.length === 0 || closing}
        autoFocus
        onClick={() => void run()}
      >
        {closing ? 'Closing …' : `Close all ${all.length}`}
      </button>
    </Dialog>
  )
}
