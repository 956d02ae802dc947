/**
 * Answers every read by SQL: one method for each name in `Reads`, on the history's own thread.
 *
 * Windows   numbers grow with time, so a window becomes a range of numbers first: an old window of a busy account costs
 *           no more than a new one
 * Pages     one row more than asked is fetched: it shows whether there is a next page
 */
import {
  type CompiledQuery,
  type Expression,
  expressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  sql,
  type SqlBool,
} from 'kysely'
import { amount, type Millis, ticks, zero } from '../engine/numbers/numbers.ts'
import { asksForNone, fillBillsAsked, fillsAsked, ordersAsked, ownBillsAsked, whereAsked } from './asked-rows.ts'
import { type AccountBill, balanceUnknown, type BillPart, billOfFill, pageOfBills } from './bill-table.ts'
import { readCandle } from './candle-table.ts'
import { addCandle, type Candle, minuteMs, quarterMs } from './candles.ts'
import type { DayTable } from './days.ts'
import { readEquity } from './equity-table.ts'
import { lineage, liquidations, liquidationTimeline, orderTimeline } from './lineage.ts'
import { PageText, readPage, rowAsText } from './page-text.ts'
import type { Answer, FuturesQuery, MoneyQuery, Page, ReadName, ReadQuery } from './reads.ts'
import type { RowStore } from './row-store.ts'
import { type Schema, type Table, tables } from './tables.ts'

/** Most pages are read by whoever asked for them. */
type Readers = { [Name in ReadName]: (query: ReadQuery<Name>) => Promise<Answer<Name> | PageText> }

export class Reader implements Readers {
  readonly #store: RowStore
  readonly #db: Kysely<Schema>

  constructor(store: RowStore) {
    this.#store = store
    this.#db = store.query
  }

  read<Name extends ReadName>(name: Name, query: ReadQuery<Name>): Promise<Answer<Name> | PageText> {
    return (this as Readers)[name](query)
  }

  async fills(query: ReadQuery<'fills'>): Promise<PageText> {
    const asked = fillsAsked(query)
    return this.#page(tables.fills, whereAsked(this.#db.selectFrom('fills').selectAll(), asked), asked)
  }

  async orders(query: ReadQuery<'orders'>): Promise<PageText> {
    const asked = ordersAsked(query)
    return this.#page(tables.orders, whereAsked(this.#db.selectFrom('orders').selectAll(), asked), asked)
  }

  async triggers(query: ReadQuery<'triggers'>): Promise<PageText> {
    let select = this.#db.selectFrom('triggers').selectAll().where('uid', '=', query.uid)
    if (query.categories !== undefined) select = select.where('category', 'in', query.categories)
    if (query.wallets !== undefined) select = select.where('wallet', 'in', query.wallets)
    if (query.instrument !== undefined) select = select.where('instrument_id', '=', query.instrument)
    if (query.orderId !== undefined) select = select.where('order_id', '=', query.orderId)
    if (query.clientOid !== undefined) select = select.where('client_oid', '=', query.clientOid)
    if (query.kinds !== undefined) select = select.where('trigger_kind', 'in', query.kinds)
    if (query.statuses !== undefined) select = select.where('status', 'in', query.statuses)
    const few = query.orderId !== undefined || query.clientOid !== undefined
    return this.#page(tables.triggers, select, { ...query, before: query.beforeOrderId, few })
  }

  async order(query: ReadQuery<'order'>): Promise<Answer<'order'>> {
    const { rows } = readPage(await this.orders({ ...query, limit: 1 }))
    return rows[0] as Answer<'order'>
  }

  async trades(query: ReadQuery<'trades'>): Promise<PageText> {
    const select = this.#db.selectFrom('trades').selectAll().where('instrument_id', '=', query.instrument)
    return this.#page(tables.trades, select, { ...query, before: query.beforeMatchId })
  }

