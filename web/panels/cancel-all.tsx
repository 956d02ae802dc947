/** Cancelling many orders at once, after being asked which. */
import { cancelAll } from '../actions/orders.ts'
import { Dialog } from '../parts/dialog.tsx'
import { orders, triggers } from '../store/account.ts'
import { currentInstrument } from '../store/market.ts'
import { closeDialog } from '../store/view.ts'

export function CancelAllDialog() {
  const instrument = currentInstrument.value
  const all = [...orders.value.values(), ...triggers.value]
  const here = all.filter(
    ({ category, symbol }) => category === instrument?.category && symbol === instrument.symbol,
  ).length
  const run = async (cancel: () => Promise<boolean>) => {
    if (await cancel()) closeDialog()
  }
  return (
    <Dialog title="Cancel all orders" onClose={closeDialog}>
      <p class="quiet">Open orders, and triggers that wait, with their take-profits and stop-losses.</p>
      <div class="stack">
        <button
          type="button"
          class="send sell"
          data-testid="cancel-all"
          disabled={all.length === 0}
          autoFocus
          onClick={() => void run(() => cancelAll())}
        >
          Cancel all {all.length}
        </button>
        {instrument !== undefined && here > 0 && here < all.length && (
          <button type="button" class="quiet-button" onClick={() => void run(() => cancelAll(instrument))}>
            Only the {here} of {instrument.symbol}
          </button>
        )}
      </div>
    </Dialog>
  )
}
