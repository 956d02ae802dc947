/**
 * Answers every read by SQL: one method for each name in `Reads`, on the history's own thread.
 *
 * Windows   numbers grow with time, so a window becomes a range of numbers first: an old window of a busy account costs
 *           no more than a new one
 * Pages     one row more than asked is fetched: it tells whether there is a next page
 */
import {
  type CompiledQuery,
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  sql,
  type SqlBool,
} from 'kysely'
import type { Category } from '../engine/catalog/catalog.ts'
import { amount, type Millis, ticks, zero } from '../engine/numbers/numbers.ts'
import type { Answer, Ask, BillKind, FillKind, FuturesAsk, MoneyAsk, Page, ReadName } from './asks.ts'
import { type AccountBill, balanceUnknown, billPaid, billReceived } from './bill-table.ts'
import { readCandle } from './candle-table.ts'
import { addCandle, type Candle, minuteMs, quarterMs } from './candles.ts'
import { causes, liquidations, liquidationStory, orderStory } from './causes.ts'
import type { DayTable } from './days.ts'
import { PageText, readPage, rowAsText } from './page-text.ts'
import type { SqliteStore } from './sqlite.ts'
import { type Schema, type Table, tables } from './tables.ts'

/** Most pages are read by whoever asked for them. */
type Readers = { [Name in ReadName]: (ask: Ask<Name>) => Promise<Answer<Name> | PageText> }

export class Reader implements Readers {
  readonly #store: SqliteStore
  readonly #db: Kysely<Schema>

  constructor(store: SqliteStore) {
    this.#store = store
    this.#db = store.query
  }

  read<Name extends ReadName>(name: Name, ask: Ask<Name>): Promise<Answer<Name> | PageText> {
    return (this as Readers)[name](ask)
  }

  async fills(ask: Ask<'fills'>): Promise<PageText> {
    let query = this.#db.selectFrom('fills').selectAll().where('uid', '=', ask.uid)
    if (ask.categories !== undefined) query = query.where('category', 'in', ask.categories)
    if (ask.wallets !== undefined) query = query.where('wallet', 'in', ask.wallets)
    if (ask.instrument !== undefined) query = query.where('instrument_id', '=', ask.instrument)
    if (ask.orderId !== undefined) query = query.where('order_id', '=', ask.orderId)
    return this.#page(tables.fills, query, { ...ask, before: ask.beforeExecId, few: ask.orderId !== undefined })
  }

  async orders(ask: Ask<'orders'>): Promise<PageText> {
    let query = this.#db.selectFrom('orders').selectAll().where('uid', '=', ask.uid)
    if (ask.categories !== undefined) query = query.where('category', 'in', ask.categories)
    if (ask.wallets !== undefined) query = query.where('wallet', 'in', ask.wallets)
    if (ask.instrument !== undefined) query = query.where('instrument_id', '=', ask.instrument)
    if (ask.orderId !== undefined) query = query.where('order_id', '=', ask.orderId)
    if (ask.clientOid !== undefined) query = query.where('client_oid', '=', ask.clientOid)
    if (ask.causes !== undefined) query = query.where('cause', 'in', ask.causes)
    if (ask.orderTypes !== undefined) query = query.where('order_type', 'in', ask.orderTypes)
    if (ask.positionSides !== undefined) query = query.where('position_side', 'in', ask.positionSides)
    if (ask.bookSide !== undefined) query = query.where('book_side', '=', ask.bookSide)
    if (ask.statuses !== undefined) query = query.where('status', 'in', ask.statuses)
    const few = ask.orderId !== undefined || ask.clientOid !== undefined
    return this.#page(tables.orders, query, { ...ask, before: ask.beforeOrderId, few })
  }

