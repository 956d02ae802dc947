/** The tape: the latest trades, newest first; large ones stand out. */
import { clockTime, short, shown } from '../numbers/format.ts'
import { MarketTitle } from './market-title.tsx'
import { instrument, trades } from '../store/market.ts'

const shownMax = 40

export function Tape() {
  const one = instrument.value
  const rows = trades.value.slice(0, shownMax)
  const largest = rows.reduce((most, { size }) => Math.max(most, Number(size)), 0)
  return (
    <section class="panel tape" aria-label="Recent trades">
      <div class="panel-title">
        <MarketTitle name="Trades" />
      </div>
      <div class="ladder-head" aria-hidden="true">
        <span>Price ({one?.quote})</span>
        <span>Size ({one?.quantityUnit})</span>
        <span>Time</span>
      </div>
      <ol class="ladder scrolls" tabIndex={0} aria-label="Trades, newest first">
        {rows.map(({ id, price, size, side, at }) => (
          <li key={id} class={`level ${side === 'buy' ? 'up' : 'down'}`}>
            <span class="price">
              <span class="unseen">{side === 'buy' ? 'Bought at ' : 'Sold at '}</span>
              {shown(price, one?.pricePrecision ?? 0)}
            </span>
            <span class={Number(size) > largest / 2 ? 'size large' : 'size'}>
              {one?.kind === 'inverse' ? short(Number(size)) : size}
            </span>
            <time>{clockTime(at)}</time>
          </li>
        ))}
      </ol>
    </section>
  )
}
