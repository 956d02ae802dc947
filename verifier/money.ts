/**
 * Money: what history's rows moved, wallet by wallet and coin by coin, against what snapshots say is there.
 *
 * Postings   each row says what it moves between which places (`posted`), and each posting has a side in the house or
 *            in another wallet: a row that is missing, repeated or changed shows as a difference of a wallet and a house account
 * Worth      what is compared of a wallet (state.ts)
 * From zero  with rows from the first command on, each snapshot is compared; else the difference of two snapshots is
 * New tables the list `posted` grows by a line for every table that moves money
 */
import type { Row } from './database.ts'
import type { Findings } from './findings.ts'
import { type History, historyFile, type Reference } from './rows.ts'
import { baseOf, entryValueOf } from './scale.ts'
import type { Instrument, VenueState } from './state.ts'

type Instruments = ReadonlyMap<number, Instrument>
type Post = (key: string, units: bigint) => void

const units = (row: Row, column = 'amount_e8') => row[column] as bigint
const worth = (row: Row, uid = 'uid', wallet = 'wallet') => `worth ${row[uid]} ${String(row[wallet])} ${row['coin_id']}`
const debt = (what: string, row: Row) => `${what} ${row['uid']} ${String(row['wallet'])} ${row['coin_id']}`

/** What a row of each table moves. */
const posted: Readonly<Record<string, (row: Row, post: Post, instruments: Instruments) => void>> = {
  external_flows(row, post) {
    const inwards = row['kind'] === 'deposit' ? units(row) : -units(row)
    post(worth(row), inwards)
    post(`external ${row['coin_id']}`, -inwards)
  },
  chain_transfers(row, post) {
    if (row['status'] !== 'success') return
    const inwards = row['direction'] === 'deposit' ? 1n : -1n
    for (const part of String(row['wallets']).split(',')) {
      const [wallet, amount] = part.split(' ')
      post(`worth ${row['uid']} ${wallet} ${row['coin_id']}`, inwards * BigInt(amount))
    }
    post(`external ${row['coin_id']}`, -inwards * (units(row) - units(row, 'fee_e8')))
    if (row['direction'] === 'withdrawal') post(`fees ${row['coin_id']}`, units(row, 'fee_e8'))
  },
  transfers(row, post) {
    post(worth(row, 'from_uid', 'from_wallet'), -units(row))
    post(worth(row, 'to_uid', 'to_wallet'), units(row))
  },
  loans(row, post) {
    post(worth(row), units(row))
    post(debt('principal', row), units(row))
  },
  repayments(row, post) {
    const [principal, interest] = [units(row, 'principal_e8'), units(row, 'interest_e8')]
    post(worth(row), -principal - interest)
    post(debt('principal', row), -principal)
    post(debt('interest', row), -interest)
    post(`interest paid ${row['coin_id']}`, interest)
  },
  interest(row, post) {
    post(debt('interest', row), units(row))
  },
  insurance(row, post) {
    post(worth(row), units(row))
    post(`insurance ${row['coin_id']}`, -units(row))
  },
  rebates(row, post) {
    post(`worth ${row['uid']} spot ${row['coin_id']}`, units(row))
    post(`fees ${row['coin_id']}`, -units(row))
  },
  funding_payments(row, post, instruments) {
    const { settle = -1 } = instruments.get(Number(row['instrument_id']))!
    post(`worth ${row['uid']} ${String(row['wallet'])} ${settle}`, units(row))
    post(`rounding ${settle}`, -units(row))
  },
  conversions(row, post) {
    // Without a price it paid a debt, and what it moved stands in fills and payments of the insurance fund.
    if ((row['price_e12'] ?? '') === '') return
    const place = `worth ${row['uid']} ${String(row['wallet'])}`
    const [from, to] = [row['from_coin_id'], row['to_coin_id']]
    post(`${place} ${from}`, -units(row, 'from_amount_e8'))
    post(`conversion ${from}`, units(row, 'from_amount_e8'))
    post(`${place} ${to}`, units(row, 'to_amount_e8'))
    post(`conversion ${to}`, -units(row, 'to_amount_e8'))
  },
  fills(row, post, instruments) {
    const instrument = instruments.get(Number(row['instrument_id']))!
    const add = (coin: number, moved: bigint) => post(`worth ${row['uid']} ${String(row['wallet'])} ${coin}`, moved)
    add(Number(row['fee_coin_id']), -units(row, 'fee_e8'))
    post(`fees ${row['fee_coin_id']}`, units(row, 'fee_e8'))
    if (instrument.kind === 'spot') {
      const sign = row['book_side'] === 'buy' ? 1n : -1n
      add(instrument.base, sign * baseOf(instrument, row))
      add(instrument.quote, -sign * units(row, 'notional_e8'))
      return
    }
    const { settle = -1 } = instrument
    const entryValue = entryValueOf(instrument, row)
    add(settle, entryValue)
    post(`rounding ${settle}`, -entryValue)
    const opens = row['effect'] === 'open'
    const side = opens === (row['book_side'] === 'buy') ? 'long' : 'short'
    const place = `${row['uid']} ${String(row['wallet'])} ${row['instrument_id']} ${side}`
    post(`position ${place}`, opens ? units(row, 'quantity_lots') : -units(row, 'quantity_lots'))
  },
}

