/** What somebody should look at, most urgent first; nothing is shown while all is well. */
import { useLive } from './live.ts'
import { at } from './place.ts'
import type { InsuranceFund, Market } from './records.ts'
import { status } from './watch.ts'
import { desk } from '../words/desk.ts'
import { Said } from './said.tsx'

/** What it is, and where on the desk to look; a reason without a place is in the venue's own words. */
type Note = readonly [text: string, to?: string]

export function Attention() {
  const markets = useLive('markets').data ?? []
  const funds = useLive('house-funds').data ?? []
  // Said below with the way to where it is.
  const reasons = (status.value?.reasons ?? []).filter((text) => !text.startsWith('index '))
  const closed = markets.filter((market) => market.status !== 'online')
  const frozen = markets.filter((market) => market.frozen !== null)
  const deleveraging = funds.filter((fund) => fund.deleveraging && Number(fund.highest) > 0)
  const notes: readonly (Note | false)[] = [
    ...reasons.map((text): Note => [text]),
    frozen.length > 0 && [desk.attention.frozen(namesOf(frozen)), marketsAt('frozen')],
    deleveraging.length > 0 && [desk.attention.deleveraging(coinsOf(deleveraging)), at('risk')],
    closed.length > 0 && [desk.attention.closed(namesOf(closed)), marketsAt('closed')],
  ]
  const said = notes.filter((note) => note !== false)
  if (said.length === 0) return null
  return (
    <ul class="attention" aria-label={desk.attention.label}>
      {said.map(([text, to]) => (
        <li key={text}>{to === undefined ? <Said text={text} /> : <a href={to}>{text}</a>}</li>
      ))}
    </ul>
  )
}

function marketsAt(state: string): string {
  return at('instruments', '', { state })
}

function coinsOf(funds: readonly InsuranceFund[]): string {
  return funds.map(({ coin }) => coin).join(', ')
}

const namedMax = 3

function namesOf(markets: readonly Market[]): string {
  const names = markets.slice(0, namedMax).map(({ symbol, category }) => `${symbol} (${category})`)
  const more = markets.length - names.length
  return more > 0 ? desk.attention.more(names.join(', '), more) : names.join(', ')
}
