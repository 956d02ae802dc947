/**
 * How an account has done: its equity over a time, its profit by day and by contract, fees, funding, the largest fall. Numbers for
 * the eye, in dollars.
 *
 * Equity    is what the venue has sampled, open positions with it
 * Profit    is what the equity has gained beyond what was moved in and out
 * Fall      is what the profit lies below its highest until then; its share is of the equity there, with what was moved in since
 * Bills     tell fees, funding and what a contract made; coins are valued at their price of that time
 * Inside    loans, and margin that goes to a position of its own or comes back, change no equity
 */
import type { Bill } from '../venue/bills.ts'
import { moveOf } from '../venue/bills.ts'
import type { Category } from '../venue/categories.ts'
import type { EquitySample } from '../venue/equity.ts'

export interface PerformanceInput {
  /** Oldest first. What was moved until the first is not looked at. */
  readonly samples: readonly EquitySample[]
  /** In any order, those of the time alone. */
  readonly bills: readonly (Bill & { readonly category: Category | 'OTHER' })[]
  /** In dollars. */
  readonly priceAt: (coin: string, at: number) => number
  /** The day that a time belongs to, in the zone that is shown. */
  readonly dayOf: (at: number) => string
}

export interface EquityPoint {
  readonly at: number
  readonly equity: number
  /** Since the first point. */
  readonly profit: number
  readonly fall: Fall
}

export interface Fall {
  readonly amount: number
  /** 0 where there was nothing to lose. */
  readonly share: number
}

export interface SymbolProfit {
  readonly category: Category
  readonly symbol: string
  /** Realized, before fees and funding. */
  readonly realized: number
  /** Negative: paid. */
  readonly fees: number
  readonly funding: number
  readonly net: number
}

export interface Performance {
  readonly points: readonly EquityPoint[]
  readonly days: readonly { readonly day: string; readonly profit: number }[]
  /** Of contracts, the largest profit first. */
  readonly symbols: readonly SymbolProfit[]
  readonly profit: number
  /** Moved in, less what was moved out. */
  readonly moved: number
  readonly fees: number
  readonly funding: number
  readonly largestFall: Fall
}

export function performanceOf({ samples, bills, priceAt, dayOf }: PerformanceInput): Performance {
  const points = curveOf(samples)
  const valued = bills.map((bill) => ({ ...bill, worth: priceAt(bill.coin, bill.at), move: moveOf(bill.type) }))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return {
    points,
    days: daysOf(points, dayOf),
    symbols: symbolsOf(valued),
    profit: points.at(-1)?.profit ?? 0,
    moved: sum(samples.slice(1).map(({ moved }) => moved)),
    fees: sum(valued.map(({ fee, worth }) => Number(fee) * worth)),
    funding: sum(valued.filter(({ move }) => move === 'funding').map(({ change, worth }) => Number(change) * worth)),
    largestFall: points.reduce((largest, { fall }) => (fall.amount > largest.amount ? fall : largest), noFall),
  }
}

const noFall: Fall = { amount: 0, share: 0 }

function curveOf(samples: readonly EquitySample[]): EquityPoint[] {
  let before = samples[0]
  let profit = 0
  let highest = { equity: before?.equity ?? 0, profit }
  return samples.map((sample, place) => {
    const { at, equity } = sample
    if (place > 0 && before !== undefined) profit += equity - before.equity - sample.moved
    before = sample
    if (profit >= highest.profit) highest = { equity, profit }
    const amount = highest.profit - profit
    // Equity and fall together: the highest with all that was moved since.
    const of = Math.max(highest.equity, equity + amount)
    return { at, equity, profit, fall: { amount, share: of > 0 ? amount / of : 0 } }
  })
}

/** What each day added to the profit. */
function daysOf(points: readonly EquityPoint[], dayOf: (at: number) => string): { day: string; profit: number }[] {
  const lastOfDay = new Map<string, number>()
  for (const { at, profit } of points) lastOfDay.set(dayOf(at), profit)
  let before = 0
  return [...lastOfDay].map(([day, profit]) => {
    const gained = profit - before
    before = profit
    return { day, profit: gained }
  })
}

interface ValuedBill extends Bill {
  readonly category: Category | 'OTHER'
  readonly worth: number
  readonly move: ReturnType<typeof moveOf>
}

function symbolsOf(bills: readonly ValuedBill[]): SymbolProfit[] {
  const found = new Map<string, SymbolProfit>()
  for (const { category, symbol, change, fee, worth, move } of bills) {
    if (symbol === '' || move === 'inside' || move === 'flow' || !isContract(category)) continue
    const key = `${category}/${symbol}`
    const before = found.get(key) ?? { category, symbol, realized: 0, fees: 0, funding: 0, net: 0 }
    const all = Number(change) * worth
    const paid = Number(fee) * worth
    const funding = move === 'funding' ? all : 0
    found.set(key, {
      category,
      symbol,
      realized: before.realized + all - paid - funding,
      fees: before.fees + paid,
      funding: before.funding + funding,
      net: before.net + all,
    })
  }
  return [...found.values()].sort((a, b) => b.net - a.net)
}

function isContract(category: Category | 'OTHER'): category is Category {
  return category.endsWith('FUTURES')
}