const newest = 'chain_transfers'

export function checkMoney(history: History, reference: Reference, instruments: Instruments, findings: Findings): void {
  // Releases before there were deposits over networks have no table of them.
  if (Object.keys(posted).some((table) => table !== newest && !history.has.has(table))) {
    return findings.skip('balances: this history lacks tables that move money')
  }
  const reached = reference.states.filter(({ sequence }) => sequence <= history.appliedSequence)
  const [base, later] = history.complete ? [undefined, reached] : [reached[0], reached.slice(1)]
  if (later.length === 0) {
    const why = history.complete ? 'there is no snapshot' : 'old rows are gone and there are not two snapshots'
    return findings.skip(`balances against history: ${why}`)
  }
  if (base !== undefined) findings.skip(`balances before the snapshot of ${base.sequence}: old rows are gone`)
  let from = base
  for (const state of later) {
    const moved = movedBetween(history, from?.sequence ?? 0, state.sequence, instruments)
    addFunds(moved, { from, state }, reference, findings)
    compare(from, state, moved, findings)
    from = state
  }
}

function movedBetween(
  { database, has }: History,
  after: number,
  through: number,
  instruments: Instruments,
): Map<string, bigint> {
  const moved = new Map<string, bigint>()
  const post: Post = (key, amount) => moved.set(key, (moved.get(key) ?? 0n) + amount)
  for (const [table, postings] of Object.entries(posted)) {
    if (!has.has(table)) continue
    const sql = `select * from ${table} where sequence > ${after} and sequence <= ${through}`
    for (const row of database.rows(sql)) {
      const instrument = row['instrument_id']
      if (instrument === undefined || instruments.has(Number(instrument))) postings(row, post, instruments)
    }
  }
  return moved
}

/** What the operator paid into the insurance fund stands in commands alone. */
function addFunds(
  moved: Map<string, bigint>,
  { from, state }: { readonly from: VenueState | undefined; readonly state: VenueState },
  { journal, poisoned }: Reference,
  findings: Findings,
): void {
  const after = from?.sequence ?? 0
  if (journal === undefined || journal.firstSequence > after + 1) {
    for (const key of moved.keys()) if (/^(external|insurance) /.test(key)) moved.delete(key)
    for (const key of state.totals.keys()) if (/^(external|insurance) /.test(key)) moved.set(key, notCompared)
    return findings.skip('what was paid into the insurance fund: the journal does not reach back')
  }
  for (const [sequence, { kind, fields }] of journal.money) {
    if (kind !== 'fund-house' || sequence <= after || sequence > state.sequence || poisoned.has(sequence)) continue
    const coin = Number(fields['coin'])
    const amount = fields['amount'] as bigint
    if (amount <= 0n || !state.totals.has(`external ${coin}`)) continue
    moved.set(`external ${coin}`, (moved.get(`external ${coin}`) ?? 0n) - amount)
    moved.set(`insurance ${coin}`, (moved.get(`insurance ${coin}`) ?? 0n) + amount)
  }
}

const notCompared = 2n ** 200n

function compare(
  from: VenueState | undefined,
  state: VenueState,
  moved: ReadonlyMap<string, bigint>,
  findings: Findings,
): void {
  const keys = new Set([...moved.keys(), ...state.totals.keys(), ...(from?.totals.keys() ?? [])])
  for (const key of keys) {
    const rows = moved.get(key) ?? 0n
    if (rows === notCompared) continue
    const found = (state.totals.get(key) ?? 0n) - (from?.totals.get(key) ?? 0n)
    findings.count('balances compared')
    if (found === rows) continue
    const since = from === undefined ? '' : ` more than at ${from.sequence}`
    const what = `${found}${since} at command ${state.sequence}, but the rows of ${historyFile} sum up to ${rows}`
    findings.fault('balances', { file: state.file, row: key }, what)
  }
}
