/**
 * L: the limits that the bot's owner has set are never passed, whatever happens.
 */
import { accountStates } from '../account.ts'
import type { Evidence } from '../evidence.ts'
import { figure, tiny } from './alike.ts'

export interface Limits {
  /** Of each symbol, either way, in base coin; undefined: none. */
  readonly maxPosition: number | undefined
  readonly maxOpenOrders: number | undefined
}

export function limitFindings(run: Evidence, { maxPosition, maxOpenOrders }: Limits): readonly string[] {
  const states = accountStates(run)
  const found: string[] = []
  const symbols = [...new Set(states.flatMap(({ positions }) => Object.keys(positions)))]
  for (const symbol of symbols) {
    const largest = Math.max(...states.map(({ positions }) => Math.abs(positions[symbol] ?? 0)))
    if (maxPosition !== undefined && largest > maxPosition + tiny) {
      found.push(`${symbol}: a position of ${figure(largest)}; maxPosition is ${figure(maxPosition)}`)
    }
  }
  const most = Math.max(...states.map(({ orders }) => orders.length))
  if (maxOpenOrders !== undefined && most > maxOpenOrders) {
    found.push(`${most} orders were open at a time; maxOpenOrders is ${maxOpenOrders}`)
  }
  return found
}
