/** What an account has: its margin by pool, wallets, positions, open orders and those that wait for a price. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { direction, grouped, signed } from '../numbers/format.ts'
import { exact } from '../parts/numbers.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { dateTime } from '../store/times.ts'
import { Named, poolColumns } from './margin-pool.tsx'
import { at } from './place.ts'
import type { Balance, Holdings, OpenOrder, Position, TriggerOrder } from './records.ts'
import { desk } from '../words/desk.ts'
import { named, t } from '../words/words.ts'

/** Lists that have nothing in them are left out, but wallets. */
export function AccountHoldings({ holdings }: { holdings: Holdings }) {
  const { uid, pools, wallets, positions, orders, triggers } = holdings
  return (
    <>
      <Section
        title={desk.holdings.margin}
        columns={poolColumns()}
        rows={pools}
        keyOf={({ wallet, unit, symbol, posSide }) => `${wallet}/${unit}/${symbol}/${posSide}`}
      />
      <Section
        title={desk.holdings.wallets}
        columns={walletColumns()}
        rows={wallets}
        keyOf={({ wallet, coin }) => `${wallet}/${coin}`}
        empty={desk.holdings.noWallets}
      />
      <Section
        title={desk.holdings.positions}
        columns={positionColumns(uid)}
        rows={positions}
        keyOf={({ category, symbol, posSide, marginMode }) => `${category}/${symbol}/${posSide}/${marginMode}`}
      />
      <Section title={desk.holdings.orders} columns={orderColumns()} rows={orders} keyOf={({ orderId }) => orderId} />
      <Section
        title={desk.holdings.triggers}
        columns={triggerColumns()}
        rows={triggers}
        keyOf={({ orderId }) => orderId}
      />
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
          {desk.holdings.all(rows.length, title)}
        </button>
      )}
    </>
  )
}

const walletColumns = (): Column<Balance>[] => [
  {
    title: t.common.coin,
    head: true,
    cell: ({ wallet, coin }) => (
      <span class="symbol">
        <strong>{coin}</strong> <span class="badge">{named(t.walletsShort, wallet)}</span>
      </span>
    ),
  },
  exact({ title: t.money.balance, of: ({ balance }) => balance }),
  exact({ title: t.money.held, of: ({ held }) => held }),
  exact({ title: t.money.available, of: ({ available }) => available }),
  exact({ title: t.money.debt, of: ({ debt }) => debt, tone: ({ debt }) => (debt === '0' ? '' : 'down') }),
]

function positionColumns(uid: string): Column<Position>[] {
  return [
    { title: t.columns.contract, head: true, cell: (position) => <Named {...position} /> },
    {
      title: t.columns.side,
      cell: ({ posSide, leverage, marginMode }) => (
        <span class={posSide === 'long' ? 'up' : 'down'}>
          {t.sides[posSide]} {leverage}× {marginMode === 'crossed' ? desk.page.cross : desk.page.isolated}
        </span>
      ),
    },
    exact({ title: t.columns.size, of: ({ total }) => total }),
    exact({ title: desk.holdings.entry, of: ({ avgPrice }) => avgPrice }),
    exact({ title: desk.holdings.mark, of: ({ markPrice }) => markPrice }),
    {
      title: desk.holdings.liquidation,
      number: true,
      cell: ({ liquidationPrice }) => (Number(liquidationPrice) > 0 ? grouped(liquidationPrice) : t.common.none),
    },
    {
      title: desk.holdings.unrealized,
      number: true,
      cell: ({ unrealisedPnl, marginCoin }) => (
        <span class={direction(unrealisedPnl)}>{signed(unrealisedPnl, marginCoin)}</span>
      ),
    },
    {
      title: desk.page.why,
      actions: true,
      cell: ({ category, symbol, posSide }) => (
        <a href={at('explain', '', { uid, symbol, category, holdSide: posSide })}>{desk.page.explain}</a>
      ),
    },
  ]
}

const orderColumns = (): Column<OpenOrder>[] => [
  { title: desk.page.instrument, head: true, cell: (order) => <Named {...order} /> },
  {
    title: t.columns.side,
    cell: ({ side }) => <span class={side === 'buy' ? 'up' : 'down'}>{named(t.sides, side)}</span>,
  },
  exact({ title: t.columns.price, of: ({ price }) => price }),
  {
    title: t.columns.filled,
    number: true,
    cell: ({ cumExecQty, qty }) => `${grouped(cumExecQty)} / ${grouped(qty)}`,
  },
  { title: t.columns.placed, time: true, number: true, cell: ({ createdTime }) => dateTime(Number(createdTime)) },
  {
    title: desk.page.why,
    actions: true,
    cell: ({ orderId }) => <a href={at('explain', '', { orderId })}>{desk.page.explain}</a>,
  },
]

const triggerColumns = (): Column<TriggerOrder>[] => [
  { title: desk.page.instrument, head: true, cell: (order) => <Named {...order} /> },
  {
    title: t.columns.side,
    cell: ({ side }) => <span class={side === 'buy' ? 'up' : 'down'}>{named(t.sides, side)}</span>,
  },
  { title: desk.holdings.waitsFor, cell: (order) => <span class="stacked">{waitsFor(order)}</span> },
  { title: t.columns.quantity, number: true, cell: ({ qty }) => (qty === '' ? t.orders.allOfIt : grouped(qty)) },
  { title: t.columns.placed, time: true, number: true, cell: ({ createdTime }) => dateTime(Number(createdTime)) },
  {
    title: desk.page.why,
    actions: true,
    cell: ({ orderId }) => <a href={at('explain', '', { orderId })}>{desk.page.explain}</a>,
  },
]

/** A line for each price. */
function waitsFor(order: TriggerOrder): ComponentChildren {
  const { triggerBy, triggerPrice, triggerOrderPrice, takeProfit, tpLimitPrice, stopLoss, slLimitPrice } = order
  const byPrice = triggerBy === 'mark' ? desk.holdings.byMark : desk.holdings.byLast
  const trailing = order.callbackRatio ?? order.rangeRate
  const lines = [
    trailing !== undefined && desk.holdings.trailing(trailing),
    triggerPrice !== '' && byPrice(sentAt(triggerPrice, triggerOrderPrice)),
    takeProfit !== '' && desk.holdings.takeProfit(sentAt(takeProfit, tpLimitPrice)),
    stopLoss !== '' && desk.holdings.stopLoss(sentAt(stopLoss, slLimitPrice)),
  ]
  return lines.filter((line) => line !== false).map((line) => <span key={line}>{line}</span>)
}

function sentAt(price: string, limit: string): string {
  return limit === ''
    ? desk.holdings.sentAtMarket(grouped(price))
    : desk.holdings.sentAtLimit(grouped(price), grouped(limit))
}