  async triggers(ask: Ask<'triggers'>): Promise<PageText> {
    let query = this.#db.selectFrom('triggers').selectAll().where('uid', '=', ask.uid)
    if (ask.categories !== undefined) query = query.where('category', 'in', ask.categories)
    if (ask.wallets !== undefined) query = query.where('wallet', 'in', ask.wallets)
    if (ask.instrument !== undefined) query = query.where('instrument_id', '=', ask.instrument)
    if (ask.orderId !== undefined) query = query.where('order_id', '=', ask.orderId)
    if (ask.clientOid !== undefined) query = query.where('client_oid', '=', ask.clientOid)
    if (ask.kinds !== undefined) query = query.where('trigger_kind', 'in', ask.kinds)
    if (ask.statuses !== undefined) query = query.where('status', 'in', ask.statuses)
    const few = ask.orderId !== undefined || ask.clientOid !== undefined
    return this.#page(tables.triggers, query, { ...ask, before: ask.beforeOrderId, few })
  }

  async order(ask: Ask<'order'>): Promise<Answer<'order'>> {
    const { rows } = readPage(await this.orders({ ...ask, limit: 1 }))
    return rows[0] as Answer<'order'>
  }

  async trades(ask: Ask<'trades'>): Promise<PageText> {
    const query = this.#db.selectFrom('trades').selectAll().where('instrument_id', '=', ask.instrument)
    return this.#page(tables.trades, query, { ...ask, before: ask.beforeMatchId })
  }

  async candles({ instrument, priceKind, bounds }: Ask<'candles'>): Promise<Answer<'candles'>> {
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
    for (const cells of kept(quarterMs, first, turn)) found.add(readCandle(cells))
    for (const cells of kept(minuteMs, turn, bounds.at(-1) ?? first)) found.add(readCandle(cells))
    return { before: before && ticks(Number(before.close_ticks)), candles: found.candles }
  }

  async fundingRates(ask: Ask<'fundingRates'>): Promise<Answer<'fundingRates'>> {
    const rows = await this.#db
      .selectFrom('funding_rates')
      .selectAll()
      .where('instrument_id', '=', ask.instrument)
      .orderBy('at_ms', 'desc')
      .orderBy('funding_rate_id', 'desc')
      .limit(ask.limit)
      .offset(ask.offset)
      .execute()
    return rows.map(tables.fundingRates.read)
  }

  async transfers(ask: Ask<'transfers'>): Promise<Answer<'transfers'>> {
    let query = this.#db.selectFrom('transfers').selectAll()
    if (ask.coin !== undefined) query = query.where('coin_id', '=', ask.coin)
    if (ask.fromWallet !== undefined) query = query.where('from_wallet', '=', ask.fromWallet)
    if (ask.toWallet !== undefined) query = query.where('to_wallet', '=', ask.toWallet)
    if (ask.clientOid !== undefined) query = query.where('client_oid', '=', ask.clientOid)
    // Two queries, each along its own index; together they hold the newest of both.
    const options = { ...ask, before: ask.beforeId }
    const { uid, between, role } = ask
    let sending = query.where('from_uid', '=', uid)
    let receiving = query.where('to_uid', '=', uid).where('from_uid', '!=', uid)
    if (between !== undefined) sending = sending.where('to_uid', '!=', uid)
    if (typeof between === 'number') {
      sending = sending.where('to_uid', '=', between)
      receiving = receiving.where('from_uid', '=', between)
    }
    const sent = role === 'receiver' ? [] : this.#rows(tables.transfers, sending, options)
    const received = role === 'sender' ? [] : this.#rows(tables.transfers, receiving, options)
    const newest = [...sent, ...received].sort((a, b) => Number(b.transfer_id) - Number(a.transfer_id))
    return pageOf(tables.transfers, newest, ask.limit)
  }

  async positionMoves(ask: Ask<'positionMoves'>): Promise<Answer<'positionMoves'>> {
    let query = this.#db.selectFrom('position_moves').selectAll().where('category', '=', ask.category)
    if (ask.instrument !== undefined) query = query.where('instrument_id', '=', ask.instrument)
    // Three queries, each along its own index; together they hold the newest of all.
    const options = { ...ask, before: ask.beforeId }
    const found = new Map<number, Awaited<ReturnType<typeof query.execute>>[number]>()
    for (const column of ['actor_uid', 'from_uid', 'to_uid'] as const) {
      const rows = this.#rows(tables.positionMoves, query.where(column, '=', ask.uid), options)
      for (const row of rows) found.set(Number(row.move_id), row)
    }
    const newest = [...found].sort(([a], [b]) => b - a).map(([, row]) => row)
    return pageOf(tables.positionMoves, newest, ask.limit)
  }

