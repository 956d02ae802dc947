/** What has ended: orders, fills, closed positions. Orders and closed positions are those of the category in view. */
import { dateTime, direction, grouped, money, shown, signed } from '../numbers/format.ts'
import { SelectField } from '../parts/field.tsx'
import { Pages } from '../parts/pages.tsx'
import type { Column } from '../parts/rows.tsx'
import { historyChanges } from '../store/account.ts'
import { historyCategory } from '../store/history-category.ts'
import { precisionOf } from '../store/market.ts'
import type { ClosedPosition, Fill, Order } from '../venue/account-records.ts'
import { categories, categoryNames, futuresLines } from '../venue/categories.ts'
import { Side, Symbol } from './names.tsx'

function CategoryField({ futuresOnly = false }: { futuresOnly?: boolean }) {
  const offered = futuresOnly ? futuresLines : categories
  return (
    <SelectField
      label="Category"
      compact
      value={historyCategory(futuresOnly).value}
      options={offered.map((one) => [one, categoryNames[one]] as const)}
      onChange={(one) => (historyCategory(futuresOnly).value = one)}
    />
  )
}

const orderColumns: Column<Order>[] = [
  { title: 'Symbol', head: true, cell: (one) => <Symbol category={one.category} symbol={one.symbol} /> },
  { title: 'Side', cell: (one) => <Side side={one.side} /> },
  { title: 'Type', cell: (one) => (one.orderType === 'limit' ? 'Limit' : 'Market') },
  { title: 'Price', number: true, cell: (one) => (one.orderType === 'market' ? 'market' : grouped(one.price)) },
  {
    title: 'Average',
    number: true,
    cell: (one) =>
      Number(one.averagePrice) > 0 ? shown(one.averagePrice, precisionOf(one.category, one.symbol).price) : '–',
  },
  { title: 'Filled / quantity', number: true, cell: (one) => `${grouped(one.filled)} / ${grouped(one.quantity)}` },
  { title: 'Fee', number: true, cell: (one) => money(one.fee, one.feeCoin) },
  { title: 'Ended as', cell: (one) => one.status },
  { title: 'Time', number: true, cell: (one) => dateTime(one.updatedAt) },
]

export function OrderHistory() {
  const category = historyCategory(false).value
  return (
    <>
      <div class="rows-head">
        <CategoryField />
      </div>
      <Pages
        caption="Order history"
        columns={orderColumns}
        keyOf={({ id }) => id}
        empty={`No ended orders in ${categoryNames[category]}.`}
        when={[category, historyChanges.value]}
        read={(account, cursor) => account.endedOrders(category, cursor)}
      />
    </>
  )
}

const fillColumns: Column<Fill>[] = [
  { title: 'Symbol', head: true, cell: (one) => <Symbol category={one.category} symbol={one.symbol} /> },
  {
    title: 'Side',
    cell: (one) => <Side side={one.side} text={one.tradeSide === '' ? one.side : `${one.side}, ${one.tradeSide}`} />,
  },
  { title: 'Price', number: true, cell: (one) => grouped(one.price) },
  { title: 'Quantity', number: true, cell: (one) => grouped(one.quantity) },
  { title: 'Role', cell: (one) => one.scope },
  { title: 'Fee', number: true, cell: (one) => money(one.fee, one.feeCoin) },
  { title: 'Realized', number: true, cell: (one) => <span class={direction(one.pnl)}>{signed(one.pnl)}</span> },
  { title: 'Time', number: true, cell: (one) => dateTime(one.at) },
]

export function FillHistory() {
  return (
    <Pages
      caption="Fills"
      columns={fillColumns}
      keyOf={({ id }) => id}
      empty="No fills in 90 days."
      when={[historyChanges.value]}
      read={(account, cursor) => account.fills(cursor)}
    />
  )
}

const closedColumns: Column<ClosedPosition>[] = [
  { title: 'Contract', head: true, cell: (one) => <Symbol category={one.category} symbol={one.symbol} /> },
  { title: 'Side', cell: (one) => <Side side={one.side} /> },
  { title: 'Size', number: true, cell: (one) => grouped(one.quantity) },
  { title: 'Entry', number: true, cell: (one) => shown(one.entryPrice, precisionOf(one.category, one.symbol).price) },
  { title: 'Exit', number: true, cell: (one) => shown(one.exitPrice, precisionOf(one.category, one.symbol).price) },
  { title: 'PnL', number: true, cell: (one) => signed(one.pnl) },
  { title: 'Fees', number: true, cell: (one) => money(one.fees) },
  { title: 'Funding', number: true, cell: (one) => signed(one.funding) },
  {
    title: 'Net',
    number: true,
    cell: (one) => <span class={direction(one.net)}>{signed(one.net, one.marginCoin)}</span>,
  },
  { title: 'Closed', number: true, cell: (one) => dateTime(one.closedAt) },
]

export function ClosedPositions() {
  const category = historyCategory(true).value
  return (
    <>
      <div class="rows-head">
        <CategoryField futuresOnly />
      </div>
      <Pages
        caption="Closed positions"
        columns={closedColumns}
        keyOf={({ id }) => id}
        empty={`No closed positions in ${categoryNames[category]}.`}
        when={[category, historyChanges.value]}
        read={(account, cursor) => account.closedPositions(category, cursor)}
      />
    </>
  )
}
