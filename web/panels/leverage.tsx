/** Margin mode and leverage of the contract in view, and how large a position that allows. */
import { useState } from 'preact/hooks'
import { setContractTerms } from '../actions/settings.ts'
import { unitsText } from '../numbers/decimal.ts'
import { grouped, percent } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField } from '../parts/field.tsx'
import { useAct } from '../parts/use-act.ts'
import { leverageOf } from '../store/account.ts'
import { currentInstrument } from '../store/market.ts'
import { tiers } from '../store/tiers.ts'
import { closeDialog } from '../store/view.ts'
import { choices, t } from '../words/words.ts'

const stops = [1, 5, 10, 20, 50, 75, 100, 125] as const

export function LeverageDialog() {
  const instrument = currentInstrument.value
  const now = instrument === undefined ? { leverage: 1, marginMode: 'crossed' as const } : leverageOf(instrument)
  const [marginMode, setMarginMode] = useState(now.marginMode)
  const [leverage, setLeverageText] = useState(String(now.leverage))
  const { isUnderWay, begin } = useAct()
  if (instrument === undefined) return null
  const whole = /^\d+$/.test(leverage) ? Number(leverage) : 0
  const fault =
    whole >= 1 && whole <= instrument.leverageMax ? undefined : t.faults.wholeFromTo(1, instrument.leverageMax)
  const allowed = tiers.value.findLast((tier) => tier.leverageMax >= whole)
  const submit = (event: Event) => {
    event.preventDefault()
    if (fault === undefined) begin(() => setContractTerms(instrument, { leverage, marginMode }), closeDialog)
  }
  return (
    <Dialog title={t.leverage.title(instrument.symbol)} onClose={closeDialog}>
      <form onSubmit={submit}>
        <Choice
          label={t.ticket.marginMode}
          class="plain"
          value={marginMode}
          options={choices(t.marginModes)}
          onChange={setMarginMode}
        />
        <p class="quiet">{t.leverage[marginMode]}</p>
        <NumberField
          label={t.leverage.leverage}
          name="leverage"
          unit="x"
          value={leverage}
          step={100_000_000n}
          fault={fault}
          onChange={setLeverageText}
        />
        <input
          type="range"
          min="1"
          max={instrument.leverageMax}
          value={whole}
          aria-label={t.leverage.leverage}
          onInput={(event) => setLeverageText(event.currentTarget.value)}
        />
        <div class="share-buttons">
          {stops
            .filter((stop) => stop <= instrument.leverageMax)
            .map((stop) => (
              <button key={stop} type="button" onClick={() => setLeverageText(String(stop))}>
                {stop}x
              </button>
            ))}
        </div>
        {allowed !== undefined && (
          <p class="quiet">
            {t.leverage.upTo(
              `${grouped(unitsText(allowed.to))} ${instrument.quote}`,
              percent(unitsText(tiers.value[0]?.maintenanceRate ?? 0n), 2),
            )}
          </p>
        )}
        <button type="submit" class="primary wide" disabled={fault !== undefined || isUnderWay}>
          {t.common.set}
        </button>
      </form>
    </Dialog>
  )
}
