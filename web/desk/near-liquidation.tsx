/** Accounts whose margin is nearly used up, highest ratio first. */
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { useLive } from './live.ts'
import { poolColumns } from './margin-pool.tsx'
import { at } from './place.ts'
import type { NearAccount } from './records.ts'

const columns: readonly Column<NearAccount>[] = [
  {
    title: 'Account',
    head: true,
    cell: ({ uid, name }) => (
      <a href={at('accounts', uid)} title={uid}>
        {name || uid}
      </a>
    ),
  },
  ...poolColumns.toReversed().map((column) => ({ ...column, head: false })),
  {
    title: 'Why',
    actions: true,
    cell: ({ uid, symbol, category, posSide }) => {
      const position = { symbol: symbol ?? undefined, category: category ?? undefined, holdSide: posSide ?? undefined }
      return <a href={at('explain', '', { uid, ...position })}>Explain</a>
    },
  },
]

export function NearLiquidationPanel() {
  const { data, fault } = useLive('near-liquidation')
  return (
    <Panel
      title="Near liquidation"
      class="fills"
      aside={<span class="quiet">{data?.more === true ? `the nearest ${data.accounts.length}, live` : 'live'}</span>}
    >
      <div class="scrolls" tabIndex={0} role="region" aria-label="Accounts near liquidation">
        <Rows
          caption="Near liquidation"
          columns={columns}
          rows={data?.accounts ?? []}
          keyOf={({ uid }) => uid}
          empty={data === undefined ? fault || 'Reading …' : 'Nobody risks anything.'}
        />
      </div>
    </Panel>
  )
}
