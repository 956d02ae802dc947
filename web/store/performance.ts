/**
 * Reads what tells how the account in session has done: its equity as the venue sampled it, bills and closed positions, and the
 * prices of the coins of those bills.
 *
 * Bounds  as many pages of each list; what lies before them is not in the figures, and the page says from when on they are
 * Prices  of the spot pair with USDT; dollars count as one. A coin without such a pair counts as nothing and is named
 */
import { units } from '../numbers/decimal.ts'
import { type Performance, performanceOf } from '../trading/performance.ts'
import type { Account, Page } from '../venue/account.ts'
import type { Bill, BillCategory } from '../venue/bills.ts'
import { futuresLines } from '../venue/categories.ts'
import type { Interval } from '../venue/intervals.ts'
import { type Candle, loadRecentCandles } from '../venue/market-records.ts'
import { venueNow } from '../venue/rest.ts'
import { instrumentNamed } from './market.ts'
import { date } from './times.ts'
import type { Messages } from '../words/words.ts'

export type Period = keyof Messages['performance']['periods']

const dayMs = 86_400_000
const spans: Readonly<Record<Period, number>> = {
  '1d': dayMs,
  '7d': 7 * dayMs,
  '30d': 30 * dayMs,
  '90d': 90 * dayMs,
  all: Number.POSITIVE_INFINITY,
}
/** 2,000 rows of each list. */
const pagesMax = 40

export interface Reading extends Performance {
  readonly from: number
  readonly to: number
  /** Since when bills are counted; undefined: all since `from` are. */
  readonly billsFrom: number | undefined
  readonly unpriced: readonly string[]
  readonly closed: number
  readonly won: number
  /** What open positions have won now. */
  readonly open: number
}

export async function readPerformance(account: Account, period: Period): Promise<Reading> {
  const to = venueNow()
  const wanted = to - spans[period]
  const [samples, lists, closed, positions] = await Promise.all([
    account.equity(Number.isFinite(wanted) ? wanted : undefined),
    Promise.all(account.billCategories.map((category) => billsOf(account, category, wanted))),
    closedSince(account, wanted),
    account.positions(),
  ])
  const cutAt = Math.max(...lists.map(({ from }) => from))
  const bills = lists.flatMap((list) => list.bills).filter(({ at }) => at >= Math.max(wanted, cutAt) && at <= to)
  const first = samples[0]?.at ?? to
  const interval = intervalOf(to - Math.min(first, ...bills.map(({ at }) => at)))
  const coins = [...new Set([...bills, ...positions.map(({ marginCoin: coin }) => ({ coin }))].map(({ coin }) => coin))]
  const prices = new Map(await Promise.all(coins.map(async (coin) => [coin, await pricesOf(coin, interval)] as const)))
  const priceAt = (coin: string, at: number) => priceIn(prices.get(coin), at)
  const open = positions.reduce(
    (sum, { marginCoin, unrealizedPnl }) => sum + Number(unrealizedPnl) * priceAt(marginCoin, to),
    0,
  )
  return {
    ...performanceOf({ samples, bills, priceAt, dayOf: date }),
    from: first,
    to,
    billsFrom: cutAt > wanted ? cutAt : undefined,
    unpriced: coins.filter((coin) => prices.get(coin)?.length === 0),
    closed: closed.length,
    won: closed.filter(({ net: outcome }) => units(outcome) > 0n).length,
    open,
  }
}

/** `from`: they are all there since then. */
async function billsOf(account: Account, category: BillCategory, since: number) {
  const { rows, from } = await pagesSince(since, (cursor) => account.bills(category, cursor))
  return { bills: rows.map((bill): Bill & { category: BillCategory } => ({ ...bill, category })), from }
}

async function closedSince(account: Account, since: number) {
  const lists = await Promise.all(
    futuresLines.map((line) =>
      pagesSince(since, async (cursor) => {
        const { rows, next } = await account.closedPositions(line, cursor)
        return { rows: rows.map((row) => ({ ...row, at: row.closedAt })), next }
      }),
    ),
  )
  return lists.flatMap(({ rows }) => rows).filter(({ at }) => at >= since)
}

async function pagesSince<T extends { readonly at: number }>(
  since: number,
  read: (cursor: string | undefined) => Promise<Page<T>>,
) {
  const rows: T[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await read(cursor)
    rows.push(...page.rows)
    const oldest = rows.at(-1)?.at ?? 0
    if (page.next === undefined || oldest < since) return { rows, from: 0 }
    cursor = page.next
  }
  return { rows, from: rows.at(-1)?.at ?? 0 }
}

/** Candles of this interval cover the time with at most 1,000 of them. */
function intervalOf(span: number): Interval {
  if (span <= 1.05 * dayMs) return '5m'
  if (span <= 7.05 * dayMs) return '1H'
  return span <= 30.05 * dayMs ? '4H' : '1D'
}

const dollars = ['USDT', 'USDC', 'USD']

/** Undefined: one dollar. */
async function pricesOf(coin: string, interval: Interval): Promise<readonly Candle[] | undefined> {
  if (dollars.includes(coin)) return undefined
  const pair = instrumentNamed('SPOT', `${coin}USDT`)
  return pair === undefined ? [] : loadRecentCandles(pair, interval)
}

/** At the beginning of the candle that a time is in; the newest candle counts with its end. */
function priceIn(candles: readonly Candle[] | undefined, at: number): number {
  if (candles === undefined) return 1
  const index = candles.findLastIndex(({ time }) => time * 1000 <= at)
  if (index === -1) return candles[0]?.open ?? 0
  return (index === candles.length - 1 ? candles[index]?.close : candles[index]?.open) ?? 0
}
