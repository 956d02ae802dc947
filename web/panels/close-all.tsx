/** Closing all positions at market, after being asked. */
import { closePositions } from '../actions/positions.ts'
import { grouped } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useAct } from '../parts/use-act.ts'
import { positions } from '../store/account.ts'
import { isLive } from '../store/connection.ts'
import { instrumentNamed } from '../store/market.ts'
import { closeDialog } from '../store/view.ts'
import { t } from '../words/words.ts'

export function CloseAllDialog() {
  const { isUnderWay, begin } = useAct()
  const all = positions.value
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
        disabled={all.length === 0 || isUnderWay || !isLive.value}
        autoFocus
        onClick={() => begin(() => closePositions(all), closeDialog)}
      >
        {isUnderWay ? t.positions.closing : t.positions.closeAllButton(all.length)}
      </button>
    </Dialog>
  )
}
