/**
 * Fills, trades, orders and positions against one another.
 *
 * Match      of a public trade: its fills as maker and as taker each sum up to it, at its price, on opposite sides; without
 *            a trade only what the venue itself closed. What a match moves sums to zero, but for the units that rounding
 *            keeps
 * Order      an ended order is the sum of its fills
 * Positions  are the sums of their fills: per contract they sum to zero after every command, none falls below zero, and
 *            each that ends has its row with what it earned
 * Funding    per settlement the payments sum to zero, but for a unit each that rounding keeps
 */
import type { Database, Row } from './database.ts'
import type { Findings } from './findings.ts'
import { type History, historyFile } from './rows.ts'
import { entryValueOf, notionalOf } from './scale.ts'
import type { Instrument } from './state.ts'

/** What the venue does by itself, without a public trade. */
const forcedCauses = new Set(['liquidation', 'offset', 'adl', 'delivery', 'move'])

type Instruments = ReadonlyMap<number, Instrument>

export function checkTrades(history: History, instruments: Instruments, findings: Findings): void {
  if (!history.has.has('fills') || !history.has.has('trades')) return
  checkMatches(history, instruments, findings)
  checkOrders(history, findings)
  checkPositions(history, instruments, findings)
  checkFunding(history, instruments, findings)
  checkRebates(history, findings)
}

function checkMatches({ database, complete }: History, instruments: Instruments, findings: Findings): void {
  const trades = database.rows('select * from trades order by match_id')
  let trade = trades.next()
  const checkMatch = (match: bigint, fills: readonly Row[]) => {
    while (trade.done !== true && (trade.value['match_id'] as bigint) < match) {
      lonely(trade.value)
      trade = trades.next()
    }
    const own = trade.done !== true && trade.value['match_id'] === match ? trade.value : undefined
    if (own !== undefined) trade = trades.next()
    for (const fault of faultsOfMatch(own, fills, instruments)) {
      findings.fault('matches', { file: historyFile, row: fault.row ?? `trades ${match}` }, fault.what)
    }
    findings.count('matches')
  }
  const lonely = (row: Row) => {
    // Fills go before their trade when old rows are removed.
    if (!complete) return
    findings.fault('matches', { file: historyFile, row: `trades ${row['match_id']}` }, 'the trade has no fills')
  }
  let fills: Row[] = []
  for (const fill of database.rows('select * from fills order by match_id, exec_id')) {
    if (fills.length > 0 && fills[0]['match_id'] !== fill['match_id']) {
      checkMatch(fills[0]['match_id'] as bigint, fills)
      fills = []
    }
    fills.push(fill)
  }
  if (fills.length > 0) checkMatch(fills[0]['match_id'] as bigint, fills)
  for (; trade.done !== true; trade = trades.next()) lonely(trade.value)
}

function* faultsOfMatch(
  trade: Row | undefined,
  fills: readonly Row[],
  instruments: Instruments,
): Generator<{ readonly row?: string; readonly what: string }> {
  const [first] = fills
  for (const fill of fills) {
    const row = `fills ${fill['exec_id']}`
    for (const name of ['price_ticks', 'instrument_id', 'sequence', 'at_ms'] as const) {
      if (fill[name] !== first[name]) yield { row, what: `${name} differs from that of the match's first fill` }
      if (trade !== undefined && fill[name] !== trade[name])
        yield { row, what: `${name} differs from that of its trade` }
    }
    if ((fill['quantity_lots'] as bigint) <= 0n) yield { row, what: 'it has no quantity' }
    const instrument = instruments.get(Number(fill['instrument_id']))
    if (instrument === undefined) continue
    const notional = notionalOf(instrument, fill)
    if (fill['notional_e8'] !== notional) yield { row, what: `its notional is ${fill['notional_e8']}, not ${notional}` }
    const spot = instrument.kind === 'spot'
    if (spot !== (fill['effect'] === 'spot')) yield { row, what: `its effect is ${String(fill['effect'])}` }
    const feeCoin = spot ? (fill['book_side'] === 'buy' ? instrument.base : instrument.quote) : instrument.settle
    if (Number(fill['fee_coin_id']) !== feeCoin) yield { row, what: `its fee is in coin ${fill['fee_coin_id']}` }
  }
  const sum = (scope: string) =>
    fills.filter((fill) => fill['scope'] === scope).reduce((lots, fill) => lots + (fill['quantity_lots'] as bigint), 0n)
  if (trade === undefined) {
    if (!fills.every((fill) => forcedCauses.has(String(fill['cause']))))
      yield { what: 'its fills have no public trade' }
    const single = fills.length === 1 && first['cause'] === 'delivery'
    if (!single && sum('maker') !== sum('taker')) yield { what: `maker ${sum('maker')} and taker ${sum('taker')} lots` }
  } else {
    for (const scope of ['maker', 'taker']) {
      if (sum(scope) !== trade['quantity_lots']) {
        yield { what: `its fills as ${scope} are ${sum(scope)} lots, the trade ${trade['quantity_lots']}` }
      }
    }
  }
  yield* faultsOfSides(trade, fills)
  const instrument = instruments.get(Number(first['instrument_id']))
  if (instrument === undefined || instrument.kind === 'spot' || first['cause'] === 'delivery') return
  const kept = -fills.reduce((total, fill) => total + entryValueOf(instrument, fill), 0n)
  if (kept < 0n || kept > BigInt(fills.length)) yield { what: `what its fills move is off by ${-kept}` }
}

