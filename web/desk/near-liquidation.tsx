/** Accounts whose margin is nearly used up, highest ratio first. */
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { useLive } from './live.ts'
import { poolColumns } from './margin-pool.tsx'
import { at } from './place.ts'
import type { NearAccount } from './records.ts'
import { desk } from '../words/desk.ts'
import { t } from '../words/words.ts'

const columns = (): readonly Column<NearAccount>[] => [
  {
    title: desk.page.account,
    head: true,
    cell: ({ uid, name, symbol, category, posSide }) => {
      const position = { symbol: symbol ?? undefined, category: category ?? undefined, holdSide: posSide ?? undefined }
      return (
        <span class="stacked">
          <a href={at('accounts', uid)} title={uid}>
            {name || uid}
          </a>
          <a href={at('explain', '', { uid, ...position })}>{desk.page.explain}</a>
        </span>
      )
    },
  },
  ...poolColumns()
    .toReversed()
    .map((column) => ({ ...column, head: false })),
]

export function NearLiquidationPanel() {
  const { data, fault } = useLive('near-liquidation')
  return (
    <Panel
      title={desk.risk.near}
      class="fills"
      aside={
        <span class="quiet">{data?.more === true ? desk.risk.nearest(data.accounts.length) : desk.page.live}</span>
      }
    >
      <div class="scrolls" tabIndex={0} role="region" aria-label={desk.risk.nearList}>
        <Rows
          caption={desk.risk.near}
          columns={columns()}
          rows={data?.accounts ?? []}
          keyOf={({ uid }) => uid}
          empty={data === undefined ? fault || t.common.reading : desk.risk.nobodyNear}
        />
      </div>
    </Panel>
  )
}
