/**
 * The countdown of v3: open orders of the account go unless it is set anew in time.
 *
 * Source  wire/v3-endpoints.md §2
 */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import { btcMargin, btcPerpetual, btcSpot, openUnifiedOrders, takenInBatch, unifiedOrder } from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })
const funds = { uta: { USDT: '1000000' } } as const
const secondMs = 1000

const countDown = (person: Person, countdown: unknown) =>
  person.post('/api/v3/trade/countdown-cancel-all', { countdown })

/** An order in each of three categories. */
async function trader(): Promise<Person> {
  const alice = await at.person('Alice', { funds })
  for (const market of [btcPerpetual, btcSpot, btcMargin])
    await takenInBatch(alice, `buy 0.1 oid:${market.category} @ 50000`, market)
  return alice
}

async function left(person: Person): Promise<number> {
  const found = await Promise.all([btcPerpetual, btcSpot, btcMargin].map((market) => openUnifiedOrders(person, market)))
  return found.flat().length
}

const rule = {
  rule: 'v3 countdown-cancel-all',
  decision: 'orders that rest, in every category; strategy orders stay. Set anew it begins anew, 0 disarms',
}

row(rule, 'after the countdown every open order is cancelled', async () => {
  const alice = await trader()
  expect(succeeds(await countDown(alice, '10')).data).toBe('success')
  await at.venue.advance(10 * secondMs - 1)
  expect(await left(alice)).toBe(3)
  await at.venue.advance(1)
  expect(await left(alice)).toBe(0)
  expect(await unifiedOrder(alice, { clientOid: 'SPOT' })).toMatchObject({
    orderStatus: 'cancelled',
    cancelReason: 'normal_cancel',
  })
})

row(rule, 'set anew it begins anew', async () => {
  const alice = await trader()
  succeeds(await countDown(alice, '5'))
  for (let times = 0; times < 3; times++) {
    await at.venue.advance(4 * secondMs)
    succeeds(await countDown(alice, '5'))
  }
  expect(await left(alice)).toBe(3)
  await at.venue.advance(5 * secondMs)
  expect(await left(alice)).toBe(0)
})

row(rule, '0 disarms', async () => {
  const alice = await trader()
  succeeds(await countDown(alice, '5'))
  succeeds(await countDown(alice, '0'))
  await at.venue.advance(120 * secondMs)
  expect(await left(alice)).toBe(3)
})

row(rule, 'orders that were placed while it ran go too, and those after it stay', async () => {
  const alice = await trader()
  succeeds(await countDown(alice, '60'))
  await at.venue.advance(59 * secondMs)
  await takenInBatch(alice, 'buy 0.2 @ 50000', btcSpot)
  await at.venue.advance(secondMs)
  expect(await left(alice)).toBe(0)
  await takenInBatch(alice, 'buy 0.2 @ 50000', btcSpot)
  await at.venue.advance(120 * secondMs)
  expect(await left(alice)).toBe(1)
})

row(rule, 'somebody else keeps his orders, and so does the main account of a sub-account', async () => {
  const alice = await trader()
  const sub = await at.person('Sub', { parent: alice, funds })
  const bob = await at.person('Bob', { funds })
  for (const person of [sub, bob]) await takenInBatch(person, 'buy 0.1 @ 50000', btcPerpetual)
  succeeds(await countDown(sub, '5'))
  await at.venue.advance(5 * secondMs)
  expect([await left(alice), await left(sub), await left(bob)]).toEqual([3, 0, 1])
})

row(rule, 'strategy orders stay', async () => {
  const alice = await trader()
  const plan = {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    type: 'trigger',
    qty: '0.1',
    side: 'buy',
    triggerPrice: '55000',
  }
  succeeds(await alice.post('/api/v3/trade/place-strategy-order', plan))
  succeeds(await countDown(alice, '5'))
  await at.venue.advance(5 * secondMs)
  expect(await left(alice)).toBe(0)
  const waiting = await alice.get('/api/v3/trade/unfilled-strategy-orders', {
    category: 'USDT-FUTURES',
    type: 'trigger',
  })
  expect(succeeds(waiting).list()).toHaveLength(1)
})

table(
  rule,
  [
    ['survives a restart', 'stop'],
    ['survives a crash', 'kill'],
  ],
  async (how) => {
    const alice = await trader()
    succeeds(await countDown(alice, '30'))
    await at.venue.advance(10 * secondMs)
    // The manual clock goes on from the last command.
    await takenInBatch(alice, 'buy 0.2 @ 50000', btcSpot)
    await at.venue.restart(how)
    await at.venue.advance(20 * secondMs - 1)
    expect(await left(alice)).toBe(4)
    await at.venue.advance(1)
    expect(await left(alice)).toBe(0)
  },
)

table(
  'v3 countdown-cancel-all bounds',
  [
    ['5 is the shortest', '5'],
    ['60 is the longest', '60'],
    ['a JSON number', 30],
    ['0', '0'],
  ],
  async (countdown) => {
    const alice = await at.person('Alice', { funds })
    expect(succeeds(await countDown(alice, countdown)).data).toBe('success')
    succeeds(await countDown(alice, 0))
  },
)

table(
  'v3 countdown-cancel-all bounds',
  [
    ['absent is refused', undefined, 'a missing parameter'],
    ['1 is refused', '1', 'a parameter'],
    ['4 is refused', '4', 'a parameter'],
    ['61 is refused', '61', 'a parameter'],
    ['a fraction is refused', '5.5', 'a parameter'],
    ['a minus is refused', '-5', 'a parameter'],
    ['an exponent is refused', '1e1', 'a parameter'],
    ['a word is refused', 'soon', 'a parameter'],
  ],
  async (countdown, expected) => {
    const alice = await trader()
    refuses(await countDown(alice, countdown), expected)
    await at.venue.advance(120 * secondMs)
    expect(await left(alice)).toBe(3)
  },
)

row('v3 countdown-cancel-all refused', 'classic accounts, keys that only read', async () => {
  refuses(await countDown(await at.person('Clara', { mode: 'classic' }), '5'), '40084')
  refuses(await countDown(await at.person('Reader', { permissions: ['read'] }), '5'), '40014')
})
