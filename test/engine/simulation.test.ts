/**
 * The engine under random traders (support/random-traders.ts), from seeds. A failure names its seed and the command
 * that it came to; `SEED=n` in the environment runs that one alone.
 *
 * After commands   no fault in the books
 * At the end       the events sum up to what is there (support/audit.ts); twins as in soundness.ts; nothing is held
 *                  any more once everything is canceled
 * Empty fund       counterparties are deleveraged; what the fund has to pay all the same it owes
 */
import { expect, test } from 'vitest'
import { tries } from '../support/depth.ts'
import { expectAudited } from './support/audit.ts'
import { admitRandomTraders, cancelEverything, RandomTraders, fillFunds, holdsLeft } from './support/random-traders.ts'
import { Exchange } from './support/exchange.ts'
import { expectSound } from './support/soundness.ts'

const onlySeed = process.env['SEED']

function simulate(seed: number, commands: number, verifyEvery: number, fund: 'full' | 'empty' = 'full'): void {
  const exchange = new Exchange()
  admitRandomTraders(exchange)
  if (fund === 'full') fillFunds(exchange)
  const randomTraders = new RandomTraders(exchange, seed)
  try {
    for (let count = 1; count <= commands; count++) {
      exchange.apply(randomTraders.next())
      if (count % verifyEvery === 0) expect(exchange.query({ kind: 'verify' }).faults).toEqual([])
    }
    if (fund === 'empty') fillFunds(exchange)
    cancelEverything(exchange)
    expect(holdsLeft(exchange)).toEqual([])
    expectAudited(exchange)
    expectSound(exchange)
  } catch (error) {
    const { command } = exchange.applied.at(-1) ?? {}
    const text = JSON.stringify(command, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
    throw new Error(`SEED=${seed}, after ${exchange.applied.length} commands, the last ${text}`, { cause: error })
  }
}

function seeds(first: number, count: number): number[] {
  return onlySeed === undefined ? Array.from({ length: count }, (_, index) => first + index) : [Number(onlySeed)]
}

test('books are sound after every command', () => {
  for (const seed of seeds(1, tries(15))) simulate(seed, 300, 1)
}, 240_000)

test('books are sound in many short lives', () => {
  for (const seed of seeds(1000, tries(50))) simulate(seed, 300, 50)
}, 240_000)

test('books are sound when the insurance fund is empty', () => {
  for (const seed of seeds(2000, tries(40))) simulate(seed, 300, 10, 'empty')
}, 240_000)

test('books are sound through one long life', () => {
  for (const seed of seeds(7, 1)) simulate(seed, tries(30_000), 1000)
}, 240_000)
