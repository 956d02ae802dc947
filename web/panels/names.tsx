/** How instruments and sides are named. */
import { instrumentNamed } from '../store/market.ts'
import { showMarket } from '../store/panes.ts'
import { view } from '../store/view.ts'
import type { Category } from '../venue/categories.ts'
import { type Messages, t } from '../words/words.ts'

/** A press on it shows its chart. */
export function Symbol({ category, symbol }: { category: Category; symbol: string }) {
  const instrument = instrumentNamed(category, symbol)
  return (
    <span class="symbol">
      <button
        type="button"
        class="link strong"
        disabled={instrument === undefined}
        onClick={() => {
          if (instrument !== undefined) showMarket(instrument)
          view.value = 'chart'
        }}
      >
        {symbol}
      </button>
      <span class="badge">{t.badges[category]}</span>
    </span>
  )
}

interface SideProps {
  readonly side: keyof Messages['sides']
  /** In place of its name. */
  readonly text?: string
}

export function Side({ side, text = t.sides[side] }: SideProps) {
  const tone = side === 'buy' || side === 'long' ? 'up' : 'down'
  return <span class={tone}>{text}</span>
}
