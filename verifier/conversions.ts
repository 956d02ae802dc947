/**
 * Conversions against what moved: each is one exchange with the insurance fund, or what one order of a liquidation or of a
 * repayment with another coin traded, and each of those is told once.
 *
 * Nothing for something  an exchange of dust that brought nothing is no conversion, nor is an order that traded nothing
 * Before bills           a history that began without them says nothing of its first exchanges: those rows are not compared
 */
import type { Row } from './database.ts'
import type { Findings } from './findings.ts'
import { type History, historyFile } from './rows.ts'

const coins = `sum(case when units < 0 then coin_id end) from_coin, -sum(case when units < 0 then units end) from_units,
  sum(case when units > 0 then coin_id end) to_coin, sum(case when units > 0 then units end) to_units`

/** A repayment is a taker of its own; orders that it lets fire have the cause of theirs. */
const sells = `paid_coin_id is not null
  and (cause = 'liquidation' or (command in ('repay-debts', 'flash-repay') and cause = 'user' and scope = 'taker'))`

/** Of one such order both coins with the fees in them; of an exchange its two bills, which follow each other. */
const moved = `
  with traded as (
    select sequence, uid, wallet, order_id, fee_coin_id coin_id,
      case when book_side = 'buy' then base_e8 else notional_e8 end - fee_e8 units
      from fills where ${sells}
    union all
    select sequence, uid, wallet, order_id, paid_coin_id, case when book_side = 'buy' then -notional_e8 else -base_e8 end
      from fills where ${sells}
  ), of_orders as (
    select sequence, uid, wallet, order_id, coin_id, sum(units) units from traded group by 1, 2, 3, 4, 5
  )
  select sequence, uid, wallet, ${coins} from of_orders group by sequence, uid, wallet, order_id
  union all
  select given.sequence, given.uid, given.wallet, taken.coin_id, -taken.amount_e8, given.coin_id, given.amount_e8
    from bills given join bills taken on taken.bill_id = given.bill_id - 1
    where given.type = 'sys_exchange_in' and taken.type = 'sys_exchange_out'`

/** Those that paid a debt: the others moved what they say (money.ts). */
const recorded = `
  select sequence, uid, wallet, from_coin_id from_coin, from_amount_e8 from_units, to_coin_id to_coin, to_amount_e8 to_units,
    conversion_id from conversions`

const parts = ['sequence', 'uid', 'wallet', 'from_coin', 'from_units', 'to_coin', 'to_units']
const keyOf = (row: Row) => parts.map((name) => String(row[name])).join(' ')

export function checkConversions({ database, has }: History, findings: Findings): void {
  if (!has.has('conversions') || !has.has('fills')) return
  if (!has.has('bills')) return findings.skip('conversions: this history has no bills to compare them with')
  const [oldest] = database.rows('select min(sequence) sequence from bills')
  const first = Number(oldest['sequence'])
  const open = new Map<string, number>()
  for (const row of database.rows(moved)) {
    if (row['from_units'] === null || row['to_units'] === null || Number(row['sequence']) < first) continue
    open.set(keyOf(row), (open.get(keyOf(row)) ?? 0) + 1)
  }
  const priced = has.get('conversions')?.includes('price_e12') === true
  for (const row of database.rows(priced ? `${recorded} where price_e12 = ''` : recorded)) {
    if (Number(row['sequence']) < first) continue
    findings.count('conversions compared')
    const left = open.get(keyOf(row)) ?? 0
    if (left === 0) {
      const place = { file: historyFile, row: `conversions ${row['conversion_id']}` }
      findings.fault('conversions', place, `no exchange and no order of command ${row['sequence']} moved this`)
    } else if (left === 1) open.delete(keyOf(row))
    else open.set(keyOf(row), left - 1)
  }
  for (const key of open.keys()) {
    const [sequence, uid, wallet] = key.split(' ')
    const place = { file: historyFile, row: `conversions of account ${uid}, wallet ${wallet}` }
    findings.fault('conversions', place, `what command ${sequence} exchanged is not told`)
  }
}
