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
import { desk } from '../words/desk.ts'
import { named, t } from '../words/words.ts'

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
    <Panel title={desk.risk.funds} class="fills">
      <div class="scrolls">
        <Rows
          caption={desk.risk.funds}
          columns={fundColumns(setFilling)}
          rows={data ?? []}
          keyOf={({ coin }) => coin}
          empty={data === undefined ? fault || t.common.reading : desk.page.noCoins}
        />
      </div>
      {filling !== undefined && <FillFund coin={filling} onClose={() => setFilling(undefined)} />}
    </Panel>
  )
}

function fundColumns(onFill: (coin: string) => void): Column<InsuranceFund>[] {
  return [
    { title: t.common.coin, head: true, cell: ({ coin }) => <strong>{coin}</strong> },
    {
      title: t.money.balance,
      number: true,
      cell: ({ balance }) => <span title={grouped(balance)}>{money(balance)}</span>,
    },
    {
      title: desk.risk.ofHighest,
      number: true,
      cell: ({ balance, highest }) =>
        Number(highest) > 0 ? percent(String(Number(balance) / Number(highest)), 1) : '–',
    },
    {
      title: desk.risk.pays,
      cell: ({ deleveraging, highest }) =>
        !deleveraging ? (
          <span class="badge tone-up">{desk.risk.theFund}</span>
        ) : (
          <span class={`badge ${Number(highest) > 0 ? 'tone-down' : ''}`}>{desk.risk.counterparties}</span>
        ),
    },
    {
      title: desk.page.change,
      actions: true,
      cell: ({ coin }) => (
        <button type="button" data-action="fill" onClick={() => onFill(coin)}>
          {desk.risk.payIn}
        </button>
      ),
    },
  ]
}

function FillFund({ coin, onClose }: { coin: string; onClose: () => void }) {
  const [amount, setAmount] = useState('')
  return (
    <ActDialog
      title={desk.risk.payInto(coin)}
      verb={desk.risk.payIn}
      run={async () => {
        await act('house-funds', { coin, amount })
        return desk.risk.paid(`${amount} ${coin}`)
      }}
      onClose={onClose}
    >
      <p class="quiet">{desk.risk.payMeans}</p>
      <NumberField label={t.common.amount} name="amount" value={amount} onChange={setAmount} unit={coin} />
    </ActDialog>
  )
}

function Liquidations() {
  const { data, fault } = useLive('liquidations')
  return (
    <Panel title={desk.risk.liquidations} class="fills" aside={<span class="quiet">{desk.page.newestLive}</span>}>
      <div class="scrolls" tabIndex={0} role="region" aria-label={desk.risk.liquidationsList}>
        <Rows
          caption={desk.risk.liquidations}
          columns={liquidationColumns()}
          rows={data?.liquidations ?? []}
          keyOf={({ liquidationId }) => liquidationId}
          empty={data === undefined ? fault || t.common.reading : desk.risk.nobody}
        />
      </div>
    </Panel>
  )
}

const liquidationColumns = (): Column<Liquidation>[] => [
  {
    title: t.columns.time,
    time: true,
    head: true,
    cell: ({ at: when, uid, liquidationId }) => (
      <span class="stacked">
        {dateTime(when)}
        <a href={at('accounts', uid)}>{desk.accounts.named(uid)}</a>
        <a href={at('explain', '', { liquidationId })}>{desk.page.explain}</a>
      </span>
    ),
  },
  {
    title: desk.risk.found,
    cell: ({ pool, wallet, positions, debtUsd }) => (
      <span class="stacked">
        <span class="quiet">{`${named(pools(), pool)}, ${named(t.walletsShort, wallet)}`}</span>
        {positions.slice(0, positionsMax).map(({ symbol, holdSide, quantity }) => (
          <span key={symbol + holdSide}>
            <span class={holdSide === 'long' ? 'up' : 'down'}>{named(t.sides, holdSide)}</span> {grouped(quantity)}{' '}
            {symbol}
          </span>
        ))}
        {positions.length > positionsMax && (
          <span class="quiet">{desk.risk.foundMore(positions.length - positionsMax)}</span>
        )}
        {debtUsd !== null && desk.risk.debt(signed(debtUsd, 'USD'))}
      </span>
    ),
  },
  {
    title: desk.risk.fund,
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
    title: desk.risk.deleveraged,
    number: true,
    cell: ({ deleveraged }) => (deleveraged === 0 ? '–' : <strong class="warn">{deleveraged}</strong>),
  },
]

const positionsMax = 3

/** By the names that they have on the wire. */
const pools = () => ({
  cross: t.marginModes.crossed,
  isolated: t.marginModes.isolated,
  unified: t.accountModes.unified,
  margin: t.categories.MARGIN,
})
