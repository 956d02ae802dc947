/**
 * Where numbers came from: what moved an account, and the timeline of an order, each with the command that caused it.
 *
 * Origin    sequence and kind of the command; 0 and empty in rows of releases that did not note them
 * Order     newest first, by the time at which it happened, then by sequence
 */
import { type Kysely, sql } from 'kysely'
import { amount } from '../engine/numbers/numbers.ts'
import type { Liquidation, MarginLiquidation } from '../engine/protocol/event.ts'
import { type IntegerCell, type OriginCells, whole } from './columns.ts'
import type { Answer, Cause, Caused, ReadQuery } from './reads.ts'
import { type Schema, type Table, tables } from './tables.ts'

/** Orders and postings that one liquidation may show. */
const aftermathMax = 500

type Db = Kysely<Schema>

export async function lineage(db: Db, query: ReadQuery<'lineage'>): Promise<Answer<'lineage'>> {
  const found: Cause[] = []
  for (const kept of ofPositions(query)) found.push(...(await newest(db, kept, query, ['uid'])))
  if (query.instrument === undefined) {
    for (const kept of ofMoney) found.push(...(await newest(db, kept, query, ['uid'])))
    found.push(...(await newest(db, tables.transfers, query, ['from_uid', 'to_uid'])))
  }
  found.sort((a, b) => b.at - a.at || b.sequence - a.sequence)
  return found.slice(0, query.limit)
}

function ofPositions(query: ReadQuery<'lineage'>) {
  return query.instrument === undefined
    ? [tables.fills, tables.fundingPayments, tables.positions, tables.liquidations]
    : [tables.fills, tables.fundingPayments, tables.positions]
}

const ofMoney = [
  tables.externalFlows,
  tables.chainTransfers,
  tables.loans,
  tables.repayments,
  tables.interest,
  tables.insurance,
  tables.marginLiquidations,
  tables.rebates,
]

/** The newest rows of a table, one query along each index. */
async function newest(
  db: Db,
  kept: Pick<Table, 'name' | 'byDay' | 'key' | 'time'> & { readonly read: (cells: never) => object },
  { uid, wallet, instrument, from, limit }: ReadQuery<'lineage'>,
  owners: readonly string[],
): Promise<Cause[]> {
  const seen = new Map<number, Cause>()
  for (const owner of owners) {
    let select = db
      .selectFrom(sql.table(kept.byDay ? `all_${kept.name}` : kept.name).as('kept'))
      .selectAll()
      .where(sql.ref(owner), '=', uid)
    if (instrument !== undefined) select = select.where(sql.ref('instrument_id'), '=', instrument)
    if (wallet !== undefined) select = select.where(sql.ref('wallet'), '=', wallet)
    if (from !== undefined) select = select.where(sql.ref(kept.time), '>=', from)
    const rows = await select.orderBy(sql.ref(kept.key), 'desc').limit(limit).execute()
    for (const row of rows as unknown as (OriginCells & Record<string, IntegerCell>)[]) {
      const at = whole(row[kept.time])
      seen.set(whole(row[kept.key]), { ...originOf(row), at, what: kept.name, event: kept.read(row as never) })
    }
  }
  return [...seen.values()]
}

export async function orderTimeline(db: Db, { orderId }: ReadQuery<'orderTimeline'>): Promise<Answer<'orderTimeline'>> {
  const orders = await read(tables.orders, db.selectFrom('all_orders').selectAll().where('order_id', '=', orderId))
  const fills = await read(tables.fills, db.selectFrom('all_fills').selectAll().where('order_id', '=', orderId))
  const triggers = await read(
    tables.triggers,
    db.selectFrom('all_triggers').selectAll().where('order_id', '=', orderId),
  )
  return { order: orders[0], fills, liquidation: await liquidationOf(db, orderId), trigger: triggers[0] }
}

/** The liquidation among whose orders this one is. */
async function liquidationOf(db: Db, orderId: number): Promise<Answer<'liquidationTimeline'>> {
  const pool = db.selectFrom('liquidations').selectAll().where('first_order_id', '<=', orderId)
  const wallet = db.selectFrom('margin_liquidations').selectAll().where('first_order_id', '<=', orderId)
  return timelineOf(
    db,
    pool.where('last_order_id', '>=', orderId).orderBy('first_order_id', 'desc').limit(1),
    wallet.where('last_order_id', '>=', orderId).orderBy('first_order_id', 'desc').limit(1),
  )
}

