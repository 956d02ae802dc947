/**
 * Flash repayments of cross-margin debt: out of the coin itself, then out of other coins that are sold for it.
 *
 * Source  fidelity §2; interface.md E11; design §4.36; risk-engine.md §17
 */
import { expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { btcMargin, btcSpot, ethSpot, takenInBatch, unifiedAsset } from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'
import { exact, figure } from './figures.ts'

const at = stage({ clock: 'manual' })

const crossed = '/api/v2/margin/crossed'
const digits = expect.stringMatching(/^\d+$/)

const flashRepay = (person: Person, body: object = {}): Promise<Answer> =>
  person.post(`${crossed}/account/flash-repay`, body)

async function statusOf(person: Person, idList: string): Promise<Fields[]> {
  return [...succeeds(await person.post(`${crossed}/account/query-flash-repay-status`, { idList })).list()]
}

async function asset(person: Person, coin: string): Promise<Fields> {
  return succeeds(await person.get(`${crossed}/account/assets`, { coin })).list()[0] ?? {}
}

async function owed(person: Person, coin: string): Promise<string> {
  const { borrow = '', interest = '' } = await asset(person, coin)
  return figure(exact(borrow).plus(interest))
}

async function borrows(person: Person, coin: string, borrowAmount: string): Promise<void> {
  succeeds(await person.post(`${crossed}/account/borrow`, { coin, borrowAmount }))
}

async function order(person: Person, side: string, price: string, baseSize: string): Promise<void> {
  const terms = { symbol: 'BTCUSDT', orderType: 'limit', force: 'gtc', loanType: 'normal' }
  succeeds(await person.post(`${crossed}/place-order`, { ...terms, side, price, baseSize }))
}

async function repayments(person: Person, coin: string): Promise<Fields[]> {
  const query = { coin, startTime: '0' }
  return succeeds(await person.get(`${crossed}/repay-history`, query)).fields['resultList'] as unknown as Fields[]
}

type Mode = 'classic' | 'hybrid'

/** 1 BTC of her own and 0.01 that the borrowed 600 USDT bought. */
async function debtor(mode: Mode = 'classic'): Promise<{ bob: Person; alice: Person }> {
  const bob = await at.person('Bob', { funds: { uta: { BTC: '1', USDT: '100000' } } })
  const alice = await at.person('Alice', { mode, funds: { crossed_margin: { BTC: '1' } } })
  await borrows(alice, 'USDT', '600')
  await takenInBatch(bob, 'sell 0.01 @ 60000', btcSpot)
  await order(alice, 'buy', '60000', '0.01')
  expect(await asset(alice, 'USDT')).toMatchObject({ borrow: '600', available: '0' })
  return { bob, alice }
}

/** What has to be sold at 60,000 for this much to be left after the fee of 0.1 %, in lots of 0.000001. */
const soldFor = (debt: string) => exact(debt).div('0.999').div(60_000).toDecimalPlaces(6, 0)

for (const mode of ['classic', 'hybrid'] as const) {
  row('flash-repay', `a ${mode} account: another coin is sold, no more than the debt needs`, async () => {
    const { bob, alice } = await debtor(mode)
    await takenInBatch(bob, 'buy 1 @ 60000', btcSpot)
    const [debt, before] = [await owed(alice, 'USDT'), await asset(alice, 'BTC')]
    const answer = succeeds(await flashRepay(alice, { coin: 'usdt' }))
    expect(answer.data).toEqual({ repayId: digits, coin: 'USDT' })
    expect(await asset(alice, 'USDT')).toMatchObject({ borrow: '0', interest: '0' })
    expect((await asset(alice, 'BTC'))['available']).toBe(figure(exact(before['available'] ?? '').minus(soldFor(debt))))
    const { repayId = '' } = answer.fields
    expect(await statusOf(alice, repayId)).toEqual([{ repayId, status: 'success' }])
    expect(await repayments(alice, 'USDT')).toMatchObject([{ repayId, repayAmount: debt, repayType: 'manual_repay' }])
    refuses(await flashRepay(alice, { coin: 'USDT' }), 'no debt')
  })
}

row('flash-repay', 'the coin itself pays first, interest before principal, and nothing is sold', async () => {
  const { bob, alice } = await debtor()
  await takenInBatch(bob, 'buy 1 @ 60000', btcSpot)
  const { interest } = await asset(alice, 'USDT')
  await at.venue.deposit(alice, { crossed_margin: { USDT: await owed(alice, 'USDT') } })
  const before = await asset(alice, 'BTC')
  succeeds(await flashRepay(alice, { coin: 'USDT' }))
  expect(await asset(alice, 'USDT')).toMatchObject({ borrow: '0', interest: '0', available: '0' })
  expect(await asset(alice, 'BTC')).toMatchObject({ available: before['available'] })
  expect(await repayments(alice, 'USDT')).toMatchObject([{ repayInterest: interest, repayPrincipal: '600' }])
})

row('flash-repay', 'its own coin pays a part, another one the rest: the first repayment is the one named', async () => {
  const { bob, alice } = await debtor()
  await takenInBatch(bob, 'buy 1 @ 60000', btcSpot)
  await at.venue.deposit(alice, { crossed_margin: { USDT: '240' } })
  const { repayId } = succeeds(await flashRepay(alice, { coin: 'USDT' })).fields
  const found = await repayments(alice, 'USDT')
  expect(found).toHaveLength(2)
  expect(found[1]).toMatchObject({ repayId, repayAmount: '240' })
  expect(await owed(alice, 'USDT')).toBe('0')
})

table(
  { rule: 'flash-repay', decision: 'pays what it can, as `repay` of v3 does; what is left stays owed' },
  [
    // what                       lots short  then
    ['exactly enough to sell', 0, 'no debt'],
    ['one lot short', 1, '50041'],
  ],
  async (short: number, then) => {
    const { bob, alice } = await debtor()
    await takenInBatch(bob, 'buy 1 @ 60000', btcSpot)
    const free = exact((await asset(alice, 'BTC'))['available'] ?? '')
    const kept = soldFor(await owed(alice, 'USDT')).minus(exact('0.000001').times(short))
    // The rest is held by an order that waits far above the market.
    await order(alice, 'sell', '64000', figure(free.minus(kept).toDecimalPlaces(6, 1)))
    const { repayId = '' } = succeeds(await flashRepay(alice, { coin: 'USDT' })).fields
    expect(await statusOf(alice, repayId)).toEqual([{ repayId, status: 'success' }])
    expect(Number(await owed(alice, 'USDT')) > 0).toBe(short > 0)
    refuses(await flashRepay(alice, { coin: 'USDT' }), then)
  },
)

row('flash-repay', 'nothing to pay with is refused as E11 refuses it', async () => {
  const { alice } = await debtor()
  await order(alice, 'sell', '64000', '1.00999')
  refuses(await flashRepay(alice, { coin: 'USDT' }), '50041')
})

row('flash-repay', 'a book in which nobody buys: nothing is paid, and what was owed is owed', async () => {
  const { alice } = await debtor()
  const before = await owed(alice, 'USDT')
  expect(succeeds(await flashRepay(alice, { coin: 'USDT' })).data).toEqual({ repayId: '', coin: 'USDT' })
  expect(await owed(alice, 'USDT')).toBe(before)
})

row('flash-repay', 'without a coin: all that is owed', async () => {
  const { bob, alice } = await debtor()
  await borrows(alice, 'ETH', '1')
  await takenInBatch(bob, 'buy 1 @ 60000', btcSpot)
  const answer = succeeds(await flashRepay(alice))
  expect(answer.data).toEqual({ repayId: digits, coin: '' })
  expect(await owed(alice, 'USDT')).toBe('0')
  // The borrowed ether pays for itself. Its first hour is left: bitcoin has no pair with ether.
  const left = Number(await owed(alice, 'ETH'))
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(0.001)
})

row('flash-repay', 'a coin that is owed itself is not sold for another debt', async () => {
  const { bob, alice } = await debtor()
  await borrows(alice, 'ETH', '1')
  await takenInBatch(bob, 'buy 1 @ 3000', ethSpot)
  expect(succeeds(await flashRepay(alice, { coin: 'USDT' })).data).toEqual({ repayId: '', coin: 'USDT' })
  expect(await asset(alice, 'ETH')).toMatchObject({ available: '1' })
})

row('flash-repay', 'a debt in the base coin: it is bought', async () => {
  const bob = await at.person('Bob', { funds: { uta: { BTC: '1', USDT: '100000' } } })
  const alice = await at.person('Alice', { mode: 'classic', funds: { crossed_margin: { USDT: '60000' } } })
  await borrows(alice, 'BTC', '0.1')
  await takenInBatch(bob, 'buy 0.1 @ 60000', btcSpot)
  await order(alice, 'sell', '60000', '0.1')
  await takenInBatch(bob, 'sell 0.5 @ 60000', btcSpot)
  const debt = await owed(alice, 'BTC')
  succeeds(await flashRepay(alice, { coin: 'BTC' }))
  expect(await owed(alice, 'BTC')).toBe('0')
  expect((await repayments(alice, 'BTC'))[0]).toMatchObject({ repayAmount: debt })
})

row('flash-repay', 'a unified account: its `uta` wallet', async () => {
  const bob = await at.person('Bob', { funds: { uta: { BTC: '1', USDT: '100000' } } })
  const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
  refuses(await flashRepay(alice), 'no debt')
  await takenInBatch(bob, 'sell 0.3 @ 60000', btcSpot)
  await takenInBatch(alice, 'buy 0.3 @ 60000', btcMargin)
  await takenInBatch(bob, 'buy 0.3 @ 60000', btcSpot)
  const { repayId = '', coin } = succeeds(await flashRepay(alice, { coin: 'USDT' })).fields
  expect(coin).toBe('USDT')
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ debt: '0' })
  expect(await statusOf(alice, repayId)).toEqual([{ repayId, status: 'success' }])
})