function* faultsOfSides(trade: Row | undefined, fills: readonly Row[]): Generator<{ row: string; what: string }> {
  const taker = trade?.['side'] ?? fills.find((fill) => fill['scope'] === 'taker')?.['book_side']
  for (const fill of fills) {
    const matches = (fill['book_side'] === taker) === (fill['scope'] === 'taker')
    if (!matches) yield { row: `fills ${fill['exec_id']}`, what: `${String(fill['scope'])} on the wrong side` }
    if (fill['scope'] !== 'taker' && fill['scope'] !== 'maker') {
      yield { row: `fills ${fill['exec_id']}`, what: `it is neither of a maker nor of a taker` }
    }
  }
}

interface OrderSums {
  lots: bigint
  notional: bigint
  fee: bigint
  profit: bigint
}

function checkOrders({ database, complete }: History, findings: Findings): void {
  const fills = database.rows('select * from fills order by order_id, exec_id')
  let fill = fills.next()
  for (const order of database.rows('select * from orders order by order_id')) {
    const id = order['order_id'] as bigint
    const sums: OrderSums = { lots: 0n, notional: 0n, fee: 0n, profit: 0n }
    while (fill.done !== true && (fill.value['order_id'] as bigint) < id) fill = fills.next()
    const fault = (what: string, row = `orders ${id}`) => findings.fault('orders', { file: historyFile, row }, what)
    for (; fill.done !== true && fill.value['order_id'] === id; fill = fills.next()) {
      sums.lots += fill.value['quantity_lots'] as bigint
      sums.notional += fill.value['notional_e8'] as bigint
      sums.fee += fill.value['fee_e8'] as bigint
      sums.profit += fill.value['realized_pnl_e8'] as bigint
      for (const name of shared) {
        if (fill.value[name] === order[name]) continue
        fault(
          `${name} is ${String(fill.value[name])}, of its order ${String(order[name])}`,
          `fills ${fill.value['exec_id']}`,
        )
      }
      if (fill.value['sequence']! > order['sequence']!) fault('a fill came after it ended')
    }
    if (!complete) continue
    const expected: Record<string, bigint> = {
      filled_lots: sums.lots,
      filled_notional_e8: sums.notional,
      fee_e8: sums.fee,
      realized_pnl_e8: sums.profit,
    }
    for (const [name, wanted] of Object.entries(expected)) {
      if (order[name] !== wanted) fault(`${name} is ${String(order[name])}, its fills sum up to ${wanted}`)
    }
    const whole = order['quote_amount_e8'] === 0n && order['status'] === 'filled'
    if (whole && order['quantity_lots'] !== sums.lots) fault('it is filled, and not whole')
    const closes = order['reduce_only'] === 1n || order['intent'] === 'close'
    if (order['cut_lots'] !== 0n && !closes) fault('it was cut, and does not close')
    findings.count('ended orders')
  }
}

/** What a fill has of its order. */
const shared = [
  'uid',
  'wallet',
  'category',
  'instrument_id',
  'side',
  'book_side',
  'order_type',
  'client_oid',
  'cause',
  'hold_mode',
  'fee_coin_id',
] as const

/** One position from its opening to its end. */
interface Life {
  lots: bigint
  opened: bigint
  /** While it is open; what is left of it at the end is the profit. */
  entryValue: bigint
  openedNotional: bigint
  closedNotional: bigint
  openFees: bigint
  closeFees: bigint
  readonly openedAt: bigint
  /** The commands that opened and ended it. */
  readonly openedBy: bigint
  endedBy: bigint
}

