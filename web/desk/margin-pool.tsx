/** How a pool of collateral is shown wherever it is, and an instrument with its category. */
import { money, percent } from '../numbers/format.ts'
import type { Column } from '../parts/rows.tsx'
import type { Category } from '../venue/categories.ts'
import { desk } from '../words/desk.ts'
import { named, t } from '../words/words.ts'
import type { MarginPool } from './records.ts'

export function Named({ category, symbol }: { category: string; symbol: string }) {
  return (
    <span class="symbol">
      <strong>{symbol}</strong> <span class="badge">{t.categories[category as Category]}</span>
    </span>
  )
}

/** At half of what it may be it is said, at four fifths it is a danger. */
export function ratioTone(ratio: string): string {
  return Number(ratio) >= 0.8 ? 'down' : Number(ratio) >= 0.5 ? 'warn' : ''
}

export const poolColumns = (): Column<MarginPool>[] => [
  {
    title: desk.holdings.pool,
    head: true,
    cell: ({ wallet, unit, symbol, posSide, halted }) => (
      <span class="symbol">
        <strong>{symbol ?? (unit === 'USD' ? desk.holdings.allCoins : desk.holdings.crossOf(unit))}</strong>
        {posSide !== null && (
          <span class={posSide === 'long' ? 'up' : 'down'}>{desk.holdings.isolatedOf[posSide]}</span>
        )}
        <span class="badge">{named(t.walletsShort, wallet)}</span>
        {halted && <span class="badge tone-warn">{desk.holdings.waitsForPrice}</span>}
      </span>
    ),
  },
  { title: t.money.equity, number: true, cell: ({ equity, unit }) => money(equity, unit) },
  { title: desk.holdings.maintenance, number: true, cell: ({ maintenance, unit }) => money(maintenance, unit) },
  {
    title: t.money.marginRatio,
    number: true,
    cell: ({ marginRatio }) => <strong class={ratioTone(marginRatio)}>{percent(marginRatio)}</strong>,
  },
]