  async externalFlows(ask: Ask<'externalFlows'>): Promise<PageText> {
    let query = this.#db.selectFrom('external_flows').selectAll().where(ofMoney(ask))
    if (ask.kind !== undefined) query = query.where('kind', '=', ask.kind)
    return this.#accountPage(tables.externalFlows, query, ask)
  }

  async loans(ask: Ask<'loans'>): Promise<PageText> {
    return this.#accountPage(tables.loans, this.#db.selectFrom('loans').selectAll().where(ofMoney(ask)), ask)
  }

  async repayments(ask: Ask<'repayments'>): Promise<PageText> {
    return this.#accountPage(tables.repayments, this.#db.selectFrom('repayments').selectAll().where(ofMoney(ask)), ask)
  }

  async interest(ask: Ask<'interest'>): Promise<PageText> {
    return this.#accountPage(tables.interest, this.#db.selectFrom('interest').selectAll().where(ofMoney(ask)), ask)
  }

  async bills(ask: Ask<'bills'>): Promise<Answer<'bills'>> {
    const found = await Promise.all([
      this.#ownBills(ask),
      this.#fillBills(ask, 'received'),
      this.#fillBills(ask, 'paid'),
    ])
    const newest = found.flat().sort((a, b) => b.id - a.id)
    const rows = newest.slice(0, ask.limit)
    return { rows, next: newest.length > rows.length ? rows.at(-1)?.id : undefined }
  }

