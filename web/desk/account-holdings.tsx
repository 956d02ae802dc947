/** What an account has: its margin by pool, wallets, positions, open orders and those that wait for a price. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { direction, grouped, signed, titled } from '../numbers/format.ts'
import { type Column, Rows } from '../parts/rows.tsx'
import { dateTime } from '../store/times.ts'
import { Named, poolColumns } from './margin-pool.tsx'
import { at } from './place.ts'
import type { Balance, Holdings, OpenOrder, Position, TriggerOrder } from './records.ts'

/** Lists that have nothing in them are left out, but wallets. */
export function AccountHoldings({ holdings }: { holdings: Holdings }) {
  const { uid, pools, wallets, positions, orders, triggers } = holdings
  return (
    <>
      <Section
        title="Margin"
        columns={poolColumns}
        rows={pools}
        keyOf={({ wallet, unit, symbol, posSide }) => `${wallet}/${unit}/${symbol}/${posSide}`}
      />
      <Section
        title="Wallets"
        columns={walletColumns}
        rows={wallets}
        keyOf={({ wallet, coin }) => `${wallet}/${coin}`}
        empty="Nothing is in its wallets."
      />
      <Section
        title="Positions"
        columns={positionColumns(uid)}
        rows={positions}
        keyOf={({ category, symbol, posSide, marginMode }) => `${category}/${symbol}/${posSide}/${marginMode}`}
      />
      <Section title="Open orders" columns={orderColumns} rows={orders} keyOf={({ orderId }) => orderId} />
      <Section title="Trigger orders" columns={triggerColumns} rows={triggers} keyOf={({ orderId }) => orderId} />
    </>
  )
}

/** So many are enough to look at; the others are there on request. */
const rowsMax = 20

interface SectionProps<T> {
  readonly title: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** Absent: nothing is shown of an empty list. */
  readonly empty?: string
}

function Section<T>({ title, columns, rows, keyOf, empty }: SectionProps<T>) {
  const [isWhole, setIsWhole] = useState(false)
  if (rows.length === 0 && empty === undefined) return null
  const shown = isWhole ? rows : rows.slice(0, rowsMax)
  return (
    <>
      <h3 class="rows-title">
        {title}
        {rows.length > rowsMax && ` (${rows.length})`}
      </h3>
      <Rows caption={title} columns={columns} rows={shown} keyOf={keyOf} empty={empty ?? ''} />
      {shown.length < rows.length && (
        <button type="button" class="quiet-button more" onClick={() => setIsWhole(true)}>
          {`All ${rows.length} ${title.toLowerCase()}`}
        </button>
      )}
    </>
  )
}

const walletColumns: Column<Balance>[] = [
  {
    title: 'Coin',
    head: true,
    cell: ({ wallet, coin }) => (
      <span class="symbol">
        <strong>{coin}</strong> <span class="badge">{wallet}</span>
      </span>
    ),
  },
  { title: 'Balance', number: true, cell: ({ balance }) => grouped(balance) },
  { title: 'Held', number: true, cell: ({ held }) => grouped(held) },
  { title: 'Available', number: true, cell: ({ available }) => grouped(available) },
  {
    title: 'Debt',
    number: true,
    cell: ({ debt }) => <span class={debt === '0' ? '' : 'down'}>{grouped(debt)}</span>,
  },
]

function positionColumns(uid: string): Column<Position>[] {
  return [
    { title: 'Contract', head: true, cell: (position) => <Named {...position} /> },
    {
      title: 'Side',
      cell: ({ posSide, leverage, marginMode }) => (
        <span class={posSide === 'long' ? 'up' : 'down'}>
          {titled(posSide)} {leverage}× {marginMode === 'crossed' ? 'cross' : 'isolated'}
        </span>
      ),
    },
    { title: 'Size', number: true, cell: ({ total }) => grouped(total) },
    { title: 'Entry', number: true, cell: ({ avgPrice }) => grouped(avgPrice) },
    { title: 'Mark', number: true, cell: ({ markPrice }) => grouped(markPrice) },
    {
      title: 'Liquidation',
      number: true,
      cell: ({ liquidationPrice }) => (Number(liquidationPrice) > 0 ? grouped(liquidationPrice) : 'none'),
    },
    {
      title: 'Unrealized',
      number: true,
      cell: ({ unrealisedPnl, marginCoin }) => (
        <span class={direction(unrealisedPnl)}>{signed(unrealisedPnl, marginCoin)}</span>
      ),
    },
    {
      title: 'Why',
      actions: true,
      cell: ({ category, symbol, posSide }) => (
        <a href={at('explain', '', { uid, symbol, category, holdSide: posSide })}>Explain</a>
      ),
    },
  ]
}

const orderColumns: Column<OpenOrder>[] = [
  { title: 'Instrument', head: true, cell: (order) => <Named {...order} /> },
  { title: 'Side', cell: ({ side }) => <span class={side === 'buy' ? 'up' : 'down'}>{titled(side)}</span> },
  { title: 'Price', number: true, cell: ({ price }) => grouped(price) },
  {
    title: 'Filled / quantity',
    number: true,
    cell: ({ cumExecQty, qty }) => `${grouped(cumExecQty)} / ${grouped(qty)}`,
  },
  { title: 'Placed', time: true, number: true, cell: ({ createdTime }) => dateTime(Number(createdTime)) },
  {
    title: 'Why',
    actions: true,
    cell: ({ orderId }) => <a href={at('explain', '', { orderId })}>Explain</a>,
  },
]

const triggerColumns: Column<TriggerOrder>[] = [
  { title: 'Instrument', head: true, cell: (order) => <Named {...order} /> },
  { title: 'Side', cell: ({ side }) => <span class={side === 'buy' ? 'up' : 'down'}>{titled(side)}</span> },
  { title: 'Waits for', cell: (order) => <span class="stacked">{waitsFor(order)}</span> },
  { title: 'Quantity', number: true, cell: ({ qty }) => (qty === '' ? 'all of it' : grouped(qty)) },
  { title: 'Placed', time: true, number: true, cell: ({ createdTime }) => dateTime(Number(createdTime)) },
  {
    title: 'Why',
    actions: true,
    cell: ({ orderId }) => <a href={at('explain', '', { orderId })}>Explain</a>,
  },
]

/** A line for each price. */
function waitsFor(order: TriggerOrder): ComponentChildren {
  const { triggerBy, triggerPrice, triggerOrderPrice, takeProfit, tpLimitPrice, stopLoss, slLimitPrice } = order
  const trailing = order.callbackRatio ?? order.rangeRate
  const lines = [
    trailing !== undefined && `trailing by ${trailing}%`,
    triggerPrice !== '' && `${triggerBy === 'mark' ? 'mark' : 'last'} ${sentAt(triggerPrice, triggerOrderPrice)}`,
    takeProfit !== '' && `take-profit ${sentAt(takeProfit, tpLimitPrice)}`,
    stopLoss !== '' && `stop-loss ${sentAt(stopLoss, slLimitPrice)}`,
  ]
  return lines.filter((line) => line !== false).map((line) => <span key={line}>{line}</span>)
}

function sentAt(price: string, limit: string): string {
  return `${grouped(price)}, ${limit === '' ? 'at market' : `limit ${grouped(limit)}`}`
}
