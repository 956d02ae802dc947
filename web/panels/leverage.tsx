/** Margin mode and leverage of the contract in view, and how large a position that allows. */
import { useState } from 'preact/hooks'
import { setContractTerms } from '../actions/settings.ts'
import { unitsText } from '../numbers/decimal.ts'
import { grouped, percent } from '../numbers/format.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { NumberField } from '../parts/field.tsx'
import { leverageOf } from '../store/account.ts'
import { currentInstrument } from '../store/market.ts'
import { tiers } from '../store/tiers.ts'
import { closeDialog } from '../store/view.ts'

const stops = [1, 5, 10, 20, 50, 75, 100, 125] as const

export function LeverageDialog() {
  const instrument = currentInstrument.value
  const now = instrument === undefined ? { leverage: 1, marginMode: 'crossed' as const } : leverageOf(instrument)
  const [marginMode, setMarginMode] = useState(now.marginMode)
  const [leverage, setLeverageText] = useState(String(now.leverage))
  if (instrument === undefined) return null
  const whole = /^\d+$/.test(leverage) ? Number(leverage) : 0
  const fault =
    whole >= 1 && whole <= instrument.leverageMax ? undefined : `A whole number from 1 to ${instrument.leverageMax}`
  const allowed = tiers.value.findLast((tier) => tier.leverageMax >= whole)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (fault !== undefined) return
    if (await setContractTerms(instrument, { leverage, marginMode })) closeDialog()
  }
  return (
    <Dialog title={`${instrument.symbol}: margin and leverage`} onClose={closeDialog}>
      <form onSubmit={(event) => void submit(event)}>
        <Choice
          label="Margin mode"
          class="plain"
          value={marginMode}
          options={[
            ['crossed', 'Cross'],
            ['isolated', 'Isolated'],
          ]}
          onChange={setMarginMode}
        />
        <p class="quiet">
          {marginMode === 'crossed'
            ? 'The wallet as a whole carries the position.'
            : 'The position can lose no more than the margin that it has.'}
        </p>
        <NumberField
          label="Leverage"
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
          aria-label="Leverage"
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
            Positions up to {grouped(unitsText(allowed.to))} {instrument.quote}; maintenance from{' '}
            {percent(unitsText(tiers.value[0]?.maintenanceRate ?? 0n), 2)}.
          </p>
        )}
        <button type="submit" class="primary wide" disabled={fault !== undefined}>
          Set
        </button>
      </form>
    </Dialog>
  )
}
