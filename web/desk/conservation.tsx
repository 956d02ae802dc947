/** Whether money is conserved: per coin what is with accounts and with the house against what came in and did not leave. */
import { grouped } from '../numbers/format.ts'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { unitsText, units } from '../numbers/decimal.ts'
import { useLive } from './live.ts'
import type { CoinConserved } from './records.ts'

const columns: Column<CoinConserved>[] = [
  { title: 'Coin', head: true, cell: ({ coin }) => <strong>{coin}</strong> },
  { title: 'With accounts', number: true, cell: ({ accounts }) => grouped(accounts) },
  { title: 'With the house', number: true, cell: ({ house }) => grouped(houseSum(house)) },
  { title: 'Deposits − withdrawals', number: true, cell: ({ deposited }) => grouped(deposited) },
  {
    title: 'Adds up',
    number: true,
    cell: ({ difference }) =>
      difference === '0' ? (
        <span class="up" data-testid="balanced">
          ✓ balanced
        </span>
      ) : (
        <strong class="down">off by {grouped(difference)}</strong>
      ),
  },
]

/** Fees, interest, insurance fund and rounding are the house's; the others stand for what accounts have open or under way. */
const houseParts = [
  ['fees', 'Fees'],
  ['interest', 'Interest'],
  ['insurance', 'Insurance'],
  ['lendingPool', 'Lent out'],
  ['clearing', 'Clearing'],
  ['isolatedMargin', 'Isolated margin'],
  ['rounding', 'Rounding'],
  ['inTransit', 'In transit'],
] as const

export function ConservationPanel() {
  const { data, fault } = useLive('conservation')
  const coins = data?.coins ?? []
  const off = coins.filter(({ difference }) => difference !== '0')
  return (
    <Panel
      title="Conservation"
      aside={
        data === undefined ? (
          fault || 'Adding up …'
        ) : off.length === 0 ? (
          <span class="up">every coin adds up</span>
        ) : (
          <strong class="down">
            {off.length === 1 ? '1 coin does not add up' : `${off.length} coins do not add up`}
          </strong>
        )
      }
    >
      <Rows
        caption="Conservation of each coin"
        columns={columns}
        rows={coins}
        keyOf={({ coin }) => coin}
        empty="No coins."
      />
      <details class="house">
        <summary>What the house has</summary>
        <Rows
          caption="House accounts of each coin"
          columns={[
            { title: 'Coin', head: true, cell: ({ coin }) => <strong>{coin}</strong> },
            ...houseParts.map(
              ([name, title]): Column<CoinConserved> => ({
                title,
                number: true,
                cell: ({ house }) => grouped(house[name] ?? '0'),
              }),
            ),
          ]}
          rows={coins}
          keyOf={({ coin }) => coin}
          empty="No coins."
        />
      </details>
    </Panel>
  )
}

function houseSum(house: CoinConserved['house']): string {
  return unitsText(Object.values(house).reduce((sum, text) => sum + units(text), 0n))
}
