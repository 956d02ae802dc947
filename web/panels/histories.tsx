/** What has ended: orders, fills, closed positions. Orders and closed positions are those of the category in view. */
import { direction, grouped, money, shown, signed } from '../numbers/format.ts'
import { CauseLink } from '../parts/cause-link.tsx'
import { SelectField } from '../parts/field.tsx'
import { Pages } from '../parts/pages.tsx'
import type { Column } from '../parts/rows.tsx'
import { causeOfClosing, causeOfFill, withCauses } from '../store/causes.ts'
import { historyChanges } from '../store/account.ts'
import { historyCategory } from '../store/history-category.ts'
import { precisionOf } from '../store/market.ts'
import { dateTime } from '../store/times.ts'
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
      options={offered.map((category) => [category, categoryNames[category]] as const)}
      onChange={(category) => (historyCategory(futuresOnly).value = category)}
    />
  )
}

const orderColumns: Column<Order>[] = [
  { title: 'Symbol', head: true, cell: (order) => <Symbol category={order.category} symbol={order.symbol} /> },
  { title: 'Side', cell: (order) => <Side side={order.side} /> },
  { title: 'Type', cell: (order) => (order.orderType === 'limit' ? 'Limit' : 'Market') },
  { title: 'Price', number: true, cell: (order) => (order.orderType === 'market' ? 'market' : grouped(order.price)) },
  {
    title: 'Average',
    number: true,
    cell: (order) =>
      Number(order.averagePrice) > 0 ? shown(order.averagePrice, precisionOf(order.category, order.symbol).price) : '–',
  },
  {
    title: 'Filled / quantity',
    number: true,
    cell: (order) => `${grouped(order.filled)} / ${grouped(order.quantity)}`,
  },
  { title: 'Fee', number: true, cell: (order) => money(order.fee, order.feeCoin) },
  {
    title: 'Ended as',
    cell: (order) => (
      <>
        {order.status} <CauseLink cause={order.cause} />
      </>
    ),
  },
  {
    title: 'Placed, ended',
    time: true,
    number: true,
    cell: (order) => (
      <span class="stacked">
        <span>{dateTime(order.createdAt)}</span> <span class="quiet">{dateTime(order.updatedAt)}</span>
      </span>
    ),
  },
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
  { title: 'Symbol', head: true, cell: (fill) => <Symbol category={fill.category} symbol={fill.symbol} /> },
  {
    title: 'Side',
    cell: (fill) => (
      <>
        <Side side={fill.side} text={fill.tradeSide === '' ? fill.side : `${fill.side}, ${fill.tradeSide}`} />{' '}
        <CauseLink cause={causeOfFill(fill)} />
      </>
    ),
  },
  { title: 'Price', number: true, cell: (fill) => grouped(fill.price) },
  { title: 'Quantity', number: true, cell: (fill) => grouped(fill.quantity) },
  { title: 'Role', cell: (fill) => fill.scope },
  { title: 'Fee', number: true, cell: (fill) => money(fill.fee, fill.feeCoin) },
  { title: 'Realized', number: true, cell: (fill) => <span class={direction(fill.pnl)}>{signed(fill.pnl)}</span> },
  { title: 'Time', time: true, number: true, cell: (fill) => dateTime(fill.at) },
]

export function FillHistory() {
  return (
    <Pages
      caption="Fills"
      columns={fillColumns}
      keyOf={({ id }) => id}
      empty="No fills in 90 days."
      when={[historyChanges.value]}
      read={async (account, cursor) => withCauses(account, await account.fills(cursor), ({ at }) => at)}
    />
  )
}

const closedColumns: Column<ClosedPosition>[] = [
  {
    title: 'Contract',
    head: true,
    cell: (position) => <Symbol category={position.category} symbol={position.symbol} />,
  },
  {
    title: 'Side',
    cell: (position) => (
      <>
        <Side side={position.side} /> <CauseLink cause={causeOfClosing(position)} />
      </>
    ),
  },
  { title: 'Size', number: true, cell: (position) => grouped(position.quantity) },
  {
    title: 'Entry',
    number: true,
    cell: (position) => shown(position.entryPrice, precisionOf(position.category, position.symbol).price),
  },
  {
    title: 'Exit',
    number: true,
    cell: (position) => shown(position.exitPrice, precisionOf(position.category, position.symbol).price),
  },
  { title: 'PnL', number: true, cell: (position) => signed(position.pnl) },
  { title: 'Fees', number: true, cell: (position) => money(position.fees) },
  { title: 'Funding', number: true, cell: (position) => signed(position.funding) },
  {
    title: 'Net',
    number: true,
    cell: (position) => <span class={direction(position.net)}>{signed(position.net, position.marginCoin)}</span>,
  },
  { title: 'Closed', time: true, number: true, cell: (position) => dateTime(position.closedAt) },
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
        read={async (account, cursor) =>
          withCauses(account, await account.closedPositions(category, cursor), ({ closedAt }) => closedAt)
        }
      />
    </>
  )
}
