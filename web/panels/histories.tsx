/** What has ended: orders, fills, closed positions. Orders and closed positions are those of the category in view. */
import { direction, shown } from '../numbers/format.ts'
import { CauseLink } from '../parts/cause-link.tsx'
import { SelectField } from '../parts/field.tsx'
import { Aligned, amounts, numbers } from '../parts/numbers.tsx'
import { Pages } from '../parts/pages.tsx'
import type { Column } from '../parts/rows.tsx'
import { causeOfClosing, causeOfFill, withCauses } from '../store/causes.ts'
import { historyChanges } from '../store/account.ts'
import { historyCategory } from '../store/history-category.ts'
import { instrumentNamed, pricePlaces, quantityPlaces } from '../store/market.ts'
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
    places: pricePlaces,
    cell: (order, widest) =>
      order.orderType === 'market' ? (
        t.histories.market
      ) : (
        <Aligned text={order.price} places={pricePlaces(order)} widest={widest} />
      ),
  },
  numbers({
    title: t.columns.average,
    places: pricePlaces,
    of: ({ averagePrice }) => (Number(averagePrice) > 0 ? averagePrice : ''),
  }),
  {
    title: t.columns.filled,
    number: true,
    places: quantityPlaces,
    cell: (order, widest) => <FilledOf order={order} widest={widest} />,
  },
  amounts({ title: t.columns.fee, of: ({ fee }) => fee, coin: ({ feeCoin }) => feeCoin }),
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

/** `0.1 / 0.5`. */
export function FilledOf({ order, widest }: { order: Order; widest: number }) {
  const places = quantityPlaces(order)
  return (
    <span>
      {shown(order.filled, places)} / <Aligned text={order.quantity} places={places} widest={widest} />
    </span>
  )
}

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
  numbers({ title: t.columns.price, places: pricePlaces, of: ({ price }) => price }),
  numbers({ title: t.columns.quantity, places: quantityPlaces, of: ({ quantity }) => quantity }),
  { title: t.histories.role, cell: (fill) => named(t.roles, fill.scope) },
  amounts({ title: t.columns.fee, of: ({ fee }) => fee, coin: ({ feeCoin }) => feeCoin }),
  amounts({
    title: t.columns.realized,
    of: ({ pnl }) => pnl,
    coin: ({ category, symbol }) => instrumentNamed(category, symbol)?.settle ?? '',
    bare: true,
    signed: true,
    tone: ({ pnl }) => direction(pnl),
  }),
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
  numbers({ title: t.columns.size, places: quantityPlaces, of: ({ quantity }) => quantity }),
  numbers({ title: t.histories.entry, places: pricePlaces, of: ({ entryPrice }) => entryPrice }),
  numbers({ title: t.histories.exit, places: pricePlaces, of: ({ exitPrice }) => exitPrice }),
  amounts({
    title: t.columns.pnl,
    of: ({ pnl }) => pnl,
    coin: ({ marginCoin }) => marginCoin,
    bare: true,
    signed: true,
  }),
  amounts({ title: t.columns.fees, of: ({ fees }) => fees, coin: ({ marginCoin }) => marginCoin, bare: true }),
  amounts({
    title: t.columns.funding,
    of: ({ funding }) => funding,
    coin: ({ marginCoin }) => marginCoin,
    bare: true,
    signed: true,
  }),
  amounts({
    title: t.columns.net,
    of: ({ net }) => net,
    coin: ({ marginCoin }) => marginCoin,
    signed: true,
    tone: ({ net }) => direction(net),
  }),
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
