/**
 * The order book: asks above, bids below, with bars for the depth that has gathered up to each level; own orders marked.
 *
 * Steps    levels can be gathered into coarser prices: bids down, asks up, so that nothing looks better than it is
 * Rows     as many as the panel has room for, kept in place: their texts and bars change, never their boxes
 * Taking   a click on a level puts its price into the ticket
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { grouped, short, shown } from '../numbers/format.ts'
import { type DepthRow, gather } from '../trading/depth.ts'
import { SelectField } from '../parts/field.tsx'
import { ownLevels } from '../store/own.ts'
import { book, currentInstrument, ticker } from '../store/market.ts'
import { MarketTitle } from './market-title.tsx'
import { ticket } from '../store/ticket.ts'
import type { Instrument } from '../venue/instruments.ts'
import { t } from '../words/words.ts'

const rowsMax = 20
const rowHeight = 20
/** Title, head, middle and edges of the panel. */
const otherHeight = 100
const groupings = [1, 10, 100, 1000] as const

export function OrderBook() {
  const [by, setBy] = useState('1')
  const [count, setCount] = useState(9)
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    const watcher = new ResizeObserver(([entry]) => {
      const fitting = Math.floor(((entry?.contentRect.height ?? 0) - otherHeight) / rowHeight / 2)
      setCount(Math.max(4, Math.min(rowsMax, fitting)))
    })
    if (panel.current !== null) watcher.observe(panel.current)
    return () => watcher.disconnect()
  }, [])
  const instrument = currentInstrument.value
  if (instrument === undefined) return <section class="panel book" aria-label={t.market.book} ref={panel} />
  const precision = instrument.pricePrecision
  const common = { precision, by: Number(by), rows: count }
  const asks = gather(book.value.asks, { ...common, side: 'ask' })
  const bids = gather(book.value.bids, { ...common, side: 'bid' })
  const deepest = Math.max(asks.at(-1)?.total ?? 0, bids.at(-1)?.total ?? 0)
  const places = Math.min(instrument.quantityPrecision, placesFor(deepest))
  const options = groupings.map((steps) => [String(steps), stepText(steps, precision)] as const)
  return (
    <section class="panel book" aria-label={t.market.book} ref={panel}>
      <div class="panel-title">
        <MarketTitle name="book" />
        <SelectField label={t.market.step} compact value={by} options={options} onChange={setBy} />
      </div>
      <div class="ladder-head" aria-hidden="true">
        <span>{t.market.price(instrument.quote)}</span>
        <span>{t.market.size(instrument.quantityUnit)}</span>
        <span>{t.market.total}</span>
      </div>
      <Side
        side="ask"
        rows={asks}
        count={count}
        deepest={deepest}
        places={places}
        instrument={instrument}
        by={Number(by)}
      />
      <Middle instrument={instrument} />
      <Side
        side="bid"
        rows={bids}
        count={count}
        deepest={deepest}
        places={places}
        instrument={instrument}
        by={Number(by)}
      />
    </section>
  )
}

/** Sizes beyond have no room: all of the book are shortened then. */
const shortFrom = 1e8

/** As many decimals as there is room for beside the largest: six figures in all, four decimals at most. */
function placesFor(largest: number): number {
  return Math.max(0, Math.min(4, 6 - Math.trunc(largest).toString().length))
}

function stepText(count: number, precision: number): string {
  const decimals = Math.max(0, precision - Math.log10(count))
  return (count / 10 ** precision).toFixed(decimals)
}

interface SideProps {
  readonly side: 'bid' | 'ask'
  readonly rows: readonly DepthRow[]
  readonly count: number
  readonly deepest: number
  /** Decimals of all sizes. */
  readonly places: number
  readonly instrument: Instrument
  readonly by: number
}

function Side({ side, rows, count, deepest, places, instrument, by }: SideProps) {
  const own = ownLevels(instrument, side, by)
  const padded = Array.from({ length: count }, (_, index) => rows[index])
  if (side === 'ask') padded.reverse()
  return (
    <ol class={`ladder ${side}s`} aria-label={side === 'ask' ? t.market.asks : t.market.bids}>
      {padded.map((row, index) => (
        <LevelRow
          key={index}
          row={row}
          side={side}
          deepest={deepest}
          places={places}
          instrument={instrument}
          own={own.get(row?.price ?? Number.NaN)}
        />
      ))}
    </ol>
  )
}

interface LevelRowProps {
  readonly row: DepthRow | undefined
  readonly side: 'bid' | 'ask'
  readonly deepest: number
  readonly places: number
  readonly instrument: Instrument
  /** What of one's own rests there. */
  readonly own: number | undefined
}

function LevelRow({ row, side, deepest, places, instrument, own }: LevelRowProps) {
  if (row === undefined) return <li class="level void" aria-hidden="true" />
  const { pricePrecision } = instrument
  const price = (row.price / 10 ** pricePrecision).toFixed(pricePrecision)
  const size = (value: number) => (deepest >= shortFrom ? short(value, 2) : shown(String(value), places))
  return (
    <li
      class={`level ${side === 'bid' ? 'up' : 'down'}${own === undefined ? '' : ' own'}`}
      onClick={() => ticket.takePrice(price)}
    >
      <span class="bar" aria-hidden="true" style={{ transform: `scaleX(${deepest > 0 ? row.total / deepest : 0})` }} />
      <span class="price">
        {own !== undefined && (
          <span class="mine" title={t.market.yours(String(own))}>
            <span class="unseen">{t.market.yoursHere(String(own))}</span>
          </span>
        )}
        {grouped(price)}
      </span>
      <span class="size">{size(row.size)}</span>
      <span class="total">{size(row.total)}</span>
    </li>
  )
}

function Middle({ instrument }: { instrument: Instrument }) {
  const bid = book.value.bids[0]?.[0]
  const ask = book.value.asks[0]?.[0]
  const last = ticker.value?.last
  const spread = bid === undefined || ask === undefined ? undefined : Number(ask) - Number(bid)
  return (
    <div class="middle">
      <strong>{shown(last, instrument.pricePrecision)}</strong>
      {spread !== undefined && (
        <span class="quiet">
          {t.market.spread(spread.toFixed(instrument.pricePrecision), ((spread / Number(ask)) * 100).toFixed(3))}
        </span>
      )}
    </div>
  )
}
