/** The title of book and tape; where there is no room for both, a switch between them. */
import { Choice } from '../parts/choice.tsx'
import { marketTab } from '../store/view.ts'

export function MarketTitle({ name }: { name: 'Order book' | 'Trades' }) {
  return (
    <>
      <h2 class="when-both">{name}</h2>
      <div class="when-one">
        <Choice
          label="Order book or trades"
          value={marketTab.value}
          options={[
            ['book', 'Order book'],
            ['tape', 'Trades'],
          ]}
          onChange={(value) => (marketTab.value = value)}
        />
      </div>
    </>
  )
}