table(
  'flash-repay: coin',
  [
    ['empty, which is none named', '', 'ok'],
    ['unknown', 'NOSUCH', 'an unknown coin'],
    ['not owed', 'ETH', 'no debt'],
  ],
  async (coin, expected) => {
    const { alice } = await debtor()
    answers(await flashRepay(alice, { coin }), expected)
  },
)

row(
  'query-flash-repay-status',
  'each number as it was asked; of others, or of nobody: fail; the same after a crash',
  async () => {
    const { bob, alice } = await debtor()
    await takenInBatch(bob, 'buy 1 @ 60000', btcSpot)
    const { repayId = '' } = succeeds(await flashRepay(alice)).fields
    const idList = `1,${repayId},99999999999999999999,${repayId}`
    const found = [
      { repayId: '1', status: 'fail' },
      { repayId, status: 'success' },
      { repayId: '99999999999999999999', status: 'fail' },
      { repayId, status: 'success' },
    ]
    expect(await statusOf(alice, idList)).toEqual(found)
    await at.venue.restart('kill')
    expect(await statusOf(alice, idList)).toEqual(found)
    const carol = await at.person('Carol', { mode: 'classic' })
    expect(await statusOf(carol, repayId)).toEqual([{ repayId, status: 'fail' }])
  },
)

table(
  'query-flash-repay-status: idList',
  [
    ['missing', undefined, 'a missing parameter'],
    ['empty', '', 'a parameter'],
    ['no number', 'abc', 'a parameter'],
    ['an empty entry', '1,,2', 'a parameter'],
    ['a hundred', Array.from({ length: 100 }, () => '7').join(','), 'ok'],
    ['one more', Array.from({ length: 101 }, () => '7').join(','), 'a parameter'],
  ],
  async (idList, expected) => {
    const alice = await at.person('Alice', { mode: 'classic' })
    answers(await alice.post(`${crossed}/account/query-flash-repay-status`, { idList }), expected)
  },
)
