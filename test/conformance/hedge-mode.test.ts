/**
 * Closing in hedge mode, told by E3 and by E2: what resting closes leave free decides.
 *
 * Source  interface.md E3 rules 3 and 4, E2 rule 4; design §4.10, §4.11; risk-engine.md §18 rule 5
 */
import { expect } from 'vitest'
import { withWords } from '../support/order-language.ts'
import type { Person } from '../support/person.ts'
import {
  btcPerpetual,
  openOrders,
  outcome,
  place,
  placeBatch,
  position,
  positions,
  setHoldMode,
  taken,
  takenInBatch,
} from '../support/trading.ts'
import { listed } from '../support/text-table.ts'
import { entryRefused, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const unified = { funds: { uta: { USDT: '1000000' } } } as const
const decision =
  'free = position less what resting closes occupy. Free > 0: resting closes stay, a market close is cut to the free ' +
  'part, a limit close beyond it is refused. Free = 0: resting closes go oldest first until the new one fits'

const cases = `
  case                                                           | resting       | book          | close          | expected       | open          | after
  // position 0.1 long; closes are told as 0.07 @ 61000 or 0.05 at market
  100, 70 and 50 closes 30                                       | 0.07 @ 61000  | buy 1 @ 60000 | 0.05           | filled 0.03    | 0.07 @ 61000  | long 0.07
  a market close that fits                                       | 0.07 @ 61000  | buy 1 @ 60000 | 0.03           | filled 0.03    | 0.07 @ 61000  | long 0.07
  a market close of everything, nothing resting                  | -             | buy 1 @ 60000 | 0.1            | filled 0.1     | -             | flat
  a market close of more than everything is cut                  | -             | buy 1 @ 60000 | 0.5            | filled 0.1     | -             | flat
  a market close of more than any position is cut                | -             | buy 1 @ 60000 | 10000000       | filled 0.1     | -             | flat
  a limit close that fits beside a resting one                   | 0.07 @ 61000  | buy 1 @ 59000 | 0.03 @ 61100   | live 0 of 0.03 | 0.07 @ 61000; | long 0.1
                                                                 |               |               |                |                | 0.03 @ 61100  |
  a limit close beyond the free part                             | 0.07 @ 61000  | buy 1 @ 59000 | 0.0301 @ 61100 | refused        | 0.07 @ 61000  | long 0.1
  a limit close beyond the position                              | -             | buy 1 @ 59000 | 0.1001 @ 61100 | refused        | -             | long 0.1
  all is occupied: the limit close drives out the resting one    | 0.1 @ 61000   | buy 1 @ 59000 | 0.04 @ 61100   | live 0 of 0.04 | 0.04 @ 61100  | long 0.1
  all is occupied by two: only the oldest goes if that is enough | 0.04 @ 61000; | buy 1 @ 59000 | 0.04 @ 61200   | live 0 of 0.04 | 0.06 @ 61100; | long 0.1
                                                                 | 0.06 @ 61100  |               |                |                | 0.04 @ 61200  |
  all is occupied by two: both go if they must                   | 0.04 @ 61000; | buy 1 @ 59000 | 0.05 @ 61200   | live 0 of 0.05 | 0.05 @ 61200  | long 0.1
                                                                 | 0.06 @ 61100  |               |                |                |               |
  all is occupied: a market close drives out and fills           | 0.1 @ 61000   | buy 1 @ 60000 | 0.04           | filled 0.04    | -             | long 0.06
`

async function holdingLong(alice: Person, bob: Person): Promise<void> {
  await setHoldMode(alice, 'hedge_mode')
  await taken(bob, 'sell 0.1 @ 60000')
  await taken(alice, 'buy 0.1 open @ 60000')
}

/** What is open of the closes, in words without their side, which differs by version. */
async function closesOf(person: Person): Promise<string[]> {
  return (await openOrders(person)).map((order) => order.replace(/^(buy|sell) /, ''))
}

table({ rule: 'design §4.10 by E3', decision }, cases, async ({ resting, book, close, expected, open, after }) => {
  const bob = await at.person('Bob', unified)
  const alice = await at.person('Alice', unified)
  await holdingLong(alice, bob)
  for (const order of listed(resting)) await taken(alice, withWords(`buy ${order}`, { tradeSide: 'close' }))
  await taken(bob, book)
  const answer = await place(alice, withWords(`buy ${close}`, { tradeSide: 'close', clientOid: 'incoming' }))
  if (expected === 'refused') refuses(answer, 'no free position')
  else {
    succeeds(answer)
    expect(await outcome(alice, { clientOid: 'incoming' })).toBe(expected)
  }
  expect(await closesOf(alice)).toEqual(listed(open))
  expect(await position(alice)).toBe(after)
})

table({ rule: 'design §4.10 by E2', decision }, cases, async ({ resting, book, close, expected, open, after }) => {
  const bob = await at.person('Bob', unified)
  const alice = await at.person('Alice', unified)
  await holdingLong(alice, bob)
  for (const rest of listed(resting))
    await takenInBatch(alice, withWords(`sell ${rest}`, { positionSide: 'long' }), btcPerpetual)
  await taken(bob, book)
  const order = withWords(`sell ${close}`, { positionSide: 'long', clientOid: 'incoming' })
  const [entry] = succeeds(await placeBatch(alice, [order], btcPerpetual)).list()
  if (expected === 'refused') entryRefused(entry, 'no free position')
  else {
    expect(entry).not.toHaveProperty('code')
    expect(await outcome(alice, { clientOid: 'incoming' })).toBe(expected)
  }
  expect(await closesOf(alice)).toEqual(listed(open))
  expect(await position(alice)).toBe(after)
})

table(
  { rule: 'design §4.11', decision: 'v3 names the position (posSide), v2 the direction of the position (side)' },
  // after long 0.2, short 0.1
  `
    case        | v2                     | v3                     | after
    open long   | buy 0.1 open @ 60000   | buy 0.1 long @ 60000   | long 0.3, short 0.1
    open short  | sell 0.1 open @ 60000  | sell 0.1 short @ 60000 | long 0.2, short 0.2
    close long  | buy 0.1 close @ 60000  | sell 0.1 long @ 60000  | long 0.1, short 0.1
    close short | sell 0.1 close @ 60000 | buy 0.1 short @ 60000  | long 0.2
  `,
  async ({ v2, v3, after }) => {
    for (const version of ['v2', 'v3']) {
      const bob = await at.person('Bob', unified)
      const alice = await at.person('Alice', unified)
      await setHoldMode(alice, 'hedge_mode')
      await taken(bob, 'sell 0.2 @ 60000')
      await taken(alice, 'buy 0.2 open @ 60000')
      await taken(bob, 'buy 0.1 @ 60000')
      await taken(alice, 'sell 0.1 open @ 60000')
      await taken(bob, `${v3.startsWith('buy') ? 'sell' : 'buy'} 0.1 @ 60000`)
      if (version === 'v2') await taken(alice, v2)
      else await takenInBatch(alice, v3, btcPerpetual)
      expect(await position(alice), version).toBe(after)
    }
  },
)

row('Futures position hedge mode', 'resting closes are locked in their position, and in no other', async () => {
  const bob = await at.person('Bob', unified)
  const alice = await at.person('Alice', unified)
  await holdingLong(alice, bob)
  await taken(bob, 'buy 0.2 @ 60000')
  await taken(alice, 'sell 0.2 open @ 60000')
  await taken(alice, 'buy 0.07 close @ 61000')
  const held = await positions(alice)
  const shown = Object.fromEntries(
    held.map((record) => [record['holdSide'], `${record['available']} of ${record['total']}`]),
  )
  expect(shown).toEqual({ long: '0.03 of 0.1', short: '0.2 of 0.2' })
})

row('risk-engine §23', 'a close in hedge mode never opens the other side', async () => {
  const bob = await at.person('Bob', unified)
  const alice = await at.person('Alice', unified)
  await holdingLong(alice, bob)
  await taken(bob, 'buy 1 @ 60000')
  await taken(alice, 'buy 0.5 close')
  expect(await position(alice)).toBe('flat')
})

table(
  { rule: 'design §4.10 refusals', decision: 'a refused order has cancelled nothing' },
  [
    // what                              close that is refused                       code
    ['a duplicate clientOid', 'buy 0.05 close oid:resting @ 61100', '40786'],
    ['a price off the tick', 'buy 0.05 close @ 61100.05', '40808|45115'],
    ['closing the side that is not held', 'sell 0.05 close @ 61100', 'no position'],
  ],
  async (order, code) => {
    const bob = await at.person('Bob', unified)
    const alice = await at.person('Alice', unified)
    await holdingLong(alice, bob)
    await taken(alice, 'buy 0.1 close oid:resting @ 61000')
    refuses(await place(alice, order), code)
    expect(await openOrders(alice)).toEqual(['buy 0.1 @ 61000'])
  },
)