  async candles({ instrument, priceKind, bounds }: ReadQuery<'candles'>): Promise<Answer<'candles'>> {
    const of = this.#db
      .selectFrom('candles')
      .where('instrument_id', '=', instrument)
      .where('price_kind', '=', priceKind)
    const [first = 0] = bounds
    const before = await of
      .select('close_ticks')
      .where('span_ms', '=', minuteMs)
      .where('start_ms', '<', first)
      .orderBy('start_ms', 'desc')
      .limit(1)
      .executeTakeFirst()
    const kept = (spanMs: number, from: Millis, to: Millis) =>
      this.#store.each(
        of
          .selectAll()
          .where('span_ms', '=', spanMs)
          .where('start_ms', '>=', from)
          .where('start_ms', '<', to)
          .orderBy('start_ms')
          .compile(),
      )
    // Quarters of an hour serve as far as the bounds keep to them, minutes from there on.
    const uneven = bounds.findIndex((bound) => bound % quarterMs !== 0)
    const turn = bounds[uneven < 0 ? bounds.length - 1 : Math.max(0, uneven - 1)] ?? first
    const found = new CandleSpans(bounds)
    for (const cells of await kept(quarterMs, first, turn)) found.add(readCandle(cells))
    for (const cells of await kept(minuteMs, turn, bounds.at(-1) ?? first)) found.add(readCandle(cells))
    return { before: before && ticks(Number(before.close_ticks)), candles: found.candles }
  }

  async fundingRates(query: ReadQuery<'fundingRates'>): Promise<Answer<'fundingRates'>> {
    const rows = await this.#db
      .selectFrom('funding_rates')
      .selectAll()
      .where('instrument_id', '=', query.instrument)
      .orderBy('at_ms', 'desc')
      .orderBy('funding_rate_id', 'desc')
      .limit(query.limit)
      .offset(query.offset)
      .execute()
    return rows.map(tables.fundingRates.read)
  }

  async transfers(query: ReadQuery<'transfers'>): Promise<Answer<'transfers'>> {
    let select = this.#db.selectFrom('transfers').selectAll()
    if (query.coin !== undefined) select = select.where('coin_id', '=', query.coin)
    if (query.fromWallet !== undefined) select = select.where('from_wallet', '=', query.fromWallet)
    if (query.toWallet !== undefined) select = select.where('to_wallet', '=', query.toWallet)
    if (query.clientOid !== undefined) select = select.where('client_oid', '=', query.clientOid)
    // Two queries, each along its own index; together they hold the newest of both.
    const options = { ...query, before: query.beforeId }
    const { uid, between, role } = query
    let sending = select.where('from_uid', '=', uid)
    let receiving = select.where('to_uid', '=', uid).where('from_uid', '!=', uid)
    if (between !== undefined) sending = sending.where('to_uid', '!=', uid)
    if (typeof between === 'number') {
      sending = sending.where('to_uid', '=', between)
      receiving = receiving.where('from_uid', '=', between)
    }
    const sent = role === 'receiver' ? [] : await this.#rows(tables.transfers, sending, options)
    const received = role === 'sender' ? [] : await this.#rows(tables.transfers, receiving, options)
    const newest = [...sent, ...received].sort((a, b) => Number(b.transfer_id) - Number(a.transfer_id))
    return pageOf(tables.transfers, newest, query.limit)
  }

  async positionMoves(query: ReadQuery<'positionMoves'>): Promise<Answer<'positionMoves'>> {
    let select = this.#db.selectFrom('position_moves').selectAll().where('category', '=', query.category)
    if (query.instrument !== undefined) select = select.where('instrument_id', '=', query.instrument)
    // Three queries, each along its own index; together they hold the newest of all.
    const options = { ...query, before: query.beforeId }
    const found = new Map<number, Awaited<ReturnType<typeof select.execute>>[number]>()
    for (const column of ['actor_uid', 'from_uid', 'to_uid'] as const) {
      const rows = await this.#rows(tables.positionMoves, select.where(column, '=', query.uid), options)
      for (const row of rows) found.set(Number(row.move_id), row)
    }
    const newest = [...found].sort(([a], [b]) => b - a).map(([, row]) => row)
    return pageOf(tables.positionMoves, newest, query.limit)
  }

  async externalFlows(query: ReadQuery<'externalFlows'>): Promise<PageText> {
    let select = this.#db.selectFrom('external_flows').selectAll().where(ofMoney(query))
    if (query.kind !== undefined) select = select.where('kind', '=', query.kind)
    return this.#accountPage(tables.externalFlows, select, query)
  }

  async chainTransfers(query: ReadQuery<'chainTransfers'>): Promise<PageText> {
    const { uid, direction, id, coin, clientOid } = query
    let select = this.#db.selectFrom('chain_transfers').selectAll().where('uid', '=', uid)
    select = select.where('direction', '=', direction)
    if (id !== undefined) select = select.where('chain_transfer_id', '=', id)
    if (coin !== undefined) select = select.where('coin_id', '=', coin)
    if (clientOid !== undefined) select = select.where('client_oid', '=', clientOid)
    const few = id !== undefined || clientOid !== undefined
    return this.#page(tables.chainTransfers, select, { ...query, before: query.beforeId, few })
  }

  async loans(query: ReadQuery<'loans'>): Promise<PageText> {
    return this.#accountPage(tables.loans, this.#db.selectFrom('loans').selectAll().where(ofMoney(query)), query)
  }

  async repayments(query: ReadQuery<'repayments'>): Promise<PageText> {
    let select = this.#db.selectFrom('repayments').selectAll().where(ofMoney(query))
    if (query.ids !== undefined) select = select.where('repay_id', 'in', query.ids)
    return this.#accountPage(tables.repayments, select, { ...query, few: query.ids !== undefined })
  }

  async interest(query: ReadQuery<'interest'>): Promise<PageText> {
    return this.#accountPage(tables.interest, this.#db.selectFrom('interest').selectAll().where(ofMoney(query)), query)
  }

  async bills(query: ReadQuery<'bills'>): Promise<Answer<'bills'>> {
    const own = await this.#ownBills(query)
    const received = await this.#fillBills(query, 'received')
    return pageOfBills([own, received, await this.#fillBills(query, 'paid')], query.limit)
  }

  async ownBills(query: ReadQuery<'ownBills'>): Promise<PageText> {
    const select = this.#db.selectFrom('bills').selectAll().where('uid', '=', query.uid)
    return this.#accountPage(tables.bills, select, query)
  }

  async #ownBills(query: ReadQuery<'bills'>): Promise<AccountBill[]> {
    const asked = ownBillsAsked(query)
    if (asksForNone(asked)) return []
    const select = whereAsked(this.#db.selectFrom('bills').selectAll(), asked)
    return (await this.#rows(tables.bills, select, asked)).map(tables.bills.read)
  }

  async #fillBills(query: ReadQuery<'bills'>, part: BillPart): Promise<AccountBill[]> {
    const asked = fillBillsAsked(query, part)
    if (asksForNone(asked)) return []
    const rows = await this.#rows(tables.fills, whereAsked(this.#db.selectFrom('fills').selectAll(), asked), asked)
    return rows.map((cells) => billOfFill(tables.fills.read(cells), part))
  }

  async conversions(query: ReadQuery<'conversions'>): Promise<PageText> {
    const { uid, wallets, fromCoin, toCoin } = query
    let select = this.#db.selectFrom('conversions').selectAll().where('uid', '=', uid)
    if (wallets !== undefined) select = select.where('wallet', 'in', wallets)
    if (query.quoted) select = select.where('price_e12', '!=', '')
    if (fromCoin !== undefined) select = select.where('from_coin_id', '=', fromCoin)
    if (toCoin !== undefined) select = select.where('to_coin_id', '=', toCoin)
    return this.#accountPage(tables.conversions, select, query)
  }

  async insurance({ coin, limit }: ReadQuery<'insurance'>): Promise<Answer<'insurance'>> {
    const rows = await this.#insuranceOf(coin).selectAll().orderBy('insurance_id', 'desc').limit(limit).execute()
    return rows.map(tables.insurance.read)
  }

  async insuranceHours({ coin, limit }: ReadQuery<'insuranceHours'>): Promise<Answer<'insuranceHours'>> {
    const hour = sql<number>`at_ms / ${sql.lit(hourMs)}`
    const hours = await this.#insuranceOf(coin)
      .select(({ fn }) => [hour.as('hour'), fn.max('insurance_id').as('last'), fn.sum('amount_e8').as('amount')])
      .groupBy(hour)
      .orderBy('last', 'desc')
      .limit(limit)
      .execute()
    const lasts = hours.map(({ last }) => Number(last))
    const rows = await this.#insuranceOf(coin).selectAll().where('insurance_id', 'in', lasts).execute()
    const balances = new Map(rows.map((row) => [Number(row.insurance_id), tables.insurance.read(row).balance]))
    return hours.map(({ hour: start, last, amount: units }) => ({
      start: Number(start) * hourMs,
      amount: amount(BigInt(units)),
      balance: balances.get(Number(last)) ?? zero,
    }))
  }

  #insuranceOf(coin: number) {
    const noted = this.#db.selectFrom('insurance').where('coin_id', '=', coin)
    return noted.where('balance_e8', '>', balanceUnknown as never)
  }

  async liquidationOffers(query: ReadQuery<'liquidationOffers'>): Promise<PageText> {
    const select = this.#db.selectFrom('liquidation_offers').selectAll().where('instrument_id', 'in', query.instruments)
    return this.#page(tables.liquidationOffers, select, { ...query, before: query.beforeId })
  }

  async marginLiquidations(query: ReadQuery<'marginLiquidations'>): Promise<PageText> {
    const select = this.#db
      .selectFrom('margin_liquidations')
      .selectAll()
      .where('uid', '=', query.uid)
      .where('wallet', '=', query.wallet)
    return this.#accountPage(tables.marginLiquidations, select, query)
  }

  async fundingPayments(query: ReadQuery<'fundingPayments'>): Promise<PageText> {
    const select = this.#db.selectFrom('funding_payments').selectAll().where(ofFutures(query))
    return this.#accountPage(tables.fundingPayments, select, query)
  }

  async positions(query: ReadQuery<'positions'>): Promise<PageText> {
    const { uid, beforePositionId: named } = query
    let select = this.#db.selectFrom('positions').selectAll().where(ofFutures(query))
    if (named !== undefined) {
      const closing = this.#db.selectFrom('positions').where('uid', '=', uid).where('position_id', '=', named)
      select = select.where(
        'closing_id',
        '<',
        closing.select(({ fn }) => fn.max('closing_id').as('closing_id')),
      )
    }
    return this.#accountPage(tables.positions, select, query)
  }

  async rebates(query: ReadQuery<'rebates'>): Promise<PageText> {
    let select = this.#db.selectFrom('rebates').selectAll().where('uid', '=', query.uid)
    if (query.coin !== undefined) select = select.where('coin_id', '=', query.coin)
    return this.#accountPage(tables.rebates, select, query)
  }

  async equity({ uid, from, to, step }: ReadQuery<'equity'>): Promise<Answer<'equity'>> {
    const own = this.#db.selectFrom('equity').select(['at_ms', 'equity_e8', 'moved_e8']).where('uid', '=', uid)
    const before = await own
      .where('at_ms', '<', from)
      .orderBy('at_ms', 'desc')
      .orderBy('sample_id', 'desc')
      .limit(1)
      .executeTakeFirst()
    const window = own.where('at_ms', '>=', from).where('at_ms', '<=', to).orderBy('at_ms').orderBy('sample_id')
    const points = before === undefined ? [] : [{ ...readEquity(before), moved: 0n }]
    // The first point stands for itself.
    let place: number | undefined
    for (const cells of await this.#store.each(window.compile())) {
      const point = readEquity(cells)
      const found = Math.floor((point.at - from) / step)
      const last = points.at(-1)
      if (last === undefined) points.push({ ...point, moved: 0n })
      else if (place === found) points[points.length - 1] = { ...point, moved: last.moved + point.moved }
      else {
        points.push(point)
        place = found
      }
    }
    return points
  }

  lineage(query: ReadQuery<'lineage'>): Promise<Answer<'lineage'>> {
    return lineage(this.#allDays(), query)
  }

  orderTimeline(query: ReadQuery<'orderTimeline'>): Promise<Answer<'orderTimeline'>> {
    return orderTimeline(this.#allDays(), query)
  }

  liquidations(query: ReadQuery<'liquidations'>): Promise<Answer<'liquidations'>> {
    return liquidations(this.#allDays(), query)
  }

  liquidationTimeline(query: ReadQuery<'liquidationTimeline'>): Promise<Answer<'liquidationTimeline'>> {
    return liquidationTimeline(this.#allDays(), query)
  }

  #allDays(): Kysely<Schema> {
    this.#store.days.showAll()
    return this.#db
  }

  #accountPage<Row, Cells, Read, From extends keyof Schema>(
    table: Table<Row, Cells, Read>,
    select: SelectQueryBuilder<Schema, From, Cells>,
    query: { readonly id?: number | undefined; readonly beforeId?: number | undefined } & PageQuery,
  ): Promise<PageText> {
    const narrowed = query.id === undefined ? select : select.where(sql.ref(table.key), '=', query.id)
    return this.#page(table, narrowed, { ...query, before: query.beforeId })
  }

  async #page<Row, Cells, Read, From extends keyof Schema>(
    table: Table<Row, Cells, Read>,
    select: SelectQueryBuilder<Schema, From, Cells>,
    { limit, ...query }: PageQuery,
  ): Promise<PageText> {
    const asText = select
      .clearSelect()
      .select([sql.ref<number>(table.key).as('key'), rowAsText(table, this.#store.jsonArray).as('text')])
    const rows = await this.#rows(table, asText, { ...query, limit }, 'key')
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)?.key
    return new PageText(
      table.place,
      shown.map(({ text }) => text),
      { next: rows.length > shown.length ? last : undefined, last },
    )
  }

  /**
   * The newest rows of a query inside the window and before a number, one more than asked: of this day, and of those
   * before it that may have newer ones.
   */
  async #rows<Row, Cells, From extends keyof Schema, Read, Selected>(
    table: Table<Row, Cells, Read>,
    select: SelectQueryBuilder<Schema, From, Selected>,
    query: PageQuery,
    key = table.key,
  ): Promise<Selected[]> {
    const keyOf = (cells: Selected) => Number((cells as Readonly<Record<string, unknown>>)[key])
    const newestFirst = (a: Selected, b: Selected) => keyOf(b) - keyOf(a)
    const newest = newestRows(table, select, query)
    const found = await this.#rowsOfDay(table, newest, query)
    for (const day of this.#store.days.over(table)) {
      if (query.from !== undefined && day.endMs <= query.from) break
      if (found.length > query.limit) {
        found.sort(newestFirst)
        // Days before it may still have newer ones: of orders, those that rested for less long.
        if (day.lastKey < keyOf(found[query.limit])) continue
      }
      found.push(...(await this.#rowsOfDay(table, newest, query, day)))
    }
    return found.sort(newestFirst).slice(0, query.limit + 1)
  }

  async #rowsOfDay<Row, Cells, Read, Selected>(
    table: Table<Row, Cells, Read>,
    newest: CompiledQuery<Selected>,
    { from, to, few = false }: PageQuery,
    day?: DayTable,
  ): Promise<Selected[]> {
    // Most days lie within the window and need no range.
    const isBegun = from === undefined || few || (day !== undefined && from <= day.firstMs)
    const isOver = to === undefined || few || (day !== undefined && day.endMs <= to)
    const first = isBegun ? 0 : await this.#store.firstKeyAt(table, from, day)
    const last = isOver ? Number.MAX_SAFE_INTEGER : await this.#store.lastKeyAt(table, to, day)
    if (first === undefined || last === undefined) return []
    const ofDay = newest.parameters.map((parameter) =>
      parameter === firstOfDay ? first : parameter === lastOfDay ? last : parameter,
    )
    return this.#store.rows({ ...newest, parameters: ofDay }, table, day)
  }
}

/** In the place of numbers that each day has its own of. */
const firstOfDay = Symbol('first number of the window')
const lastOfDay = Symbol('last number of the window')

/** Compiled once for all days: to build a query takes as long as to ask it. */
function newestRows<Row, Cells, From extends keyof Schema, Read, Selected>(
  table: Table<Row, Cells, Read>,
  select: SelectQueryBuilder<Schema, From, Selected>,
  { from, to, before, limit, few = false }: PageQuery,
): CompiledQuery<Selected> {
  const key = sql.ref<number>(table.key)
  const time = sql.ref<number>(table.time)
  let within = select
  if (from !== undefined) within = within.where(time, '>=', from)
  if (to !== undefined) within = within.where(time, '<=', to)
  // A range of numbers would draw the database away from the index that finds the few rows at once.
  if (from !== undefined && !few) within = within.where(key, '>=', firstOfDay as never)
  if (to !== undefined && !few) within = within.where(key, '<=', lastOfDay as never)
  if (before !== undefined) within = within.where(key, '<', before)
  return within
    .orderBy(key, 'desc')
    .limit(limit + 1)
    .compile()
}

/** Candles between bounds, of kept ones that come oldest first. */
class CandleSpans {
  readonly candles: Candle[] = []
  readonly #bounds: readonly Millis[]
  #place = 0

  constructor(bounds: readonly Millis[]) {
    this.#bounds = bounds
  }

  add({ start: at, openPrice, highPrice, lowPrice, closePrice, quantity, ticksTimesLots, lotsPerTick }: Candle): void {
    while (this.#bounds[this.#place + 1] <= at) this.#place++
    const start = this.#bounds[this.#place]
    const candle = { start, openPrice, highPrice, lowPrice, closePrice, quantity, ticksTimesLots, lotsPerTick }
    const last = this.candles.at(-1)
    if (last?.start === start) addCandle(last, candle)
    else this.candles.push(candle)
  }
}

/** Conditions on the columns that all money tables have. */
function ofMoney({ uid, coin, wallet }: MoneyQuery): Expression<SqlBool> {
  const column = expressionBuilder<Schema, 'loans'>()
  const conditions = [column('uid', '=', uid)]
  if (coin !== undefined) conditions.push(column('coin_id', '=', coin))
  if (wallet !== undefined) conditions.push(column('wallet', '=', wallet))
  return column.and(conditions)
}

const hourMs = 3_600_000

/** Conditions on the columns that all tables of positions have. */
function ofFutures({ uid, wallets, instruments }: FuturesQuery): Expression<SqlBool> {
  const column = expressionBuilder<Schema, 'positions'>()
  const conditions = [column('uid', '=', uid)]
  if (wallets !== undefined) conditions.push(column('wallet', 'in', wallets))
  if (instruments !== undefined) conditions.push(column('instrument_id', 'in', instruments))
  return column.and(conditions)
}

interface PageQuery {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly before?: number | undefined
  readonly limit: number
  /** The query names one order, so that few rows can match. */
  readonly few?: boolean
}

/** The page that begins these rows, of which there are more than asked if it is not the last one. */
function pageOf<Row, Cells>(table: Table<Row, Cells>, cells: readonly Cells[], limit: number): Page<Row> {
  const shown = cells.slice(0, limit)
  const end = shown.at(-1) as Readonly<Record<string, unknown>> | undefined
  const last = end === undefined ? undefined : Number(end[table.key])
  return { rows: shown.map(table.read), next: cells.length > shown.length ? last : undefined, last }
}