/** Of all accounts, newest first: both kinds have their numbers from one row. */
export async function liquidations(
  db: Db,
  { beforeId = Number.MAX_SAFE_INTEGER, limit }: ReadQuery<'liquidations'>,
): Promise<Answer<'liquidations'>> {
  const pools = db.selectFrom('liquidations').selectAll().where('liquidation_id', '<', beforeId)
  const wallets = db.selectFrom('margin_liquidations').selectAll().where('liquidation_id', '<', beforeId)
  const found: Caused<Liquidation | MarginLiquidation>[] = [
    ...(await read(tables.liquidations, pools.orderBy('liquidation_id', 'desc').limit(limit + 1))),
    ...(await read(tables.marginLiquidations, wallets.orderBy('liquidation_id', 'desc').limit(limit + 1))),
  ]
  found.sort((a, b) => b.event.liquidationId - a.event.liquidationId)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)?.event.liquidationId
  return {
    rows: await Promise.all(
      rows.map(async (liquidation) => ({ ...liquidation, ...(await beyondTheAccount(db, liquidation.event)) })),
    ),
    next: found.length > limit ? last : undefined,
    last,
  }
}

/** Whose positions were taken besides, and what the insurance fund paid and took. */
async function beyondTheAccount(db: Db, event: Liquidation | MarginLiquidation) {
  const [firstFlow, lastFlow] = flowsOf(event)
  const { others } = await db
    .selectFrom('all_orders')
    .select(({ fn }) => fn.count('uid').distinct().as('others'))
    .where('order_id', '>=', event.firstOrder)
    .where('order_id', '<=', event.lastOrder)
    .where('cause', '=', 'adl')
    .where('uid', '!=', event.uid)
    .executeTakeFirstOrThrow()
  const sums = await db
    .selectFrom('insurance')
    .select(({ fn }) => ['coin_id', fn.sum('amount_e8').as('units')])
    .where('insurance_id', '>=', firstFlow)
    .where('insurance_id', '<=', lastFlow)
    .groupBy('coin_id')
    .execute()
  return {
    deleveraged: Number(others),
    insurance: sums.map(({ coin_id, units }) => ({ coin: whole(coin_id), amount: amount(BigInt(units)) })),
  }
}

/** By its own number. */
export function liquidationTimeline(
  db: Db,
  { liquidationId }: ReadQuery<'liquidationTimeline'>,
): Promise<Answer<'liquidationTimeline'>> {
  return timelineOf(
    db,
    db.selectFrom('liquidations').selectAll().where('liquidation_id', '=', liquidationId),
    db.selectFrom('margin_liquidations').selectAll().where('liquidation_id', '=', liquidationId),
  )
}

type Found<Name extends keyof Schema> = { execute(): Promise<readonly Schema[Name][]> }

/** A pool taken apart, else a wallet with debt; of a unified account the first is about the second too. */
async function timelineOf(
  db: Db,
  pools: Found<'liquidations'>,
  wallets: Found<'margin_liquidations'>,
): Promise<Answer<'liquidationTimeline'>> {
  const [pool] = await read(tables.liquidations, pools)
  if (pool !== undefined) {
    return { ...pool, ...(await aftermath(db, pool.event)) }
  }
  const [wallet] = await read(tables.marginLiquidations, wallets)
  if (wallet === undefined) return undefined
  return { ...wallet, ...(await aftermath(db, wallet.event)) }
}

/** Numbers of its postings: those of a pool end with its own, those of a wallet begin with it. */
function flowsOf(event: Liquidation | MarginLiquidation): readonly [first: number, last: number] {
  return event.kind === 'liquidation' ? [event.firstFlow, event.liquidationId] : [event.liquidationId, event.lastFlow]
}

async function aftermath(db: Db, event: Liquidation | MarginLiquidation) {
  const { firstOrder, lastOrder } = event
  const [firstFlow, lastFlow] = flowsOf(event)
  const orders = db.selectFrom('all_orders').selectAll().where('order_id', '>=', firstOrder)
  const fills = db.selectFrom('all_fills').selectAll().where('order_id', '>=', firstOrder)
  const insurance = db.selectFrom('insurance').selectAll().where('insurance_id', '>=', firstFlow)
  const few = { limit: aftermathMax }
  return {
    orders: (await read(tables.orders, orders.where('order_id', '<=', lastOrder).limit(few.limit))).map(eventOf),
    fills: (await read(tables.fills, fills.where('order_id', '<=', lastOrder).limit(few.limit))).map(eventOf),
    insurance: (await read(tables.insurance, insurance.where('insurance_id', '<=', lastFlow).limit(few.limit))).map(
      eventOf,
    ),
  }
}

function eventOf<Event>({ event }: Caused<Event>): Event {
  return event
}

async function read<Row, Cells>(
  table: Table<Row, Cells>,
  select: { execute(): Promise<readonly (Cells & OriginCells)[]> },
): Promise<Caused<Row>[]> {
  const rows = await select.execute()
  return rows.map((cells) => ({ ...originOf(cells), event: table.read(cells) }))
}

function originOf({ sequence, command }: OriginCells): { sequence: number; command: string } {
  return { sequence: whole(sequence), command }
}
