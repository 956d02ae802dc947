/**
 * Results as data, and as CSV.
 *
 * Texts     decimals as the interface writes them; times Unix milliseconds of the venue
 * Drawdown  the most that equity stood below its highest before, in USDT and as a share of that
 * Maker     the share of what was filled by orders that rested, by value at the index prices of now
 * Queue     of orders that rested: how many were filled, how long that took, and how much stood before them when they came (medians)
 * Source    lab.md §4.14
 */
import { type CatalogIndex, formatAmount } from '../../api/api.ts'
import { divFloor, divHalfUp, formatDecimal } from '../../engine/numbers/numbers.ts'
import type { FillEvent } from '../../engine/protocol/event.ts'
import type { Uid } from '../../engine/vocabulary.ts'
import { priceText, quantityText } from '../things.ts'
import type { LabVenue } from '../venue.ts'
import type { Collected } from './results.ts'

export type Report = ReturnType<typeof reportOf>

export function reportOf(venue: LabVenue, collected: Collected, isDeterministic: boolean) {
  const { runtime, api } = venue.parts
  const catalog = api.catalog()
  const accounts = [...collected.orders.keys()].map((uid) => accountOf(venue, catalog, collected, uid))
  return {
    format: 'tidemark-results/1',
    deterministic: isDeterministic,
    from: collected.from,
    to: runtime.now(),
    sequence: runtime.sequence,
    dropped: collected.dropped,
    accounts,
    equity: collected.samples.flatMap(({ at, equity }) =>
      [...equity].map(([uid, value]) => ({ at, uid: String(uid), equity: formatAmount(value) })),
    ),
    prices: collected.samples.flatMap(({ at, prices }) =>
      [...prices].map(([id, ticks]) => {
        const instrument = catalog.instrument(id)
        return { at, symbol: instrument.symbol, category: instrument.category, price: priceText(instrument, ticks) }
      }),
    ),
    fills: collected.fills.map((fill) => fillOf(catalog, fill)),
    funding: collected.funding.map(({ uid, instrument: id, positionSide, amount, at }) => {
      const instrument = catalog.instrument(id)
      const coin = 'settle' in instrument ? catalog.coin(instrument.settle).name : ''
      return { at, uid: String(uid), symbol: instrument.symbol, side: positionSide, amount: formatAmount(amount), coin }
    }),
  }
}

function fillOf(catalog: CatalogIndex, fill: FillEvent) {
  const instrument = catalog.instrument(fill.instrument)
  return {
    at: fill.at,
    uid: String(fill.uid),
    symbol: instrument.symbol,
    category: fill.category,
    side: fill.bookSide,
    scope: fill.scope,
    price: priceText(instrument, fill.price),
    size: quantityText(instrument, fill.quantity),
    fee: formatAmount(fill.fee),
    feeCoin: catalog.coin(fill.feeCoin).name,
    profit: formatAmount(fill.realizedPnl),
    effect: fill.effect,
    cause: fill.cause,
    orderId: String(fill.orderId),
    clientOid: fill.clientOid,
  }
}

function accountOf(venue: LabVenue, catalog: CatalogIndex, collected: Collected, uid: Uid) {
  const roles = Object.entries(venue.parts.demoKeys()).filter(([, key]) => Number(key.uid) === uid)
  const fills = collected.fills.filter((fill) => fill.uid === uid)
  const begin = collected.beginning.get(uid) ?? 0n
  const line = collected.samples.flatMap(({ equity }) => equity.get(uid) ?? [])
  const end = line.at(-1) ?? begin
  const fees = sums(fills.map(({ fee, feeCoin }) => [catalog.coin(feeCoin).name, fee]))
  const realized = sums(fills.map(({ realizedPnl, feeCoin }) => [catalog.coin(feeCoin).name, realizedPnl]))
  const paid = collected.funding.filter((one) => one.uid === uid)
  const funding = sums(
    paid.map(({ instrument: id, amount }) => {
      const instrument = catalog.instrument(id)
      return ['settle' in instrument ? catalog.coin(instrument.settle).name : '', amount]
    }),
  )
  return {
    uid: String(uid),
    role: roles[0]?.[0] ?? null,
    begin: formatAmount(begin),
    end: formatAmount(end),
    profit: formatAmount(end - begin),
    ...drawdownOf([begin, ...line]),
    orders: collected.orders.get(uid) ?? 0,
    fills: fills.length,
    makerShare: makerShareOf(venue, catalog, fills),
    realized,
    fees,
    funding,
    queue: queueOf(catalog, collected, uid),
  }
}

