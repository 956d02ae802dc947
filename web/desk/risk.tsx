/** Who is near their liquidation, liquidations as they happen, what is open by contract, and the funds that pay for losses. */
import { useState } from 'preact/hooks'
import { direction, grouped, money, percent, signed } from '../numbers/format.ts'
import { NumberField } from '../parts/field.tsx'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { ActDialog } from './act-dialog.tsx'
import { ExposurePanel } from './exposure.tsx'
import { useLive } from './live.ts'
import { NearLiquidationPanel } from './near-liquidation.tsx'
import { act } from './operator.ts'
import { at } from './place.ts'
import type { InsuranceFund, Liquidation } from './records.ts'
import { dateTime } from '../store/times.ts'

export function Risk() {
  return (
    <div class="risk">
      <NearLiquidationPanel />
      <Liquidations />
      <ExposurePanel />
      <Funds />
    </div>
  )
}

function Funds() {
  const { data, fault } = useLive('house-funds')
  const [filling, setFilling] = useState<string | undefined>(undefined)
  return (
    <Panel title="Insurance funds" class="fills">
      <div class="scrolls">
        <Rows
          caption="Insurance funds"
          columns={fundColumns(setFilling)}
          rows={data ?? []}
          keyOf={({ coin }) => coin}
          empty={data === undefined ? fault || 'Reading …' : 'No coins.'}
        />
      </div>
      {filling !== undefined && <FillFund coin={filling} onClose={() => setFilling(undefined)} />}
    </Panel>
  )
}

function fundColumns(onFill: (coin: string) => void): Column<InsuranceFund>[] {
  return [
    { title: 'Coin', head: true, cell: ({ coin }) => <strong>{coin}</strong> },
    { title: 'Balance', number: true, cell: ({ balance }) => <span title={grouped(balance)}>{money(balance)}</span> },
    {
      title: 'Of its highest',
      number: true,
      cell: ({ balance, highest }) =>
        Number(highest) > 0 ? percent(String(Number(balance) / Number(highest)), 1) : '–',
    },
    {
      title: 'Pays losses',
      cell: ({ deleveraging, highest }) =>
        !deleveraging ? (
          <span class="badge tone-up">the fund</span>
        ) : (
          <span class={`badge ${Number(highest) > 0 ? 'tone-down' : ''}`}>deleveraging</span>
        ),
    },
    {
      title: 'Change',
      actions: true,
      cell: ({ coin }) => (
        <button type="button" data-action="fill" onClick={() => onFill(coin)}>
          Pay in
        </button>
      ),
    },
  ]
}

function FillFund({ coin, onClose }: { coin: string; onClose: () => void }) {
  const [amount, setAmount] = useState('')
  return (
    <ActDialog
      title={`Pay into the insurance fund of ${coin}`}
      verb="Pay in"
      run={async () => {
        await act('house-funds', { coin, amount })
        return `${amount} ${coin} paid into the insurance fund`
      }}
      onClose={onClose}
    >
      <p class="quiet">It comes from outside the venue and cannot be taken back from here.</p>
      <NumberField label="Amount" name="amount" value={amount} onChange={setAmount} unit={coin} />
    </ActDialog>
  )
}

function Liquidations() {
  const { data, fault } = useLive('liquidations')
  return (
    <Panel title="Liquidations" class="fills" aside={<span class="quiet">newest first, live</span>}>
      <div class="scrolls" tabIndex={0} role="region" aria-label="Liquidations, newest first">
        <Rows
          caption="Liquidations"
          columns={liquidationColumns}
          rows={data?.liquidations ?? []}
          keyOf={({ liquidationId }) => liquidationId}
          empty={data === undefined ? fault || 'Reading …' : 'Nobody was liquidated.'}
        />
      </div>
    </Panel>
  )
}

const liquidationColumns: Column<Liquidation>[] = [
  { title: 'Time', time: true, head: true, cell: (liquidation) => dateTime(liquidation.at) },
  { title: 'Account', cell: ({ uid }) => <a href={at('accounts', uid)}>{uid}</a> },
  { title: 'Pool', cell: ({ pool, wallet }) => `${pool}, ${wallet}` },
  {
    title: 'What was found',
    cell: ({ positions, debtUsd }) => (
      <span class="stacked">
        {positions.slice(0, positionsMax).map(({ symbol, holdSide, quantity }) => (
          <span key={symbol + holdSide}>
            <span class={holdSide === 'long' ? 'up' : 'down'}>{holdSide}</span> {grouped(quantity)} {symbol}
          </span>
        ))}
        {positions.length > positionsMax && <span class="quiet">and {positions.length - positionsMax} more</span>}
        {debtUsd !== null && `debt of ${signed(debtUsd, 'USD')}`}
      </span>
    ),
  },
  {
    title: 'Insurance fund',
    number: true,
    cell: ({ insurance }) => (
      <span class="stacked">
        {Object.entries(insurance).map(([coin, paid]) => (
          <span key={coin} class={direction(-Number(paid))}>
            {signed(String(-Number(paid)), coin)}
          </span>
        ))}
      </span>
    ),
  },
  {
    title: 'Deleveraged',
    number: true,
    cell: ({ deleveraged }) => (deleveraged === 0 ? '–' : <strong class="warn">{deleveraged}</strong>),
  },
  {
    title: 'Why',
    actions: true,
    cell: ({ liquidationId }) => <a href={at('explain', '', { liquidationId })}>Explain</a>,
  },
]

const positionsMax = 3
