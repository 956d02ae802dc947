/**
 * How the tables came to be: ordered steps, each applied once to a database and never changed afterwards. A change to
 * a table is a new step at the end, and concerns its tables of days that are over too (days.ts).
 *
 * Keys     the engine's own numbers, which only grow: rows arrive at the end of the table and of most indexes
 * Indexes  one for each way that is asked, each ending in the row's own number by nature (sqlite.ts); every table has
 *          one by time, which prunes and turns windows into numbers. What grows with the rows comes first, where there is a
 *          choice: rows that arrive at as many places as there are accounts change a page or more at each of them
 */
import { type ColumnDataType, type Kysely, type RawBuilder, sql } from 'kysely'
import { balanceUnknown } from './bill-table.ts'
import type { Migration } from 'kysely/migration'
import { CandleMaker } from './candle-maker.ts'
import { candleColumns, candleKey } from './candle-table.ts'
import type { Cell } from './columns.ts'
import type { Schema } from './tables.ts'

/** Tables that a database has to be told about. */
export interface FlavourTables {
  /** By name: the time whose days are partitions of the table, which the key holds too. */
  readonly partitionedBy?: ReadonlyMap<string, string>
  /** Tables whose keys SQL counts. */
  readonly counted?: ReadonlySet<string>
}

/** What databases do not agree on. */
interface SqlFlavour extends FlavourTables {
  /** 64 bits. */
  readonly integerType: ColumnDataType
  /** What follows a table's columns. */
  readonly tableEnding: RawBuilder<unknown>
  /** The same where the rows lie in the order of the key. */
  readonly keyedTableEnding: RawBuilder<unknown>
  /** The name of the table's index of exactly these columns. */
  readonly indexOn: (db: Kysely<unknown>, table: string, columns: readonly string[]) => Promise<string>
}

/** Columns by type. The first integer is the key. */
interface NewTable {
  readonly integers: string
  readonly texts?: string
  /** Integers that may be absent. */
  readonly optional?: string
  readonly indexes: readonly string[]
}

const firstTables: Readonly<Record<string, NewTable>> = {
  progress: { integers: 'only applied_sequence applied_at_ms', indexes: [] },
  fills: {
    integers:
      'exec_id match_id order_id uid instrument_id price_ticks quantity_lots notional_e8 fee_e8 fee_coin_id realized_pnl_e8 at_ms',
    texts: 'client_oid wallet category side book_side order_type scope cause hold_mode effect position_side',
    indexes: ['uid', 'order_id uid', 'at_ms'],
  },
  orders: {
    integers:
      'order_id uid instrument_id price_ticks quantity_lots quote_amount_e8 base_amount_e8 filled_lots filled_notional_e8 fee_e8 fee_coin_id realized_pnl_e8 reduce_only leverage position_entry_e8 average_price_e8 created_at_ms updated_at_ms',
    texts:
      'client_oid wallet category side book_side order_type time_in_force status cancel_reason cause intent position_side hold_mode margin_mode stp_mode channel_code',
    optional: 'take_profit_trigger_ticks take_profit_execute_ticks stop_loss_trigger_ticks stop_loss_execute_ticks',
    indexes: ['uid', 'uid client_oid', 'created_at_ms'],
  },
  trades: {
    integers: 'match_id instrument_id price_ticks quantity_lots at_ms',
    texts: 'side',
    indexes: ['instrument_id', 'at_ms'],
  },
  transfers: {
    integers: 'transfer_id actor_uid from_uid to_uid coin_id amount_e8 at_ms',
    texts: 'client_oid from_wallet to_wallet',
    indexes: ['from_uid', 'to_uid', 'at_ms'],
  },
  external_flows: {
    integers: 'flow_id uid coin_id amount_e8 at_ms',
    texts: 'kind wallet',
    indexes: ['uid', 'at_ms'],
  },
  loans: {
    integers: 'loan_id uid coin_id amount_e8 at_ms',
    texts: 'wallet cause',
    indexes: ['uid', 'at_ms'],
  },
  repayments: {
    integers: 'repay_id uid coin_id principal_e8 interest_e8 at_ms',
    texts: 'wallet cause',
    indexes: ['uid', 'at_ms'],
  },
  interest: {
    integers: 'interest_id uid coin_id amount_e8 at_ms',
    texts: 'wallet',
    indexes: ['uid', 'at_ms'],
  },
  funding_rates: {
    integers: 'funding_rate_id instrument_id funding_rate_e12 mark_price_ticks at_ms',
    indexes: ['instrument_id at_ms', 'at_ms'],
  },
  funding_payments: {
    integers: 'payment_id uid instrument_id amount_e8 at_ms',
    texts: 'wallet position_side',
    indexes: ['uid', 'at_ms'],
  },
  positions: {
    integers:
      'closing_id position_id uid instrument_id leverage opened_quantity_lots opened_notional_e8 closed_notional_e8 realized_pnl_e8 funding_e8 open_fees_e8 close_fees_e8 opened_at_ms closed_at_ms',
    texts: 'wallet side hold_mode margin_mode',
    indexes: ['uid', 'closed_at_ms'],
  },
  insurance: {
    integers: 'insurance_id uid coin_id amount_e8 at_ms',
    texts: 'wallet',
    indexes: ['uid', 'at_ms'],
  },
  rebates: {
    integers: 'rebate_id uid order_id coin_id amount_e8 at_ms',
    indexes: ['uid', 'at_ms'],
  },
}

