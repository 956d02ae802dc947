/** What somebody should look at, most urgent first; nothing is shown while all is well. */
import { useRead } from './use-read.ts'
import { at } from './place.ts'
import { valueOf } from './readings.ts'
import type { InsuranceFund, Market } from './records.ts'
import { newest, status } from './watch.ts'

const everyMs = 5_000

export function Attention() {
  const markets = useRead<readonly Market[]>('markets', {}, everyMs).data ?? []
  const funds = useRead<readonly InsuranceFund[]>('house-funds', {}, everyMs).data ?? []
  const last = newest.value
  const snapshotsFailed = last === undefined ? 0 : (valueOf(last, 'tidemark_snapshots_failed_total') ?? 0)
  const closed = markets.filter((one) => one.status !== 'online')
  const frozen = markets.filter((one) => one.frozen !== null)
  const deleveraging = funds.filter((one) => one.deleveraging && Number(one.highest) > 0)
  const said = [
    ...(status.value?.reasons ?? []).map((text) => ({ text, to: undefined })),
    ...(snapshotsFailed > 0 ? [{ text: `${snapshotsFailed} snapshots failed: the journal grows`, to: undefined }] : []),
    ...(frozen.length > 0
      ? [{ text: `The index of ${named(frozen)} cannot be believed`, to: at('instruments', '', { state: 'frozen' }) }]
      : []),
    ...(deleveraging.length > 0
      ? [
          {
            text: `The insurance fund of ${deleveraging.map(({ coin }) => coin).join(', ')} is low: counterparties are deleveraged`,
            to: at('risk'),
          },
        ]
      : []),
    ...(closed.length > 0
      ? [
          {
            text: `${named(closed)} ${closed.length === 1 ? 'is' : 'are'} not open for trading`,
            to: at('instruments', '', { state: 'closed' }),
          },
        ]
      : []),
  ]
  if (said.length === 0) return null
  return (
    <ul class="attention" aria-label="Wants attention">
      {said.map(({ text, to }) => (
        <li key={text}>{to === undefined ? text : <a href={to}>{text}</a>}</li>
      ))}
    </ul>
  )
}

const namedMax = 3

function named(markets: readonly Market[]): string {
  const names = markets.slice(0, namedMax).map(({ symbol, category }) => `${symbol} (${category})`)
  const more = markets.length - names.length
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
