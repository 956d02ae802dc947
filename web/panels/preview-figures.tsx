/** What the order would take, as figures. */
import { unitsText } from '../numbers/decimal.ts'
import { grouped, money } from '../numbers/format.ts'
import { currentInstrument } from '../store/market.ts'
import { ticket } from '../store/ticket.ts'
import { isFutures } from '../venue/instruments.ts'
import { t } from '../words/words.ts'

export function PreviewFigures() {
  const instrument = currentInstrument.value
  const found = ticket.preview.value
  if (instrument === undefined) return null
  const futures = isFutures(instrument)
  const text = (value: bigint | undefined, coin: string | undefined) =>
    value === undefined ? '–' : money(unitsText(value), coin)
  const liquidation = found?.liquidationPrice
  return (
    <dl class="figures preview" aria-label={t.preview.label} data-testid="preview">
      <div>
        <dt>{t.preview.value}</dt>
        <dd>{text(found?.notional, instrument.quote)}</dd>
      </div>
      <div>
        <dt>{futures ? t.preview.costOfContract : t.preview.cost}</dt>
        <dd>{text(found?.cost, found?.coin)}</dd>
      </div>
      <div>
        <dt>{t.preview.held}</dt>
        <dd>{text(found?.hold, found?.coin)}</dd>
      </div>
      <div>
        <dt>{t.preview.fee}</dt>
        <dd>{text(found?.fee, found?.feeCoin)}</dd>
      </div>
      {(futures || liquidation !== undefined) && (
        <div>
          <dt>{t.preview.liquidation}</dt>
          <dd class="warn" data-testid="liquidation-preview">
            {liquidation === undefined ? '–' : liquidation === 'none' ? t.common.none : grouped(unitsText(liquidation))}
          </dd>
        </div>
      )}
    </dl>
  )
}