const triggerTable: NewTable = {
  integers:
    'order_id uid instrument_id price_ticks execute_ticks reduce_only quantity_lots quote_amount_e8 base_amount_e8 partner_id executed_order_id created_at_ms updated_at_ms',
  texts:
    'client_oid wallet category trigger_kind price_kind side book_side intent position_side hold_mode margin_mode stp_mode status failure channel_code',
  optional:
    'take_profit_trigger_ticks take_profit_execute_ticks take_profit_by_mark stop_loss_trigger_ticks stop_loss_execute_ticks stop_loss_by_mark',
  indexes: ['uid', 'uid client_oid', 'created_at_ms'],
}

const chainTransferTable: NewTable = {
  integers: 'chain_transfer_id uid coin_id amount_e8 fee_e8 block confirmations created_at_ms updated_at_ms sequence',
  texts:
    'direction destination network status from_address to_address tag transaction_id wallet wallets client_oid remark command',
  indexes: ['uid', 'client_oid uid', 'created_at_ms', 'updated_at_ms'],
}

const trailingColumns = [
  'callback_rate_e4',
  'activation_ticks',
  'best_ticks',
  'take_profit_rate_e4',
  'stop_loss_rate_e4',
]

const marginTables: Readonly<Record<string, NewTable>> = {
  margin_bills: {
    integers: 'bill_id uid coin_id amount_e8 fee_e8 balance_e8 at_ms',
    texts: 'wallet type',
    optional: 'instrument_id',
    indexes: ['uid', 'at_ms'],
  },
  margin_liquidations: {
    integers: 'liquidation_id uid level_e12 risk_rate_e12 assets_usd_e8 debt_usd_e8 fee_usd_e8 covered_usd_e8 at_ms',
    texts: 'wallet',
    indexes: ['uid', 'at_ms'],
  },
}

const liquidationTable: NewTable = {
  integers: 'liquidation_id uid first_order_id last_order_id first_flow_id at_ms',
  texts: 'wallet pool equity maintenance positions balances steps',
  optional: 'coin_id',
  indexes: ['uid', 'first_order_id', 'at_ms'],
}

const billTables: Readonly<Record<string, NewTable>> = {
  bills: {
    integers: 'bill_id uid coin_id amount_e8 fee_e8 balance_e8 at_ms sequence',
    texts: 'wallet type category other_wallet command',
    optional: 'instrument_id',
    indexes: ['uid', 'at_ms'],
  },
  conversions: {
    integers: 'conversion_id uid from_coin_id from_amount_e8 to_coin_id to_amount_e8 at_ms sequence',
    texts: 'wallet command',
    indexes: ['uid', 'at_ms'],
  },
  liquidation_offers: {
    integers: 'offer_id liquidation_id instrument_id quantity_lots price_ticks at_ms sequence',
    texts: 'side command',
    indexes: ['instrument_id', 'at_ms'],
  },
}

