/** Whether money is conserved: per coin what is with accounts and with the house against what came in and did not leave. */
import { grouped } from '../numbers/format.ts'
import { exact } from '../parts/numbers.tsx'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { unitsText, units } from '../numbers/decimal.ts'
import { useLive } from './live.ts'
import type { CoinConserved } from './records.ts'
import { desk } from '../words/desk.ts'
import { choices, t } from '../words/words.ts'

const columns = (): Column<CoinConserved>[] => [
  { title: t.common.coin, head: true, cell: ({ coin }) => <strong>{coin}</strong> },
  exact({ title: desk.conservation.accounts, of: ({ accounts }) => accounts }),
  exact({ title: desk.conservation.house, of: ({ house }) => houseSum(house) }),
  exact({ title: desk.conservation.deposited, of: ({ deposited }) => deposited }),
  {
    title: desk.conservation.addsUp,
    number: true,
    cell: ({ difference }) =>
      difference === '0' ? (
        <span class="up" data-testid="balanced">
          {desk.conservation.balanced}
        </span>
      ) : (
        <strong class="down">{desk.conservation.off(grouped(difference))}</strong>
      ),
  },
]

/** Fees, interest, insurance fund and rounding are the house's; the others stand for what accounts have open or under way. */
const houseParts = () => choices(desk.conservation.houseParts)

export function ConservationPanel() {
  const { data, fault } = useLive('conservation')
  const coins = data?.coins ?? []
  const off = coins.filter(({ difference }) => difference !== '0')
  return (
    <Panel
      title={desk.conservation.title}
      aside={
        data === undefined ? (
          fault || desk.conservation.adding
        ) : off.length === 0 ? (
          <span class="up">{desk.conservation.every}</span>
        ) : (
          <strong class="down">{desk.conservation.coinsOff(off.length)}</strong>
        )
      }
    >
      <Rows
        caption={desk.conservation.caption}
        columns={columns()}
        rows={coins}
        keyOf={({ coin }) => coin}
        empty={desk.page.noCoins}
      />
      <details class="house">
        <summary>{desk.conservation.houseHas}</summary>
        <Rows
          caption={desk.conservation.houseCaption}
          columns={[
            { title: t.common.coin, head: true, cell: ({ coin }) => <strong>{coin}</strong> },
            ...houseParts().map(([name, title]) =>
              exact<CoinConserved>({ title, of: ({ house }) => house[name] ?? '0' }),
            ),
          ]}
          rows={coins}
          keyOf={({ coin }) => coin}
          empty={desk.page.noCoins}
        />
      </details>
    </Panel>
  )
}

function houseSum(house: CoinConserved['house']): string {
  return unitsText(Object.values(house).reduce((sum, text) => sum + units(text), 0n))
}
