/** Cancelling many orders at once, after being asked which. */
import { cancelAll } from '../actions/orders.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useAct } from '../parts/use-act.ts'
import { orders, triggers } from '../store/account.ts'
import { currentInstrument } from '../store/market.ts'
import { closeDialog } from '../store/view.ts'
import { t } from '../words/words.ts'

export function CancelAllDialog() {
  const instrument = currentInstrument.value
  const all = [...orders.value.values(), ...triggers.value]
  const here = all.filter(
    ({ category, symbol }) => category === instrument?.category && symbol === instrument.symbol,
  ).length
  const { isUnderWay, begin } = useAct()
  return (
    <Dialog title={t.orders.cancelAllTitle} onClose={closeDialog}>
      <p class="quiet">{t.orders.cancelAllAbout}</p>
      <div class="stack">
        <button
          type="button"
          class="send sell"
          data-testid="cancel-all"
          disabled={all.length === 0 || isUnderWay}
          autoFocus
          onClick={() => begin(cancelAll, closeDialog)}
        >
          {t.orders.cancelAll(all.length)}
        </button>
        {instrument !== undefined && here > 0 && here < all.length && (
          <button
            type="button"
            class="quiet-button"
            disabled={isUnderWay}
            onClick={() => begin(() => cancelAll(instrument), closeDialog)}
          >
            {t.orders.cancelOnly(here, instrument.symbol)}
          </button>
        )}
      </div>
    </Dialog>
  )
}