  async #ownBills(ask: Ask<'bills'>): Promise<AccountBill[]> {
    let query = this.#db.selectFrom('bills').selectAll().where(ofMoney(ask))
    if (ask.categories !== undefined) query = query.where('category', 'in', ask.categories)
    const kinds = ask.kinds?.bills
    if (ask.instrument !== undefined) query = query.where('instrument_id', '=', ask.instrument)
    if (kinds !== undefined) query = query.where((column) => column.or(kinds.map((kind) => ofBillKind(column, kind))))
    return this.#rows(tables.bills, query, { ...ask, before: ask.beforeId }).map(tables.bills.read)
  }

  /** The bills of fills: in the coin of the fee, or those of the other coin of spot. */
  async #fillBills(ask: Ask<'bills'>, part: 'received' | 'paid'): Promise<AccountBill[]> {
    const { uid, wallet, coin, categories } = ask
    const paid = part === 'paid'
    const kinds = ask.kinds?.fills.filter(({ type }) => (type === 'deal_out') === paid)
    if (kinds?.length === 0) return []
    let query = this.#db.selectFrom('fills').selectAll().where('uid', '=', uid).where('wallet', '=', wallet)
    query = query.where('balance_e8', '>', balanceUnknown as never)
    if (paid) query = query.where('paid_coin_id', 'is not', null)
    if (coin !== undefined) query = query.where(paid ? 'paid_coin_id' : 'fee_coin_id', '=', coin)
    if (categories !== undefined) query = query.where('category', 'in', categories as Category[])
    if (kinds !== undefined) query = query.where((column) => column.or(kinds.map((kind) => ofFillKind(column, kind))))
    if (ask.instrument !== undefined) query = query.where('instrument_id', '=', ask.instrument)
    const before = ask.beforeId === undefined ? undefined : ask.beforeId - (paid ? 1 : 0)
    const rows = this.#rows(tables.fills, query, { ...ask, before })
    return rows.map((cells) => (paid ? billPaid : billReceived)(tables.fills.read(cells)))
  }

  async conversions(ask: Ask<'conversions'>): Promise<PageText> {
    const { uid, wallet, fromCoin, toCoin } = ask
    let query = this.#db.selectFrom('conversions').selectAll().where('uid', '=', uid).where('wallet', '=', wallet)
    if (fromCoin !== undefined) query = query.where('from_coin_id', '=', fromCoin)
    if (toCoin !== undefined) query = query.where('to_coin_id', '=', toCoin)
    return this.#accountPage(tables.conversions, query, ask)
  }

  async insurance({ coin, limit }: Ask<'insurance'>): Promise<Answer<'insurance'>> {
    const rows = await this.#insuranceOf(coin).selectAll().orderBy('insurance_id', 'desc').limit(limit).execute()
    return rows.map(tables.insurance.read)
  }

  async insuranceHours({ coin, limit }: Ask<'insuranceHours'>): Promise<Answer<'insuranceHours'>> {
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

  async liquidationOffers(ask: Ask<'liquidationOffers'>): Promise<PageText> {
    const query = this.#db.selectFrom('liquidation_offers').selectAll().where('instrument_id', 'in', ask.instruments)
    return this.#page(tables.liquidationOffers, query, { ...ask, before: ask.beforeId })
  }

  async marginLiquidations(ask: Ask<'marginLiquidations'>): Promise<PageText> {
    const query = this.#db
      .selectFrom('margin_liquidations')
      .selectAll()
      .where('uid', '=', ask.uid)
      .where('wallet', '=', ask.wallet)
    return this.#accountPage(tables.marginLiquidations, query, ask)
  }

  async fundingPayments(ask: Ask<'fundingPayments'>): Promise<PageText> {
    const query = this.#db.selectFrom('funding_payments').selectAll().where(ofFutures(ask))
    return this.#accountPage(tables.fundingPayments, query, ask)
  }

  async positions(ask: Ask<'positions'>): Promise<PageText> {
    return this.#accountPage(tables.positions, this.#db.selectFrom('positions').selectAll().where(ofFutures(ask)), ask)
  }

  async rebates(ask: Ask<'rebates'>): Promise<PageText> {
    let query = this.#db.selectFrom('rebates').selectAll().where('uid', '=', ask.uid)
    if (ask.coin !== undefined) query = query.where('coin_id', '=', ask.coin)
    return this.#accountPage(tables.rebates, query, ask)
  }

  causes(ask: Ask<'causes'>): Promise<Answer<'causes'>> {
    return causes(this.#allDays(), ask)
  }

  orderStory(ask: Ask<'orderStory'>): Promise<Answer<'orderStory'>> {
    return orderStory(this.#allDays(), ask)
  }

  liquidations(ask: Ask<'liquidations'>): Promise<Answer<'liquidations'>> {
    return liquidations(this.#allDays(), ask)
  }

  liquidationStory(ask: Ask<'liquidationStory'>): Promise<Answer<'liquidationStory'>> {
    return liquidationStory(this.#allDays(), ask)
  }

  #allDays(): Kysely<Schema> {
    this.#store.days.showAll()
    return this.#db
  }

  #accountPage<Row, Cells, From extends keyof Schema>(
    table: Table<Row, Cells>,
    query: SelectQueryBuilder<Schema, From, Cells>,
    ask: { readonly id?: number | undefined; readonly beforeId?: number | undefined } & PageAsk,
  ): Promise<PageText> {
    const narrowed = ask.id === undefined ? query : query.where(sql.ref(table.key), '=', ask.id)
    return this.#page(table, narrowed, { ...ask, before: ask.beforeId })
  }

  async #page<Row, Cells, From extends keyof Schema>(
    table: Table<Row, Cells>,
    query: SelectQueryBuilder<Schema, From, Cells>,
    { limit, ...ask }: PageAsk,
  ): Promise<PageText> {
    const asText = query.clearSelect().select([sql.ref<number>(table.key).as('key'), rowAsText(table).as('text')])
    const rows = this.#rows(table, asText, { ...ask, limit }, 'key')
    const shown = rows.slice(0, limit)
    const next = rows.length > shown.length ? shown.at(-1)?.key : undefined
    return new PageText(
      table.place,
      shown.map(({ text }) => text),
      next,
    )
  }

  /**
   * The newest rows of a query inside the window and before a number, one more than asked: of this day, and of those
   * before it that may have newer ones.
   */
  #rows<Row, Cells, From extends keyof Schema, Read, Selected>(
    table: Table<Row, Cells, Read>,
    query: SelectQueryBuilder<Schema, From, Selected>,
    ask: PageAsk,
    key = table.key,
  ): Selected[] {
    const keyOf = (cells: Selected) => Number((cells as Readonly<Record<string, unknown>>)[key])
    const newestFirst = (a: Selected, b: Selected) => keyOf(b) - keyOf(a)
    const newest = newestRows(table, query, ask)
    const found = this.#rowsOfDay(table, newest, ask)
    for (const day of this.#store.days.over(table)) {
      if (ask.from !== undefined && day.endMs <= ask.from) break
      if (found.length > ask.limit) {
        found.sort(newestFirst)
        // Days before it may still have newer ones: of orders, those that rested for less long.
        if (day.lastKey < keyOf(found[ask.limit])) continue
      }
      found.push(...this.#rowsOfDay(table, newest, ask, day))
    }
    return found.sort(newestFirst).slice(0, ask.limit + 1)
  }

  #rowsOfDay<Row, Cells, Read, Selected>(
    table: Table<Row, Cells, Read>,
    newest: CompiledQuery<Selected>,
    { from, to, few = false }: PageAsk,
    day?: DayTable,
  ): Selected[] {
    // Most days lie within the window and need no range.
    const isBegun = from === undefined || few || (day !== undefined && from <= day.firstMs)
    const isOver = to === undefined || few || (day !== undefined && day.endMs <= to)
    const first = isBegun ? 0 : this.#store.firstKeyAt(table, from, day)
    const last = isOver ? Number.MAX_SAFE_INTEGER : this.#store.lastKeyAt(table, to, day)
    if (first === undefined || last === undefined) return []
    const ofDay = newest.parameters.map((one) => (one === firstOfDay ? first : one === lastOfDay ? last : one))
    return this.#store.rows({ ...newest, parameters: ofDay }, table, day)
  }
}

