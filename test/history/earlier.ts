/**
 * Databases of earlier releases: the newest shape with its last steps undone, in the words of SQL.
 */
import { DatabaseSync } from 'node:sqlite'

const turnBack = (table: string) => `
  drop index ${table}_by_client_oid_uid;
  create index ${table}_by_uid_client_oid on ${table} (uid, client_oid);`

const trailing = ['callback_rate_e4', 'activation_ticks', 'best_ticks', 'take_profit_rate_e4', 'stop_loss_rate_e4']

const undo = [
  { step: '015-equity', sql: 'drop table equity;' },
  {
    step: '014-trailing-orders',
    sql: trailing.map((column) => `alter table triggers drop column ${column};`).join(' '),
  },
  { step: '013-chain-transfers', sql: 'drop table chain_transfers;' },
  { step: '012-conversion-prices', sql: 'alter table conversions drop column price_e12;' },
  { step: '011-cut-orders', sql: 'alter table orders drop column cut_lots;' },
  { step: '010-closed-fine', sql: 'alter table positions drop column closed_fine_e12;' },
  { step: '009-client-oids-first', sql: turnBack('orders') + turnBack('triggers') },
  { step: '008-loan-type', sql: 'alter table orders drop column loan_type;' },
  { step: '007-position-moves', sql: 'drop table position_moves;' },
  {
    step: '006-bills',
    sql: `
      drop table bills; drop table conversions; drop table liquidation_offers;
      alter table fills drop column balance_e8; alter table fills drop column paid_balance_e8;
      alter table fills drop column base_e8; alter table fills drop column paid_coin_id;
      alter table insurance drop column balance_e8;
      create table margin_bills (bill_id integer primary key, uid integer, coin_id integer, amount_e8 integer,
        fee_e8 integer, balance_e8 integer, at_ms integer, wallet text, type text, instrument_id integer,
        sequence integer, command text);`,
  },
  { step: '005-candles', sql: 'drop table candles;' },
]

/** Takes a file back to before a step, and lets `change` write what such a release could have. */
export function takeBackBefore(step: string, file: string, change = ''): void {
  const database = new DatabaseSync(file)
  for (const migration of undo.filter(({ step: name }) => name >= step)) {
    database.exec(`${migration.sql} delete from kysely_migration where name = '${migration.step}'`)
  }
  database.exec(change)
  database.close()
}
