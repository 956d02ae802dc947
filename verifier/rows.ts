/**
 * Rows one by one: each came of the command that it names, in order, and no number is missing or there twice.
 */
import type { Database, Row } from './database.ts'
import type { Findings } from './findings.ts'
import type { JournalContent } from './journal.ts'
import { orderSeries, otherTables, series, tables } from './numbering.ts'
import type { VenueState } from './state.ts'

export interface History {
  readonly database: Database
  readonly has: ReadonlyMap<string, readonly string[]>
  readonly appliedSequence: number
  /** Rows from the first command on are there. */
  readonly complete: boolean
}

/** What history's rows are compared with. */
export interface Reference {
  readonly journal: JournalContent | undefined
  readonly states: readonly VenueState[]
  /** Commands that were passed over. */
  readonly poisoned: ReadonlySet<number>
}

export const historyFile = 'history.sqlite'

export function checkRows(history: History, reference: Reference, findings: Findings): void {
  const { journal, states, poisoned } = reference
  for (const name of history.has.keys()) {
    if (tables[name] === undefined && !otherTables.includes(name)) findings.skip(`rows of the table ${name}`)
  }
  for (const name of Object.keys(tables)) {
    if (history.has.has(name)) checkTable(name, history, journal, poisoned, findings)
    else findings.skip(`rows of the table ${name}: this history has none`)
  }
  if (journal !== undefined) checkMoneyCommands(history, journal, findings)
  for (const numbered of series) checkSeries(numbered, history, states, findings)
  checkOrderNumbers(history, states, findings)
  findings.skip('candles: what they sum up is not computed again')
}

function checkTable(
  name: string,
  { database, appliedSequence }: History,
  journal: JournalContent | undefined,
  poisoned: ReadonlySet<number>,
  findings: Findings,
): void {
  const { key, time, within, unordered } = tables[name]
  let sequenceBefore = 0
  let timeBefore = 0
  for (const row of database.rows(`select ${key} key, sequence, command, ${time} at from ${name} order by ${key}`)) {
    findings.count('rows')
    const sequence = Number(row['sequence'])
    const at = Number(row['at'])
    const fault = (what: string) => findings.fault('rows', { file: historyFile, row: `${name} ${row['key']}` }, what)
    if (sequence > appliedSequence)
      fault(`it came of command ${sequence}, beyond ${appliedSequence} that history reaches`)
    if (!unordered && sequence < sequenceBefore)
      fault(`it came of command ${sequence}, the row before it of a later one`)
    if (!unordered && !within && at < timeBefore) fault('its time is before that of the row before it')
    sequenceBefore = sequence
    timeBefore = at
    if (poisoned.has(sequence)) fault(`it came of command ${sequence}, which was passed over`)
    const kind = journal?.kinds.get(sequence)
    if (kind === undefined) {
      if (journal !== undefined && sequence >= journal.firstSequence && sequence <= journal.lastSequence) {
        fault(`it came of command ${sequence}, which cannot be read in the journal`)
      }
      continue
    }
    findings.count('rows compared with their command')
    if (kind !== row['command']) fault(`it came of a ${String(row['command'])}; command ${sequence} is a ${kind}`)
    const stamp = journal!.stamps.get(sequence)!
    if (within ? at > stamp : at !== stamp) fault(`its time is ${at}, that of command ${sequence} is ${stamp}`)
  }
}

/** Deposits, withdrawals and transfers say what their commands say. */
function checkMoneyCommands({ database, has }: History, journal: JournalContent, findings: Findings): void {
  const withRow = new Set<number>()
  type Names = (row: Row, said: Readonly<Record<string, unknown>>) => Record<string, string>
  const compare = (table: string, key: string, sql: string, namesOf: Names) => {
    if (!has.has(table)) return
    for (const row of database.rows(sql)) {
      const sequence = Number(row['sequence'])
      const command = journal.money.get(sequence)
      if (command === undefined) continue
      withRow.add(sequence)
      for (const [column, field] of Object.entries(namesOf(row, command.fields))) {
        const wanted = field.startsWith('=') ? field.slice(1) : String(command.fields[field])
        if (String(row[column]) === wanted) continue
        const what = `${column} is ${String(row[column])}; command ${sequence} (${command.kind}) says ${wanted}`
        findings.fault('money commands', { file: historyFile, row: `${table} ${row[key]}` }, what)
      }
    }
  }
  const payment = { uid: 'uid', wallet: 'wallet', coin_id: 'coin', amount_e8: 'amount' }
  compare('external_flows', 'flow_id', 'select * from external_flows', (row) => ({
    ...payment,
    kind: row['command'] === 'withdraw' ? '=withdrawal' : '=deposit',
  }))
  compare('transfers', 'transfer_id', 'select * from transfers', (row, { clientOid }) => ({
    actor_uid: 'actorUid',
    from_uid: 'fromUid',
    to_uid: 'toUid',
    from_wallet: 'fromWallet',
    to_wallet: 'toWallet',
    coin_id: 'coin',
    amount_e8: 'amount',
    // One that nobody named is named by its number.
    client_oid: clientOid === '' ? `=${row['transfer_id']}` : 'clientOid',
  }))
  const silent = [...journal.money].filter(([sequence, { kind }]) => kind !== 'fund-house' && !withRow.has(sequence))
  findings.count('money commands without a row (refused)', silent.length)
}

