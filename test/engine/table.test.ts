/** Tables of scenarios can fail: a row whose expectation is wrong throws, and its neighbors do not. */
import { expect, test } from 'vitest'
import { Exchange } from './support/exchange.ts'
import { traders } from './support/people.ts'
import { casesOf } from './support/table.ts'

interface Order {
  readonly resting: string
  readonly incoming: string
  readonly outcome: string
}

const rows = `
  resting                           | incoming         | outcome   | right
  alice: sell 2 @ 100; sell 3 @ 101 | bob: buy 5 @ 101 | filled 5  | yes
  alice: sell 2 @ 100               | bob: buy 2 @ 100 | filled 3  | no
  -                                 | bob: buy 2 @ 100 | rests 2   | yes
  -                                 | bob: buy 2 @ 100 | -         | no
  alice: sell 2 @ 100;              | bob: buy 5 @ 101 | filled 5  | no
  sell 2 @ 101                      |                  |           |
`

test('of a text table', () => {
  const found = casesOf(rows, (exchange: Exchange, { resting, incoming, outcome }: Order) => {
    traders(exchange, 'alice', 'bob').given(resting)
    expect(exchange.place(incoming)).toBe(outcome)
  }).map(({ name, check }) => `${name.split(' | ').at(-1)}: ${fails(check)}`)
  expect(found).toEqual(['yes: false', 'no: true', 'yes: false', 'no: true', 'no: true'])
})

test('of a table of arrays', () => {
  const sums = [
    [1, 2, 3],
    [1, 2, 4],
  ]
  const found = casesOf(sums, (_exchange: Exchange, first: number, other: number, sum: number) => {
    expect(first + other).toBe(sum)
  })
  expect(found.map(({ name, check }) => `${name}: ${fails(check)}`)).toEqual(['1 | 2 | 3: false', '1 | 2 | 4: true'])
})

function fails(check: (exchange: Exchange) => void): boolean {
  try {
    check(new Exchange())
    return false
  } catch {
    return true
  }
}
