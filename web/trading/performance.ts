/**
 * How an account has done, out of its bills: its equity over a time, its profit by day and by contract, fees, funding, the largest
 * fall. Numbers for the eye, in dollars.
 *
 * Equity    goes back from what there is now, bill by bill; coins are valued at their price of that time
 * Profit    is what the equity has gained beyond what was moved in and out
 * Unknown   what open positions had won or lost at an earlier time: past points leave it out
 * Inside    loans, and margin that goes to a position of its own or comes back, change no equity
 */
import type { Bill } from '../venue/bills.ts'
import { moveOf } from '../venue/bills.ts'
import type { Category } from '../venue/categories.ts'

export interface PerformanceInput {
  /** In any order, those of the time alone. */
  readonly bills: readonly (Bill & { readonly category: Category | 'OTHER' })[]
  /** Of each coin at the end, without what open positions have won. */
  readonly net: ReadonlyMap<string, number>
  /** In dollars. */
  readonly priceAt: (coin: string, at: number) => number
  /** Rising; the last is the end. */
  readonly times: readonly number[]
  /** The day that a time belongs to, in the zone that is shown. */
  readonly dayOf: (at: number) => string
}

export interface EquityPoint {
  readonly at: number
  readonly equity: number
  /** Since the first point. */
  readonly profit: number
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
  /** The largest fall of the profit from its highest before, and as a share of the equity there. */
  readonly drawdown: { readonly amount: number; readonly share: number }
}

export function performanceOf({ bills, net, priceAt, times, dayOf }: PerformanceInput): Performance {
  const points = curveOf({ bills, net, priceAt, times })
  const valued = bills.map((bill) => ({ ...bill, worth: priceAt(bill.coin, bill.at), move: moveOf(bill.type) }))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const first = times[0] ?? 0
  return {
    points,
    days: daysOf(points, dayOf),
    symbols: symbolsOf(valued),
    profit: points.at(-1)?.profit ?? 0,
    moved: sum(
      valued.filter(({ move, at }) => move === 'flow' && at > first).map(({ change, worth }) => Number(change) * worth),
    ),
    fees: sum(valued.map(({ fee, worth }) => Number(fee) * worth)),
    funding: sum(valued.filter(({ move }) => move === 'funding').map(({ change, worth }) => Number(change) * worth)),
    drawdown: drawdownOf(points),
  }
}

function curveOf({ bills, net, priceAt, times }: Omit<PerformanceInput, 'dayOf'>): EquityPoint[] {
  const newestFirst = bills.toSorted((a, b) => b.at - a.at)
  const coins = new Map(net)
  const back: { at: number; equity: number; movedLater: number }[] = []
  let movedLater = 0
  let next = 0
  for (const at of times.toReversed()) {
    for (let bill = newestFirst[next]; bill !== undefined && bill.at > at; bill = newestFirst[++next]) {
      const move = moveOf(bill.type)
      if (move === 'inside') continue
      coins.set(bill.coin, (coins.get(bill.coin) ?? 0) - Number(bill.change))
      if (move === 'flow') movedLater += Number(bill.change) * priceAt(bill.coin, bill.at)
    }
    const equity = [...coins].reduce((total, [coin, amount]) => total + amount * priceAt(coin, at), 0)
    back.push({ at, equity, movedLater })
  }
  const points = back.toReversed()
  const [first] = points
  if (first === undefined) return []
  return points.map(({ at, equity, movedLater: later }) => {
    return { at, equity, profit: equity - first.equity - (first.movedLater - later) }
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

function drawdownOf(points: readonly EquityPoint[]): { amount: number; share: number } {
  let peak = points[0]
  let largest = { amount: 0, share: 0 }
  for (const point of points) {
    if (peak === undefined || point.profit >= peak.profit) peak = point
    const amount = peak.profit - point.profit
    if (amount > largest.amount) largest = { amount, share: peak.equity > 0 ? amount / peak.equity : 0 }
  }
  return largest
}
