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
import { categories, futuresLines } from '../venue/categories.ts'
import { HistoryFilter } from './history-filter.tsx'
import { Side, Symbol } from './names.tsx'
import { named, t } from '../words/words.ts'

function CategoryField({ futuresOnly = false }: { futuresOnly?: boolean }) {
  const offered = futuresOnly ? futuresLines : categories
  return (
    <SelectField
      label={t.common.category}
      compact
      value={historyCategory(futuresOnly).value}
      options={offered.map((category) => [category, t.categories[category]] as const)}
      onChange={(category) => (historyCategory(futuresOnly).value = category)}
    />
  )
}

const orderColumns = (): Column<Order>[] => [
  { title: t.columns.symbol, head: true, cell: (order) => <Symbol category={order.category} symbol={order.symbol} /> },
  { title: t.columns.side, cell: (order) => <Side side={order.side} /> },
  { title: t.columns.type, cell: (order) => t.orderKinds[order.orderType] },
  {
    title: t.columns.price,
    number: true,
    cell: (order) => (order.orderType === 'market' ? t.histories.market : grouped(order.price)),
  },
  {
    title: t.columns.average,
    number: true,
    cell: (order) =>
      Number(order.averagePrice) > 0 ? shown(order.averagePrice, precisionOf(order.category, order.symbol).price) : '–',
  },
  {
    title: t.columns.filled,
    number: true,
    cell: (order) => `${grouped(order.filled)} / ${grouped(order.quantity)}`,
  },
  { title: t.columns.fee, number: true, cell: (order) => money(order.fee, order.feeCoin) },
  {
    title: t.histories.endedAs,
    cell: (order) => (
      <>
        {named(t.orderStates, order.status)} <CauseLink cause={order.cause} />
      </>
    ),
  },
  {
    title: t.histories.placedEnded,
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
        <HistoryFilter />
      </div>
      <Pages
        caption={t.account.history}
        columns={orderColumns()}
        keyOf={({ id }) => id}
        empty={t.histories.noOrders(t.categories[category])}
        askedBy={({ symbol, createdAt }) => ({ symbol, at: createdAt })}
        when={[category, historyChanges.value]}
        read={(account, cursor) => account.endedOrders(category, cursor)}
      />
    </>
  )
}

const fillColumns = (): Column<Fill>[] => [
  { title: t.columns.symbol, head: true, cell: (fill) => <Symbol category={fill.category} symbol={fill.symbol} /> },
  {
    title: t.columns.side,
    cell: (fill) => (
      <>
        <Side side={fill.side} text={t.filledSide(fill.side, fill.tradeSide)} /> <CauseLink cause={causeOfFill(fill)} />
      </>
    ),
  },
  { title: t.columns.price, number: true, cell: (fill) => grouped(fill.price) },
  { title: t.columns.quantity, number: true, cell: (fill) => grouped(fill.quantity) },
  { title: t.histories.role, cell: (fill) => named(t.roles, fill.scope) },
  { title: t.columns.fee, number: true, cell: (fill) => money(fill.fee, fill.feeCoin) },
  {
    title: t.columns.realized,
    number: true,
    cell: (fill) => <span class={direction(fill.pnl)}>{signed(fill.pnl)}</span>,
  },
  { title: t.columns.time, time: true, number: true, cell: (fill) => dateTime(fill.at) },
]

export function FillHistory() {
  return (
    <>
      <div class="rows-head">
        <HistoryFilter />
      </div>
      <Pages
        caption={t.account.fills}
        columns={fillColumns()}
        keyOf={({ id }) => id}
        empty={t.histories.noFills}
        askedBy={(fill) => fill}
        when={[historyChanges.value]}
        read={async (account, cursor) => withCauses(account, await account.fills(cursor), ({ at }) => at)}
      />
    </>
  )
}

const closedColumns = (): Column<ClosedPosition>[] => [
  {
    title: t.columns.contract,
    head: true,
    cell: (position) => <Symbol category={position.category} symbol={position.symbol} />,
  },
  {
    title: t.columns.side,
    cell: (position) => (
      <>
        <Side side={position.side} /> <CauseLink cause={causeOfClosing(position)} />
      </>
    ),
  },
  { title: t.columns.size, number: true, cell: (position) => grouped(position.quantity) },
  {
    title: t.histories.entry,
    number: true,
    cell: (position) => shown(position.entryPrice, precisionOf(position.category, position.symbol).price),
  },
  {
    title: t.histories.exit,
    number: true,
    cell: (position) => shown(position.exitPrice, precisionOf(position.category, position.symbol).price),
  },
  { title: t.columns.pnl, number: true, cell: (position) => signed(position.pnl) },
  { title: t.columns.fees, number: true, cell: (position) => money(position.fees) },
  { title: t.columns.funding, number: true, cell: (position) => signed(position.funding) },
  {
    title: t.columns.net,
    number: true,
    cell: (position) => <span class={direction(position.net)}>{signed(position.net, position.marginCoin)}</span>,
  },
  { title: t.histories.closed, time: true, number: true, cell: (position) => dateTime(position.closedAt) },
]

export function ClosedPositions() {
  const category = historyCategory(true).value
  return (
    <>
      <div class="rows-head">
        <CategoryField futuresOnly />
        <HistoryFilter />
      </div>
      <Pages
        caption={t.account.closed}
        columns={closedColumns()}
        keyOf={({ id }) => id}
        empty={t.histories.noClosed(t.categories[category])}
        askedBy={({ symbol, closedAt }) => ({ symbol, at: closedAt })}
        when={[category, historyChanges.value]}
        read={async (account, cursor) =>
          withCauses(account, await account.closedPositions(category, cursor), ({ closedAt }) => closedAt)
        }
      />
    </>
  )
}
