/** The tape: the latest trades, newest first; large ones stand out. */
import { shown } from '../numbers/format.ts'
import { MarketTitle } from './market-title.tsx'
import { currentInstrument, trades } from '../store/market.ts'
import { clockTime } from '../store/times.ts'
import { t } from '../words/words.ts'

const shownMax = 40

export function Tape() {
  const instrument = currentInstrument.value
  const rows = trades.value.slice(0, shownMax)
  const largest = rows.reduce((most, { size }) => Math.max(most, Number(size)), 0)
  return (
    <section class="panel tape" aria-label={t.market.recent}>
      <div class="panel-title">
        <MarketTitle name="trades" />
      </div>
      <div class="ladder-head" aria-hidden="true">
        <span>{t.market.price(instrument?.quote ?? '')}</span>
        <span>{t.market.size(instrument?.quantityUnit ?? '')}</span>
        <span>{t.market.time}</span>
      </div>
      <ol class="ladder scrolls" tabIndex={0} aria-label={t.market.newestFirst}>
        {rows.map(({ id, price, size, side, at }) => (
          <li key={id} class={`level ${side === 'buy' ? 'up' : 'down'}`}>
            <span class="price">
              <span class="unseen">{side === 'buy' ? t.market.boughtAt : t.market.soldAt}</span>
              {shown(price, instrument?.pricePrecision ?? 0)}
            </span>
            <span class={Number(size) > largest / 2 ? 'size large' : 'size'}>
              {shown(size, instrument?.quantityPrecision ?? 0)}
            </span>
            <time>{clockTime(at)}</time>
          </li>
        ))}
      </ol>
    </section>
  )
}