function checkSeries(
  { counter, first, keys, mayHaveGaps }: (typeof series)[number],
  { database, has, complete }: History,
  states: readonly VenueState[],
  findings: Findings,
): void {
  const present = keys.filter(([table]) => has.has(table))
  if (present.length === 0) return
  const parts = present.map(([table, key, where]) => {
    return `select distinct ${key} id, sequence, '${table}' name from ${table} ${where === undefined ? '' : `where ${where}`}`
  })
  let next = complete ? first : undefined
  /** By snapshot: the number after the last of its rows. */
  const after = states.map(() => first)
  for (const row of database.rows(`${parts.join(' union all ')} order by id`)) {
    const id = Number(row['id'])
    const place = { file: historyFile, row: `${row['name']} ${id}` }
    if (next !== undefined && id < next) findings.fault('numbers', place, `this number of a ${counter} is there twice`)
    if (next !== undefined && id > next && !mayHaveGaps) {
      const missing = id - next === 1 ? `${next} is` : `${next} to ${id - 1} are`
      findings.fault('numbers', place, `before it ${missing} missing`)
    }
    next = Math.max(next ?? 0, id + 1)
    states.forEach((state, index) => {
      if (Number(row['sequence']) <= state.sequence) after[index] = Math.max(after[index], id + 1)
    })
  }
  states.forEach((state, index) => {
    const due = counter === 'rows' ? after[index] : state.counters[counter]
    if (after[index] === due || (after[index] < due && (mayHaveGaps || !complete))) return
    const row = `${present[0][0]} ${after[index] - 1}`
    const what = `numbers of ${counter} go up to ${due - 1} at command ${state.sequence}, rows up to ${after[index] - 1}`
    findings.fault('numbers', { file: historyFile, row }, `${what} (${state.file})`)
  })
}

/** Every order that ever was has ended, or is live in the snapshot. */
function checkOrderNumbers(
  { database, has, complete }: History,
  states: readonly VenueState[],
  findings: Findings,
): void {
  if (!has.has('orders') || !has.has('triggers')) return
  const state = states.at(-1)
  if (state === undefined || !complete) return findings.skip('orders that have neither ended nor are open')
  const due = state.counters[orderSeries.counter]
  let next = orderSeries.first
  const expectThrough = (before: number) => {
    for (; next < before; next++) {
      if (state.liveOrders.has(next)) continue
      findings.fault(
        'orders',
        { file: historyFile, row: `orders ${next}` },
        'the order has neither ended nor is it open',
      )
    }
  }
  const ended = 'select order_id id, sequence, 0 waits from orders union all select order_id, sequence, 1 from triggers'
  for (const row of database.rows(`${ended} order by id`)) {
    const id = Number(row['id'])
    const place = { file: historyFile, row: `${row['waits'] === 1n ? 'triggers' : 'orders'} ${id}` }
    if (id < next) findings.fault('orders', place, 'two rows have this number')
    expectThrough(Math.min(id, due))
    next = Math.max(next, id + 1)
    const endedBy = Number(row['sequence'])
    if (endedBy <= state.sequence && state.liveOrders.has(id)) {
      findings.fault('orders', place, `it ended with command ${endedBy}, and is open in ${state.file}`)
    } else if (endedBy <= state.sequence && id >= due) {
      findings.fault('orders', place, `no order had this number at command ${state.sequence}`)
    }
  }
  expectThrough(due)
}