/** In the place of numbers that each day has its own of. */
const firstOfDay = Symbol('first number of the window')
const lastOfDay = Symbol('last number of the window')

/** Compiled once for all days: to build a query takes as long as to ask it. */
function newestRows<Row, Cells, From extends keyof Schema, Read, Selected>(
  table: Table<Row, Cells, Read>,
  query: SelectQueryBuilder<Schema, From, Selected>,
  { from, to, before, limit, few = false }: PageAsk,
): CompiledQuery<Selected> {
  const key = sql.ref<number>(table.key)
  const time = sql.ref<number>(table.time)
  let within = query
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
function ofMoney({ uid, coin, wallet }: MoneyAsk): Expression<SqlBool> {
  const column = expressionBuilder<Schema, 'loans'>()
  const conditions = [column('uid', '=', uid)]
  if (coin !== undefined) conditions.push(column('coin_id', '=', coin))
  if (wallet !== undefined) conditions.push(column('wallet', '=', wallet))
  return column.and(conditions)
}

const hourMs = 3_600_000

function ofBillKind(column: ExpressionBuilder<Schema, 'bills'>, { type, comes, otherWallet }: BillKind) {
  return column.and([
    column('type', '=', type as never),
    column('amount_e8', comes === 'in' ? '>' : '<', 0),
    column('other_wallet', '=', otherWallet),
  ])
}

function ofFillKind(column: ExpressionBuilder<Schema, 'fills'>, { cause, effect, bookSide, holdMode }: FillKind) {
  const conditions: Expression<SqlBool>[] = []
  if (cause !== undefined) conditions.push(column('cause', '=', cause))
  if (effect !== undefined) conditions.push(column('effect', '=', effect))
  if (bookSide !== undefined) conditions.push(column('book_side', '=', bookSide))
  if (holdMode !== undefined) conditions.push(column('hold_mode', '=', holdMode))
  return column.and(conditions)
}

/** Conditions on the columns that all tables of positions have. */
function ofFutures({ uid, wallets, instruments }: FuturesAsk): Expression<SqlBool> {
  const column = expressionBuilder<Schema, 'positions'>()
  const conditions = [column('uid', '=', uid)]
  if (wallets !== undefined) conditions.push(column('wallet', 'in', wallets))
  if (instruments !== undefined) conditions.push(column('instrument_id', 'in', instruments))
  return column.and(conditions)
}

interface PageAsk {
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
  const last = shown.at(-1) as Readonly<Record<string, unknown>> | undefined
  return { rows: shown.map(table.read), next: cells.length > shown.length ? Number(last?.[table.key]) : undefined }
}
