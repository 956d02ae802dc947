/** What the order would take, as figures. */
import { unitsText } from '../numbers/decimal.ts'
import { grouped, money } from '../numbers/format.ts'
import { currentInstrument } from '../store/market.ts'
import { ticket } from '../store/ticket.ts'
import { isFutures } from '../venue/instruments.ts'

export function PreviewFigures() {
  const instrument = currentInstrument.value
  const found = ticket.preview.value
  if (instrument === undefined) return null
  const futures = isFutures(instrument)
  const text = (value: bigint | undefined, coin: string | undefined) =>
    value === undefined ? '–' : money(unitsText(value), coin)
  const liquidation = found?.liquidationPrice
  return (
    <dl class="figures preview" aria-label="What the order takes" data-testid="preview">
      <div>
        <dt>Value</dt>
        <dd>{text(found?.notional, instrument.quote)}</dd>
      </div>
      <div>
        <dt>{futures ? 'Cost (margin, fee)' : 'Cost'}</dt>
        <dd>{text(found?.cost, found?.coin)}</dd>
      </div>
      <div>
        <dt>Held while open</dt>
        <dd>{text(found?.hold, found?.coin)}</dd>
      </div>
      <div>
        <dt>Fee</dt>
        <dd>{text(found?.fee, found?.feeCoin)}</dd>
      </div>
      {(futures || liquidation !== undefined) && (
        <div>
          <dt>Liquidation price</dt>
          <dd class="warn" data-testid="liquidation-preview">
            {liquidation === undefined ? '–' : liquidation === 'none' ? 'none' : grouped(unitsText(liquidation))}
          </dd>
        </div>
      )}
    </dl>
  )
}
