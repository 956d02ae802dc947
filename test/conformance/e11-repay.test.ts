/**
 * E11: repaying cross-margin debt, and how debt comes to be.
 *
 * Source  interface.md E11, E2 rule 3; design §4.36; risk-engine.md §17
 */
import { expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { btcMargin, btcSpot, paths, taken, takenInBatch, unifiedAsset } from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'
import { ceil8, exact, figure } from './figures.ts'

const at = stage({ clock: 'manual' })

const hour = 3_600_000
const borrower = { mode: 'classic', funds: { crossed_margin: { USDT: '30000', BTC: '1' } } } as const

function borrow(person: Person, coin: string, borrowAmount: string): Promise<Answer> {
  return person.post('/api/v2/margin/crossed/account/borrow', { coin, borrowAmount })
}

function repay(person: Person, coin: string, repayAmount: unknown): Promise<Answer> {
  return person.post(paths.repay, { coin, repayAmount })
}

/** Interest of an hour on this principal, at the venue's own rate: the first hour is owed at once. */
async function hourly(person: Person, coin: string, principal: string): Promise<string> {
  const [rates] = succeeds(await person.get('/api/v2/margin/crossed/interest-rate-and-limit', { coin })).list()
  return ceil8(
    exact(principal)
      .times(rates?.['dailyInterestRate'] ?? '')
      .div(24),
  )
}

async function marginAsset(person: Person, coin: string): Promise<Fields> {
  const found = succeeds(await person.get('/api/v2/margin/crossed/account/assets', { coin })).list()
  return found.find((asset) => asset['coin'] === coin) ?? {}
}

row('E11 response', 'coin, repayId, remainDebtAmount and repayAmount, all texts', async () => {
  const alice = await at.person('Alice', borrower)
  succeeds(await borrow(alice, 'USDT', '20000'))
  const owed = exact(await hourly(alice, 'USDT', '20000')).plus(20000)
  const answer = succeeds(await repay(alice, 'USDT', '5000'))
  expect(answer.data).toEqual({
    coin: 'USDT',
    repayId: expect.stringMatching(/^\d+$/),
    repayAmount: '5000',
    remainDebtAmount: figure(owed.minus(5000)),
  })
})

row('risk-engine §17', 'interest goes first, then principal', async () => {
  const alice = await at.person('Alice', borrower)
  succeeds(await borrow(alice, 'USDT', '20000'))
  const interest = await hourly(alice, 'USDT', '20000')
  expect(await marginAsset(alice, 'USDT')).toMatchObject({ borrow: '20000', interest })
  succeeds(await repay(alice, 'USDT', '5000'))
  const left = await marginAsset(alice, 'USDT')
  expect(left).toMatchObject({ borrow: figure(exact(15000).plus(interest)), interest: '0' })
})

row('risk-engine §17', 'interest runs by the hour, part hours count whole', async () => {
  const alice = await at.person('Alice', borrower)
  succeeds(await borrow(alice, 'USDT', '20000'))
  const interest = await hourly(alice, 'USDT', '20000')
  await at.venue.advance(26 * hour + 10 * 60_000)
  expect(await marginAsset(alice, 'USDT')).toMatchObject({ interest: figure(exact(interest).times(27)) })
})

row(
  { rule: 'E11 table repayAmount', decision: 'above the debt it is cut to it (design §4.36)' },
  'more than the debt repays the debt',
  async () => {
    const alice = await at.person('Alice', borrower)
    succeeds(await borrow(alice, 'USDT', '1000'))
    const owed = figure(exact(await hourly(alice, 'USDT', '1000')).plus(1000))
    const answer = succeeds(await repay(alice, 'USDT', '20000'))
    expect(answer.data).toMatchObject({ repayAmount: owed, remainDebtAmount: '0' })
    expect(await marginAsset(alice, 'USDT')).toMatchObject({ borrow: '0', interest: '0' })
  },
)

row('E11 table repayAmount', 'exactly the debt', async () => {
  const alice = await at.person('Alice', borrower)
  succeeds(await borrow(alice, 'BTC', '0.5'))
  const owed = figure(exact(await hourly(alice, 'BTC', '0.5')).plus('0.5'))
  expect(succeeds(await repay(alice, 'BTC', owed)).data).toMatchObject({
    coin: 'BTC',
    repayAmount: owed,
    remainDebtAmount: '0',
  })
})

table(
  'E11 table repayAmount',
  [
    // what                        amount            answer
    ['eight decimals', '1.12345678', 'ok'],
    ['nine decimals', '1.123456789', 'a parameter'],
    ['nine decimals, the last a zero', '1.123456780', 'ok'],
    ['zero', '0', 'a parameter'],
    ['negative', '-1', 'a parameter'],
    ['missing', undefined, 'a missing parameter'],
    ['a JSON number', 5, 'ok'],
  ],
  async (amount, expected) => {
    const alice = await at.person('Alice', borrower)
    succeeds(await borrow(alice, 'USDT', '1000'))
    answers(await repay(alice, 'USDT', amount), expected)
  },
)

row('E11 table repayAmount', 'more than the free balance is refused while the debt is larger', async () => {
  const alice = await at.person('Alice', borrower)
  succeeds(await borrow(alice, 'USDT', '40000'))
  const order = {
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    force: 'gtc',
    loanType: 'autoLoan',
    price: '50000',
    baseSize: '1.3',
  }
  succeeds(await alice.post('/api/v2/margin/crossed/place-order', order))
  refuses(await repay(alice, 'USDT', '6000'), '50041|43012|50020')
  succeeds(await repay(alice, 'USDT', '5000'))
})

table(
  'E11 table coin',
  [
    ['missing', undefined, 'a missing parameter'],
    ['empty', '', 'a parameter or an unknown coin'],
    ['unknown', 'NOSUCH', 'an unknown coin'],
    ['in lower case', 'usdt', 'ok'],
  ],
  async (coin, expected) => {
    const alice = await at.person('Alice', borrower)
    succeeds(await borrow(alice, 'USDT', '1000'))
    answers(await alice.post(paths.repay, { coin, repayAmount: '1' }), expected)
  },
)

row({ rule: 'E11', decision: 'without debt it is refused (design §4.36)' }, 'no debt in that coin', async () => {
  const alice = await at.person('Alice', borrower)
  succeeds(await borrow(alice, 'USDT', '1000'))
  refuses(await repay(alice, 'BTC', '0.1'), 'no debt')
  refuses(await repay(await at.person('Bob', borrower), 'USDT', '1'), 'no debt')
})

row('E11', 'a debt that is repaid is gone: the next repayment is refused', async () => {
  const alice = await at.person('Alice', borrower)
  succeeds(await borrow(alice, 'USDT', '1000'))
  succeeds(await repay(alice, 'USDT', '2000'))
  refuses(await repay(alice, 'USDT', '1'), 'no debt')
})

row('E11', 'each repayment has its own id', async () => {
  const alice = await at.person('Alice', borrower)
  succeeds(await borrow(alice, 'USDT', '1000'))
  const first = succeeds(await repay(alice, 'USDT', '10')).fields
  const second = succeeds(await repay(alice, 'USDT', '10')).fields
  expect(first['repayId']).not.toBe(second['repayId'])
})

row(
  { rule: 'design §4.36', decision: 'a positive balance entering uta reduces its debt by itself' },
  'a unified account: MARGIN order borrows, a deposit repays',
  async () => {
    const bob = await at.person('Bob', { funds: { uta: { BTC: '1' } } })
    const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
    await takenInBatch(bob, 'sell 0.3 @ 60000', btcSpot)
    await takenInBatch(alice, 'buy 0.3 @ 60000', btcMargin)
    const before = Number((await unifiedAsset(alice, 'USDT'))['debt'])
    expect(before).toBeGreaterThanOrEqual(8000)
    await at.venue.deposit(alice, { uta: { USDT: '3000' } })
    expect(Number((await unifiedAsset(alice, 'USDT'))['debt'])).toBeCloseTo(before - 3000, 6)
    await at.venue.deposit(alice, { uta: { USDT: '10000' } })
    const after = await unifiedAsset(alice, 'USDT')
    expect(Number(after['debt'])).toBe(0)
    expect(Number(after['balance'])).toBeCloseTo(13000 - before, 6)
  },
)

row(
  { rule: 'design §4.36', decision: 'in crossed_margin only E11 and the automatic rules reduce debt' },
  'a classic deposit does not repay',
  async () => {
    const alice = await at.person('Alice', borrower)
    succeeds(await borrow(alice, 'USDT', '1000'))
    await at.venue.deposit(alice, { crossed_margin: { USDT: '5000' } })
    expect(await marginAsset(alice, 'USDT')).toMatchObject({ borrow: '1000' })
  },
)

row('risk-engine §17', 'what a cancelled margin order borrowed is repaid', async () => {
  const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
  const { orderId } = await takenInBatch(alice, 'buy 0.3 @ 59000', btcMargin)
  succeeds(await alice.post('/api/v3/trade/cancel-order', { orderId }))
  expect(Number((await unifiedAsset(alice, 'USDT'))['debt'])).toBeLessThan(1)
})

row('E11', 'a futures wallet is no place to repay from', async () => {
  const funds = { crossed_margin: { USDT: '1000' }, usdt_futures: { USDT: '1000' } }
  const alice = await at.person('Alice', { mode: 'classic', funds })
  await taken(alice, 'buy 0.001 @ 59000')
  refuses(await repay(alice, 'USDT', '1'), 'no debt')
})
