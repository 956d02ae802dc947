/** The title of book and tape; where there is no room for both, a switch between them. */
import { Choice } from '../parts/choice.tsx'
import { marketTab } from '../store/view.ts'
import { t } from '../words/words.ts'

export function MarketTitle({ name }: { name: 'book' | 'trades' }) {
  return (
    <>
      <h2 class="when-both">{t.market[name]}</h2>
      <div class="when-one">
        <Choice
          label={t.market.bookOrTrades}
          value={marketTab.value}
          options={[
            ['book', t.market.book],
            ['tape', t.market.trades],
          ]}
          onChange={(value) => (marketTab.value = value)}
        />
      </div>
    </>
  )
}