function drawdownOf(line: readonly bigint[]) {
  let [highest, deepest, share] = [line[0], 0n, 0n]
  for (const value of line) {
    if (value > highest) highest = value
    const below = highest - value
    if (below > deepest) deepest = below
    const part = highest <= 0n ? 0n : divHalfUp(below * 10_000n, highest)
    if (part > share) share = part
  }
  return { drawdown: formatAmount(deepest), drawdownShare: formatDecimal(share, 4) }
}

/** `null`: nothing was filled. */
function makerShareOf(venue: LabVenue, catalog: CatalogIndex, fills: readonly FillEvent[]): string | null {
  const prices = venue.parts.runtime.query({ kind: 'index-prices' })
  let [made, all] = [0n, 0n]
  for (const { instrument: id, notional, scope } of fills) {
    const instrument = catalog.instrument(id)
    const value = notional * prices[instrument.kind === 'inverse' ? instrument.base : instrument.quote]
    all += value
    if (scope === 'maker') made += value
  }
  return all === 0n ? null : formatDecimal(divFloor(made * 10_000n, all), 4)
}

function queueOf(catalog: CatalogIndex, { rested }: Collected, uid: Uid) {
  const own = [...rested.values()].filter((one) => one.uid === uid)
  const filled = own.filter(({ filledAt }) => filledAt !== undefined)
  const symbols = [...new Set(own.map(({ instrument }) => instrument))]
  return {
    rested: own.length,
    filled: filled.length,
    waitedMs: median(filled.map(({ at, filledAt }) => filledAt! - at)) ?? null,
    ahead: Object.fromEntries(
      symbols.map((id) => {
        const instrument = catalog.instrument(id)
        const lots = median(own.filter((one) => one.instrument === id).map(({ ahead }) => ahead))
        return [instrument.symbol, quantityText(instrument, lots ?? 0)]
      }),
    ),
  }
}

/** The lower one of the two in the middle. */
function median(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)]
}

function sums(parts: readonly (readonly [name: string, amount: bigint])[]): Readonly<Record<string, string>> {
  const all = new Map<string, bigint>()
  for (const [name, amount] of parts) all.set(name, (all.get(name) ?? 0n) + amount)
  return Object.fromEntries([...all].map(([name, amount]) => [name, formatAmount(amount)]))
}

export const tables = ['fills', 'equity', 'funding', 'prices', 'accounts'] as const

/** A line of names, then a line for each row. */
export function csvOf(report: Report, table: (typeof tables)[number]): string {
  const rows: readonly Readonly<Record<string, unknown>>[] = report[table]
  const names = columns[table]
  const lines = rows.map((row) => names.map((name) => cell(row[name])).join(','))
  return `${[names.join(','), ...lines].join('\n')}\n`
}

const columns = {
  fills: 'at uid symbol category side scope price size fee feeCoin profit effect cause orderId clientOid'.split(' '),
  equity: ['at', 'uid', 'equity'],
  funding: ['at', 'uid', 'symbol', 'side', 'amount', 'coin'],
  prices: ['at', 'symbol', 'category', 'price'],
  accounts: 'uid role begin end profit drawdown drawdownShare orders fills makerShare'.split(' '),
} as const satisfies Readonly<Record<(typeof tables)[number], readonly string[]>>

function cell(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value === 'number' ? `${value}` : ''
  // A sheet takes what begins with these for a formula; client order ids may.
  const safe = /^[=+@]/.test(text) ? `'${text}` : text
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
