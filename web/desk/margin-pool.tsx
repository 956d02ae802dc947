/** How a pool of collateral is shown wherever it is, and an instrument with its category. */
import { money, percent } from '../numbers/format.ts'
import type { Column } from '../parts/rows.tsx'
import type { Category } from '../venue/categories.ts'
import { t } from '../words/words.ts'
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

export const poolColumns: Column<MarginPool>[] = [
  {
    title: 'Pool',
    head: true,
    cell: ({ wallet, unit, symbol, posSide, halted }) => (
      <span class="symbol">
        <strong>{symbol ?? (unit === 'USD' ? 'All coins' : `${unit}, cross`)}</strong>
        {posSide !== null && <span class={posSide === 'long' ? 'up' : 'down'}>{posSide} isolated</span>}
        <span class="badge">{wallet}</span>
        {halted && <span class="badge tone-warn">waits for a price</span>}
      </span>
    ),
  },
  { title: 'Equity', number: true, cell: ({ equity, unit }) => money(equity, unit) },
  { title: 'Maintenance', number: true, cell: ({ maintenance, unit }) => money(maintenance, unit) },
  {
    title: 'Margin ratio',
    number: true,
    cell: ({ marginRatio }) => <strong class={ratioTone(marginRatio)}>{percent(marginRatio)}</strong>,
  },
]