function checkPositions({ database, has, complete }: History, instruments: Instruments, findings: Findings): void {
  if (!complete) return findings.skip('positions since before the first row that is there')
  const lives = new Map<string, Life>()
  const ended = new Map<string, Life[]>()
  const net = new Map<string, bigint>()
  let sequence = -1n
  const checkNet = () => {
    for (const [instrument, lots] of net) {
      if (lots === 0n) continue
      const what = `contract ${instrument}: after command ${sequence} longs and shorts differ by ${lots} lots`
      findings.fault('positions', { file: historyFile, row: `fills of command ${sequence}` }, what)
      net.delete(instrument)
    }
  }
  for (const fill of database.rows(`select * from fills where effect <> 'spot' order by exec_id`)) {
    if (fill['sequence'] !== sequence) {
      checkNet()
      sequence = fill['sequence'] as bigint
    }
    const instrument = instruments.get(Number(fill['instrument_id']))
    const opens = fill['effect'] === 'open'
    const side = opens === (fill['book_side'] === 'buy') ? 'long' : 'short'
    const key = `${fill['uid']} ${String(fill['wallet'])} ${fill['instrument_id']} ${side}`
    const lots = fill['quantity_lots'] as bigint
    const moved = opens === (side === 'long') ? lots : -lots
    const contract = String(fill['instrument_id'])
    net.set(contract, (net.get(contract) ?? 0n) + moved)
    const life = lives.get(key) ?? newLife(fill['at_ms'] as bigint, fill['sequence'] as bigint)
    lives.set(key, life)
    life.lots += opens ? lots : -lots
    if (opens) life.opened += lots
    life.entryValue += instrument === undefined ? 0n : entryValueOf(instrument, fill)
    if (opens) life.openedNotional += fill['notional_e8'] as bigint
    else life.closedNotional += fill['notional_e8'] as bigint
    if (opens) life.openFees += fill['fee_e8'] as bigint
    else life.closeFees += fill['fee_e8'] as bigint
    const row = `fills ${fill['exec_id']}`
    if (life.lots < 0n) findings.fault('positions', { file: historyFile, row }, 'it closes more than was open')
    if (life.lots > 0n) continue
    lives.delete(key)
    life.endedBy = fill['sequence'] as bigint
    const end = `${fill['sequence']} ${key}`
    ended.set(end, [...(ended.get(end) ?? []), life])
  }
  checkNet()
  if (!has.has('positions')) return
  const funding = fundingOf(database)
  for (const row of database.rows('select * from positions order by closing_id')) {
    const key = `${row['sequence']} ${row['uid']} ${String(row['wallet'])} ${row['instrument_id']} ${String(row['side'])}`
    const life = ended.get(key)?.shift()
    const fault = (what: string) =>
      findings.fault('positions', { file: historyFile, row: `positions ${row['closing_id']}` }, what)
    if (life === undefined) {
      fault('no position ended so')
      continue
    }
    const expected: Record<string, bigint> = {
      opened_quantity_lots: life.opened,
      opened_notional_e8: life.openedNotional,
      closed_notional_e8: life.closedNotional,
      open_fees_e8: life.openFees,
      close_fees_e8: life.closeFees,
      opened_at_ms: life.openedAt,
      ...(instruments.has(Number(row['instrument_id'])) ? { realized_pnl_e8: life.entryValue } : {}),
    }
    const sums = fundingIn(funding.get(key.slice(key.indexOf(' ') + 1)) ?? [], life)
    if (!sums.includes(row['funding_e8'] as bigint)) {
      fault(`funding_e8 is ${String(row['funding_e8'])}, its payments sum up to ${sums.join(' or ')}`)
    }
    for (const [name, wanted] of Object.entries(expected)) {
      if (row[name] !== wanted) fault(`${name} is ${String(row[name])}, its fills sum up to ${wanted}`)
    }
    findings.count('ended positions')
  }
  for (const [key, rest] of ended) {
    if (rest.length === 0) continue
    const [by] = key.split(' ')
    findings.fault('positions', { file: historyFile, row: `fills of command ${by}` }, `the position ${key} has no row`)
  }
}

type Payments = readonly { readonly sequence: bigint; readonly units: bigint }[]

/** Payments by position, in order. */
function fundingOf(database: Database): ReadonlyMap<string, Payments> {
  const found = new Map<string, { sequence: bigint; units: bigint }[]>()
  for (const row of database.rows('select * from funding_payments order by payment_id')) {
    const key = `${row['uid']} ${String(row['wallet'])} ${row['instrument_id']} ${String(row['position_side'])}`
    const payment = { sequence: row['sequence'] as bigint, units: row['amount_e8'] as bigint }
    found.set(key, [...(found.get(key) ?? []), payment])
  }
  return found
}

