/** What is open in each contract over all accounts, the most valuable first; contracts with nothing open are left out. */
import { direction, grouped, money, short, signed } from '../numbers/format.ts'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { useLive } from './live.ts'
import { Named } from './margin-pool.tsx'
import { at } from './place.ts'
import type { Exposure } from './records.ts'
import { desk } from '../words/desk.ts'
import { t } from '../words/words.ts'

export function ExposurePanel() {
  const { data, fault } = useLive('exposure')
  const open = (data ?? [])
    .filter(({ openInterest }) => Number(openInterest) > 0)
    .sort((one, other) => Number(other.notionalUsd) - Number(one.notionalUsd))
  const all = open.reduce((sum, { notionalUsd }) => sum + Number(notionalUsd), 0)
  return (
    <Panel
      title={desk.risk.exposure}
      class="fills"
      aside={data === undefined ? '' : <span class="quiet">{desk.risk.openUsd(short(all))}</span>}
    >
      <div class="scrolls" tabIndex={0} role="region" aria-label={desk.risk.exposureBy}>
        <Rows
          caption={desk.risk.exposureBy}
          columns={columns()}
          rows={open}
          keyOf={({ category, symbol }) => `${category}/${symbol}`}
          empty={data === undefined ? fault || t.common.reading : desk.risk.nothingOpen}
        />
      </div>
    </Panel>
  )
}

const columns = (): readonly Column<Exposure>[] => [
  { title: t.columns.contract, head: true, cell: (exposure) => <Named {...exposure} /> },
  {
    title: desk.risk.open,
    number: true,
    cell: ({ openInterest, notionalUsd }) => <span title={grouped(openInterest)}>{money(notionalUsd, 'USD')}</span>,
  },
  {
    title: desk.risk.accounts,
    number: true,
    cell: ({ longAccounts, shortAccounts }) => `${longAccounts} / ${shortAccounts}`,
  },
  {
    title: desk.risk.largestLong,
    number: true,
    cell: ({ largestLong, openInterest }) => share(largestLong, openInterest),
  },
  {
    title: desk.risk.largestShort,
    number: true,
    cell: ({ largestShort, openInterest }) => share(largestShort, openInterest),
  },
  {
    title: desk.risk.fundShort,
    number: true,
    cell: ({ fundPosition }) =>
      Number(fundPosition) === 0 ? '–' : <span class={direction(fundPosition)}>{signed(fundPosition)}</span>,
  },
]

/** Who has it, and how much of all that is open. */
function share(largest: Exposure['largestLong'], openInterest: string) {
  if (largest === null) return '–'
  const { uid, quantity } = largest
  return (
    <a href={at('accounts', uid)} title={desk.accounts.named(uid)}>
      {((Number(quantity) / Number(openInterest)) * 100).toFixed(0)}%
      <span class="unseen">{desk.risk.ofAccount(uid)}</span>
    </a>
  )
}
