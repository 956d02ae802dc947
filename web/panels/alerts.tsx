/** Price alerts: those that wait, and a new one for the instrument in view. */
import { useState } from 'preact/hooks'
import { priceFault } from '../numbers/faults.ts'
import { grouped } from '../numbers/format.ts'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField } from '../parts/field.tsx'
import { addAlert, alerts, alertsMax, removeAlert } from '../store/alerts.ts'
import { currentInstrument, ticker } from '../store/market.ts'
import { closeDialog } from '../store/view.ts'
import { t } from '../words/words.ts'

export function AlertsDialog() {
  const [price, setPrice] = useState('')
  const instrument = currentInstrument.value
  if (instrument === undefined) return null
  const fault = priceFault(price, instrument.priceStep, instrument.quote)
  const isFull = alerts.value.length >= alertsMax
  const submit = (event: Event) => {
    event.preventDefault()
    if (price === '' || fault !== undefined || isFull) return
    addAlert(instrument.key, price)
    setPrice('')
  }
  return (
    <Dialog title={t.alerts.title} onClose={closeDialog}>
      <form class="scaled" onSubmit={submit}>
        <NumberField
          label={t.alerts.tellMe(instrument.symbol, grouped(ticker.value?.last ?? '–'))}
          name="alertPrice"
          unit={instrument.quote}
          value={price}
          step={instrument.priceStep}
          fault={fault}
          onChange={setPrice}
        />
        <button type="submit" class="primary wide" disabled={price === '' || fault !== undefined || isFull}>
          {isFull ? t.alerts.full(alertsMax) : t.alerts.set}
        </button>
      </form>
      <p class="quiet">{t.alerts.about}</p>
      <ul class="plain-list" aria-label={t.alerts.waiting}>
        {alerts.value.map((alert) => (
          <li key={`${alert.key} ${alert.when} ${alert.price}`}>
            {t.alerts.row(alert.key.split('/')[1] ?? '', alert.when, grouped(alert.price))}{' '}
            <button type="button" class="link" onClick={() => removeAlert(alert)}>
              {t.alerts.remove}
              <span class="unseen">{t.alerts.removeAt(alert.price)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
