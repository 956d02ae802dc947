/**
 * Postings: every change of every wallet with the balance after it, from bills and fills in the order of their numbers.
 *
 * Chained    each begins where the one before it in its wallet and coin ended, the first ones at zero where all are there
 * Snapshots  the last posting before a snapshot left the balance that the snapshot has
 * Before     releases without bills left none: their wallets are known from their first bill on
 */
import type { Findings } from './findings.ts'
import { type History, historyFile } from './rows.ts'
import type { VenueState } from './state.ts'

/** Of fills from before balances were noted. */
const balanceUnknown = -(2n ** 63n - 1n)

/** Every change of every wallet, in order: bills, and what fills received and paid. */
const postings = `
  select bill_id id, sequence, uid, wallet, coin_id, amount_e8, balance_e8, 'bills' name from bills where bill_id > 0
  union all
  select exec_id, sequence, uid, wallet, fee_coin_id, case
      when paid_coin_id is null then realized_pnl_e8
      when book_side = 'buy' then base_e8 else notional_e8 end - fee_e8, balance_e8, 'fills' from fills
  union all
  select exec_id + 1, sequence, uid, wallet, paid_coin_id, case when book_side = 'buy' then -notional_e8 else -base_e8 end,
      paid_balance_e8, 'fills' from fills where paid_coin_id is not null
  order by id`

export function checkPostings(history: History, states: readonly VenueState[], findings: Findings): void {
  const { database, has, appliedSequence } = history
  if (!has.has('bills') || !has.has('fills')) return
  const fromZero = beginsWithBills(history)
  const known = new Map<string, bigint>()
  const due = states.filter(({ sequence }) => sequence <= appliedSequence)
  const compareBefore = (sequence: number) => {
    while (due.length > 0 && due[0].sequence < sequence) compareBalances(due.shift()!, known, fromZero, findings)
  }
  for (const row of database.rows(postings)) {
    findings.count('postings')
    compareBefore(Number(row['sequence']))
    const key = `${row['uid']} ${String(row['wallet'])} ${row['coin_id']}`
    const after = row['balance_e8'] as bigint
    if (after === balanceUnknown) {
      known.delete(key)
      continue
    }
    const moved = row['amount_e8'] as bigint
    const before = known.get(key) ?? (fromZero ? 0n : after - moved)
    if (before + moved !== after) {
      const what = `the balance after it is ${after}, before it ${before}, and it moved ${moved}`
      findings.fault('bills', { file: historyFile, row: `${String(row['name'])} ${row['id']}` }, what)
    }
    known.set(key, after)
  }
  compareBefore(Infinity)
}

/** Whether the first money that came has its bill: releases before there were bills wrote none. */
function beginsWithBills({ database, has, complete }: History): boolean {
  if (!complete || !has.has('external_flows')) return false
  const firstOf = (table: string) => {
    const [row] = database.rows(`select min(sequence) sequence from ${table}`)
    return row['sequence'] === null ? Infinity : Number(row['sequence'])
  }
  return firstOf('bills where bill_id > 0') <= firstOf('external_flows')
}

function compareBalances(
  { file, sequence, balances }: VenueState,
  known: ReadonlyMap<string, bigint>,
  fromZero: boolean,
  findings: Findings,
): void {
  const keys = fromZero ? new Set([...known.keys(), ...balances.keys()]) : known.keys()
  for (const key of keys) {
    const [recorded, found] = [known.get(key) ?? 0n, balances.get(key) ?? 0n]
    if (recorded === found) continue
    const what = `its balance at command ${sequence} is ${found}, but the last of its postings in ${historyFile} says ${recorded}`
    findings.fault('bills', { file, row: `wallet ${key}` }, what)
  }
}
