/** The share of a turn that those who come last get, with clock and turns moved by hand. */
import { beforeEach, expect, test } from 'vitest'
import { TurnShare } from '../../src/http/turn-share.ts'

let nowMs: number
let turns: (() => void)[]
let share: TurnShare
let done: string[]

beforeEach(() => {
  nowMs = 0
  turns = []
  done = []
  const then: (() => void)[] = []
  let isAtIt = false
  share = new TurnShare({
    clock: () => nowMs,
    afterReading: (over) => void turns.push(over),
    afterThis: (over) => {
      then.push(over)
      if (isAtIt) return
      isAtIt = true
      for (let next = then.shift(); next !== undefined; next = then.shift()) next()
      isAtIt = false
    },
  })
})

/** A piece of work that takes so long. */
function enter(name: string, ms: number): void {
  share.enter(() => {
    done.push(name)
    nowMs += ms
  })
}

function turn(): string[] {
  done = []
  for (const over of turns.splice(0)) over()
  return done
}

test('nothing is begun before all that is ready was read', () => {
  enter('a', 0.1)
  expect(done).toEqual([])
  expect(turn()).toEqual(['a'])
})

test('the oldest first, until a millisecond is spent; the rest in the turns behind', () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name, 0.4)
  expect(turn()).toEqual(['a', 'b', 'c'])
  expect(share.waiting).toBe(2)
  expect(turn()).toEqual(['d', 'e'])
  expect(turns).toEqual([])
})

test('at least one a turn, however long it takes', () => {
  for (const name of ['a', 'b']) enter(name, 50)
  expect(turn()).toEqual(['a'])
  expect(turn()).toEqual(['b'])
})

test('who comes while others wait comes behind them', () => {
  for (const name of ['a', 'b']) enter(name, 2)
  expect(turn()).toEqual(['a'])
  enter('c', 2)
  expect(turn()).toEqual(['b'])
  expect(turn()).toEqual(['c'])
})

test('on the event loop what follows from a piece at once is part of it', async () => {
  const real = new TurnShare()
  const seen: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  real.enter(() => void Promise.resolve().then(() => Promise.resolve().then(() => seen.push('what follows from a'))))
  real.enter(() => {
    seen.push('b')
    resolve()
  })
  await promise
  expect(seen).toEqual(['what follows from a', 'b'])
})