/**
 * What a position may have paid: all between the commands that opened and ended it. A command that runs several timers may
 * settle before or after the one among them that opens or ends it; rows do not tell which.
 */
function fundingIn(payments: Payments, { openedBy, endedBy }: Life): bigint[] {
  const sumOf = (belongs: (sequence: bigint) => boolean) =>
    payments.filter(({ sequence }) => belongs(sequence)).reduce((sum, { units }) => sum + units, 0n)
  const between = sumOf((sequence) => sequence > openedBy && sequence < endedBy)
  const opening = sumOf((sequence) => sequence === openedBy)
  const ending = openedBy === endedBy ? 0n : sumOf((sequence) => sequence === endedBy)
  return [...new Set([between + ending, between, between + opening, between + opening + ending])]
}

function newLife(openedAt: bigint, openedBy: bigint): Life {
  return {
    lots: 0n,
    opened: 0n,
    entryValue: 0n,
    openedNotional: 0n,
    closedNotional: 0n,
    openFees: 0n,
    closeFees: 0n,
    openedAt,
    openedBy,
    endedBy: openedBy,
  }
}

function checkFunding({ database, has }: History, instruments: Instruments, findings: Findings): void {
  if (!has.has('funding_payments') || !has.has('funding_rates')) return
  const rates = new Map<string, { readonly rate: bigint; readonly mark: bigint; readonly id: bigint }>()
  for (const row of database.rows('select * from funding_rates')) {
    const key = `${row['sequence']} ${row['instrument_id']} ${row['at_ms']}`
    const id = row['funding_rate_id'] as bigint
    if (rates.has(key)) {
      findings.fault(
        'funding',
        { file: historyFile, row: `funding_rates ${id}` },
        'the contract was settled twice at once',
      )
    }
    rates.set(key, { rate: row['funding_rate_e12'] as bigint, mark: row['mark_price_ticks'] as bigint, id })
  }
  const sums = new Map<string, { paid: bigint; payments: bigint; first: bigint }>()
  for (const row of database.rows('select * from funding_payments order by payment_id')) {
    const key = `${row['sequence']} ${row['instrument_id']} ${row['at_ms']}`
    const place = { file: historyFile, row: `funding_payments ${row['payment_id']}` }
    const sum = sums.get(key) ?? { paid: 0n, payments: 0n, first: row['payment_id'] as bigint }
    sum.paid += row['amount_e8'] as bigint
    sum.payments += 1n
    sums.set(key, sum)
    const settled = rates.get(key)
    if (settled === undefined) findings.fault('funding', place, 'there is no settlement that it is of')
    else if (instruments.has(Number(row['instrument_id']))) {
      const pays = row['position_side'] === 'long' ? settled.rate > 0n : settled.rate < 0n
      const units = row['amount_e8'] as bigint
      if (pays ? units > 0n : units < 0n) findings.fault('funding', place, 'it goes the wrong way')
    }
  }
  for (const [key, { paid, payments, first }] of sums) {
    findings.count('funding settlements')
    if (paid <= 0n && -paid < payments) continue
    const what = `the ${payments} payments of the settlement (command, contract, time: ${key}) sum up to ${paid}`
    findings.fault('funding', { file: historyFile, row: `funding_payments ${first}` }, what)
  }
}

/** A broker gets at most what its order paid. */
function checkRebates({ database, has }: History, findings: Findings): void {
  if (!has.has('rebates')) return
  const paid = `select order_id, fee_coin_id, sum(max(fee_e8, 0)) fee from fills group by order_id, fee_coin_id`
  const given = `select order_id, coin_id, sum(amount_e8) rebate, min(rebate_id) id, min(amount_e8) least from rebates
                 group by order_id, coin_id`
  const rows = database.rows(`select given.*, paid.fee from (${given}) given left join (${paid}) paid
                              on paid.order_id = given.order_id and paid.fee_coin_id = given.coin_id`)
  for (const { id, rebate, fee, least } of rows) {
    if (fee !== null && (rebate as bigint) <= (fee as bigint) && (least as bigint) > 0n) continue
    const what = `the rebates of its order are ${rebate}, the fees ${fee ?? 0}`
    findings.fault('rebates', { file: historyFile, row: `rebates ${id}` }, what)
  }
}