/** Earlier bills were numbered otherwise: they keep their order before all that come. */
const earlierBills = 3_000_000_000_000_000

/** Bills of margin wallets from when there were no others. */
async function moveMarginBills(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into bills (bill_id, uid, coin_id, amount_e8, fee_e8, balance_e8, at_ms, sequence, wallet, type, category,
      other_wallet, command, instrument_id)
    select bill_id - ${sql.lit(earlierBills)}, uid, coin_id, amount_e8, fee_e8, balance_e8, at_ms, sequence, wallet, type,
      case when type in ('transfer_in', 'transfer_out') then 'OTHER' else 'MARGIN' end, '', command, instrument_id
    from margin_bills`.execute(db)
  await db.schema.dropTable('margin_bills').execute()
}

const equityTable: NewTable = {
  integers: 'sample_id uid equity_e8 moved_e8 at_ms goes_with_ms sequence',
  texts: 'command',
  // With all that is read: an account's samples lie together there, and far apart in the table.
  indexes: ['uid at_ms sample_id equity_e8 moved_e8', 'goes_with_ms'],
}

const positionMoveTable: NewTable = {
  integers:
    'move_id actor_uid from_uid to_uid instrument_id quantity_lots price_ticks close_order_id open_order_id close_exec_id open_exec_id at_ms sequence',
  texts: 'category side command',
  indexes: ['actor_uid', 'from_uid', 'to_uid', 'at_ms'],
}

async function createCandles(db: Kysely<unknown>, { integerType, keyedTableEnding }: SqlFlavour): Promise<void> {
  let create = db.schema.createTable('candles')
  for (const [name, { kind }] of Object.entries(candleColumns)) {
    create = create.addColumn(name, kind === 'number' ? integerType : 'text', (definition) => definition.notNull())
  }
  await create
    .addPrimaryKeyConstraint('candles_key', [...candleKey] as never)
    .modifyEnd(keyedTableEnding)
    .execute()
  await db.schema.createIndex('candles_by_start_ms').on('candles').column('start_ms').execute()
}

async function createTable(
  db: Kysely<unknown>,
  name: string,
  table: NewTable,
  { integerType, tableEnding, partitionedBy, counted }: SqlFlavour,
) {
  const day = partitionedBy?.get(name)
  const { integers, texts, optional, indexes } = table
  let create = db.schema.createTable(name)
  for (const [place, column] of words(integers).entries()) {
    create = create.addColumn(column, integerType, (definition) => {
      if (place !== 0 || day !== undefined) return definition.notNull()
      return counted?.has(name) ? definition.generatedAlwaysAsIdentity().primaryKey() : definition.primaryKey()
    })
  }
  if (day !== undefined) create = create.addPrimaryKeyConstraint(`${name}_key`, [words(integers)[0], day] as never)
  for (const column of words(texts)) create = create.addColumn(column, 'text', (definition) => definition.notNull())
  for (const column of words(optional)) create = create.addColumn(column, integerType)
  await create.modifyEnd(day === undefined ? tableEnding : sql`partition by range (${sql.ref(day)})`).execute()
  for (const index of indexes) {
    const columns = words(index)
    await db.schema
      .createIndex(`${name}_by_${columns.join('_')}`)
      .on(name)
      .columns(columns)
      .execute()
  }
}

/**
 * Client order ids before accounts: those that the venue makes, and many of those that it is given, grow. Tables of days that are
 * over have theirs the other way round, which finds an order as well: nothing is written there any more.
 */
async function turnClientOids(db: Kysely<unknown>, { indexOn }: SqlFlavour): Promise<void> {
  for (const table of ['orders', 'triggers']) {
    await db.schema.dropIndex(await indexOn(db, table, ['uid', 'client_oid'])).execute()
    await db.schema.createIndex(`${table}_by_client_oid_uid`).on(table).columns(['client_oid', 'uid']).execute()
  }
}

/** A table and those of its days that are over, which follow by themselves where they are partitions. */
async function withDaysOver(db: Kysely<unknown>, name: string, { partitionedBy }: SqlFlavour): Promise<string[]> {
  if (partitionedBy?.has(name)) return [name]
  const tables = await db.introspection.getTables()
  const days = new RegExp(`^${name}(_[0-9]{8})?$`)
  return tables.map((table) => table.name).filter((table) => days.test(table))
}

/** Candles of trades that were there before candles were kept. Of marks and indexes nobody noted anything. */
async function makeCandles(db: Kysely<Pick<Schema, 'trades' | 'candles'>>): Promise<void> {
  const rows: Record<string, Cell>[] = []
  const names = Object.keys(candleColumns)
  const put = (cells: Cell[]) => void rows.push(Object.fromEntries(names.map((name, place) => [name, cells[place]])))
  const maker = new CandleMaker({ find: () => undefined, put })
  const write = async () => {
    for (let row = rows.shift(); row !== undefined; row = rows.shift()) {
      await db
        .insertInto('candles')
        .values(row as never)
        .execute()
    }
  }
  let last = -1
  for (;;) {
    const trades = await db
      .selectFrom('trades')
      .select(['match_id', 'instrument_id', 'price_ticks', 'quantity_lots', 'at_ms'])
      .where('match_id', '>', last)
      .orderBy('match_id')
      .limit(10_000)
      .execute()
    for (const { instrument_id: instrument, price_ticks: price, quantity_lots: quantity, at_ms: at } of trades) {
      maker.addTrade(Number(instrument), Number(price), Number(quantity), Number(at))
    }
    if (trades.length === 0) break
    last = Number(trades.at(-1)?.match_id)
    await write()
  }
  maker.flush()
  await write()
}

function words(text = ''): string[] {
  return text.split(' ').filter((word) => word !== '')
}

export function migrationsFor(flavour: SqlFlavour): Readonly<Record<string, Migration>> {
  return {
    '001-first-tables': {
      async up(db: Kysely<unknown>) {
        for (const [name, table] of Object.entries(firstTables)) await createTable(db, name, table, flavour)
      },
    },
    '002-trigger-orders': {
      async up(db: Kysely<unknown>) {
        await createTable(db, 'triggers', triggerTable, flavour)
        for (const column of ['take_profit_by_mark', 'stop_loss_by_mark']) {
          await db.schema.alterTable('orders').addColumn(column, flavour.integerType).execute()
        }
      },
    },
    '003-margin': {
      async up(db: Kysely<unknown>) {
        for (const [name, table] of Object.entries(marginTables)) await createTable(db, name, table, flavour)
        const { integerType } = flavour
        const interest = () => db.schema.alterTable('interest')
        // Of earlier interest nobody noted the loan and its rate.
        await interest()
          .addColumn('loan_id', integerType, (definition) => definition.notNull().defaultTo(0))
          .execute()
        await interest()
          .addColumn('daily_rate_e12', integerType, (definition) => definition.notNull().defaultTo(0))
          .execute()
        await interest()
          .addColumn('cause', 'text', (definition) => definition.notNull().defaultTo('first'))
          .execute()
      },
    },
    '004-causes': {
      async up(db: Kysely<unknown>) {
        const { integerType } = flavour
        await createTable(db, 'liquidations', liquidationTable, flavour)
        // Of earlier rows nobody noted the command.
        const tables = [...Object.keys(firstTables), 'triggers', ...Object.keys(marginTables), 'liquidations']
        for (const table of tables.filter((name) => name !== 'progress')) {
          const add = () => db.schema.alterTable(table)
          await add()
            .addColumn('sequence', integerType, (definition) => definition.notNull().defaultTo(0))
            .execute()
          await add()
            .addColumn('command', 'text', (definition) => definition.notNull().defaultTo(''))
            .execute()
        }
        const liquidations = () => db.schema.alterTable('margin_liquidations')
        await liquidations()
          .addColumn('balances', 'text', (definition) => definition.notNull().defaultTo('[]'))
          .execute()
        for (const column of words('liquidation_level_e12 fee_rate_e12 first_order_id last_order_id last_flow_id')) {
          await liquidations()
            .addColumn(column, integerType, (definition) => definition.notNull().defaultTo(0))
            .execute()
        }
        await db.schema
          .createIndex('margin_liquidations_by_first_order_id')
          .on('margin_liquidations')
          .column('first_order_id')
          .execute()
      },
    },
    '005-candles': {
      async up(db: Kysely<unknown>) {
        await createCandles(db, flavour)
        await makeCandles(db)
      },
    },
    '006-bills': {
      async up(db: Kysely<unknown>) {
        const { integerType } = flavour
        for (const [name, table] of Object.entries(billTables)) await createTable(db, name, table, flavour)
        await moveMarginBills(db)
        const add = (table: string, column: string, otherwise: bigint) =>
          db.schema
            .alterTable(table)
            .addColumn(column, integerType, (definition) => definition.notNull().defaultTo(sql.lit(otherwise)))
            .execute()
        await add('fills', 'balance_e8', balanceUnknown)
        await add('fills', 'paid_balance_e8', balanceUnknown)
        await add('fills', 'base_e8', 0n)
        await db.schema.alterTable('fills').addColumn('paid_coin_id', integerType).execute()
        await add('insurance', 'balance_e8', balanceUnknown)
      },
    },

    '007-position-moves': {
      async up(db: Kysely<unknown>) {
        await createTable(db, 'position_moves', positionMoveTable, flavour)
      },
    },

    '008-loan-type': {
      async up(db: Kysely<unknown>) {
        // Earlier margin orders borrowed what they lacked, and repaid nothing with what they received.
        await db.schema
          .alterTable('orders')
          .addColumn('loan_type', 'text', (definition) => definition.notNull().defaultTo('autoLoan'))
          .execute()
      },
    },

    '009-client-oids-first': {
      async up(db: Kysely<unknown>) {
        await turnClientOids(db, flavour)
      },
    },

    '010-closed-fine': {
      async up(db: Kysely<unknown>) {
        // Of earlier positions there is what was booked (closingAverage).
        await db.schema
          .alterTable('positions')
          .addColumn('closed_fine_e12', flavour.integerType, (definition) => definition.notNull().defaultTo(0))
          .execute()
      },
    },

    '011-cut-orders': {
      async up(db: Kysely<unknown>) {
        // Earlier closing orders were canceled, not cut.
        for (const table of await withDaysOver(db, 'orders', flavour)) {
          await db.schema
            .alterTable(table)
            .addColumn('cut_lots', flavour.integerType, (definition) => definition.notNull().defaultTo(0))
            .execute()
        }
      },
    },

    '012-conversion-prices': {
      async up(db: Kysely<unknown>) {
        // Earlier conversions all paid a debt.
        await db.schema
          .alterTable('conversions')
          .addColumn('price_e12', 'text', (definition) => definition.notNull().defaultTo(''))
          .execute()
      },
    },

    '013-chain-transfers': {
      async up(db: Kysely<unknown>) {
        await createTable(db, 'chain_transfers', chainTransferTable, flavour)
      },
    },

    '014-trailing-orders': {
      async up(db: Kysely<unknown>) {
        // Earlier trigger orders did not trail.
        for (const table of await withDaysOver(db, 'triggers', flavour)) {
          for (const column of trailingColumns) {
            await db.schema.alterTable(table).addColumn(column, flavour.integerType).execute()
          }
        }
      },
    },

    '015-equity': {
      async up(db: Kysely<unknown>) {
        await createTable(db, 'equity', equityTable, flavour)
      },
    },
  }
}
