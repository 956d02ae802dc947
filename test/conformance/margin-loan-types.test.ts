/**
 * `loanType` of cross-margin orders: whether an order borrows what it lacks, and repays with what it receives.
 *
 * Prices  BTC is worth 60,000 throughout; Bob stands on the other side
 * Source  wire/client-endpoints.md §4 "Cross margin"; interface E2 rule 3; design §4.36; risk-engine.md §17
 */
import { beforeEach, expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { btcMargin, placeBatch, unifiedAsset } from '../support/trading.ts'
import { optional } from '../support/text-table.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })

const crossed = '/api/v2/margin/crossed'
const rule = 'wire/client-endpoints §4'
const symbol = 'BTCUSDT'
/** Costs 12,000 USDT, of which Alice has 10,000. */
const bid = { symbol, side: 'buy', orderType: 'limit', force: 'gtc', price: '60000', baseSize: '0.2' } as const

let alice: Person
let bob: Person

beforeEach(async () => {
  alice = await at.person('Alice', { mode: 'classic', funds: { crossed_margin: { USDT: '10000' } } })
  bob = await at.person('Bob', { mode: 'classic', funds: { spot: { USDT: '100000', BTC: '10' } } })
})

async function offer(size: string, side = 'sell'): Promise<void> {
  const order = { symbol, side, orderType: 'limit', force: 'gtc', price: '60000', size }
  succeeds(await bob.post('/api/v2/spot/trade/place-order', order))
}

async function asset(coin: string): Promise<Fields> {
  return succeeds(await alice.get(`${crossed}/account/assets`, { coin })).list()[0] ?? {}
}

async function listed(list: 'open-orders' | 'history-orders'): Promise<Fields[]> {
  const query = { symbol, startTime: at.venue.now() - 60_000 }
  return succeeds(await alice.get(`${crossed}/${list}`, query)).list('orderList')
}

async function borrow(coin: string, borrowAmount: string): Promise<void> {
  succeeds(await alice.post(`${crossed}/account/borrow`, { coin, borrowAmount }))
}

table(
  { rule, decision: 'without a loan type an order borrows and repays (interface E2 rule 3)' },
  `
    case                                     | loan type        | expected    | borrowed
    normal uses only what is free            | normal           | 50020       | 0
    autoRepay uses only what is free         | autoRepay        | 50020       | 0
    autoLoan borrows what is missing         | autoLoan         | ok          | 2000
    autoLoanAndRepay borrows what is missing | autoLoanAndRepay | ok          | 2000
    left out                                 | -                | ok          | 2000
    unknown                                  | sometimes        | a parameter | 0
    in lower case                            | autoloan         | ok          | 2000
  `,
  async ({ loanType, expected, borrowed }) => {
    answers(await alice.post(`${crossed}/place-order`, { ...bid, loanType: optional(loanType) }), expected)
    expect(await asset('USDT')).toMatchObject({ borrow: borrowed })
  },
)

table(
  rule,
  `
    case                                  | loan type | quote size
    normal spends what is free            | normal    | 10000
    and so does each that does not borrow | autoRepay | 10000
  `,
  async ({ loanType, quoteSize }) => {
    await offer('1')
    const market = { symbol, side: 'buy', orderType: 'market', force: 'gtc', loanType }
    refuses(await alice.post(`${crossed}/place-order`, { ...market, quoteSize: '10000.01' }), '50020')
    succeeds(await alice.post(`${crossed}/place-order`, { ...market, quoteSize }))
    expect(await asset('USDT')).toMatchObject({ borrow: '0', interest: '0' })
  },
)

table(
  rule,
  // loan type, 0.05 BTC owed before: what is owed after 0.1 were bought
  `
    case                                          | loan type        | owed | interest   | total
    normal repays nothing by itself               | normal           | 0.05 | 0.00000015 | 0.1499
    autoLoan repays nothing by itself             | autoLoan         | 0.05 | 0.00000015 | 0.1499
    autoRepay repays with what it receives        | autoRepay        | 0    | 0          | 0.09989985
    autoLoanAndRepay repays with what it receives | autoLoanAndRepay | 0    | 0          | 0.09989985
  `,
  async ({ loanType, owed, interest, total }) => {
    await borrow('BTC', '0.05')
    await offer('0.1')
    succeeds(await alice.post(`${crossed}/place-order`, { ...bid, baseSize: '0.1', loanType }))
    expect(await asset('BTC')).toMatchObject({ borrow: owed, interest, totalAmount: total })
    const repaid = succeeds(await alice.get(`${crossed}/repay-history`, { startTime: 0 })).list('resultList')
    const auto = { coin: 'BTC', repayType: 'auto_repay', repayInterest: '0.00000015', repayPrincipal: '0.05' }
    expect(repaid).toMatchObject(owed === '0' ? [auto] : [])
  },
)

row(rule, 'a resting order that repays does so with each of its fills', async () => {
  await borrow('BTC', '0.05')
  succeeds(await alice.post(`${crossed}/place-order`, { ...bid, baseSize: '0.1', loanType: 'autoRepay' }))
  await offer('0.02') // 0.01998 come in: 0.00000015 of interest, the rest of the principal
  expect(await asset('BTC')).toMatchObject({ borrow: '0.03002015', interest: '0', totalAmount: '0.05' })
  await offer('0.08')
  expect(await asset('BTC')).toMatchObject({ borrow: '0', interest: '0' })
})

row(rule, 'what autoLoan borrowed and did not use goes back when the order is canceled', async () => {
  const { orderId } = succeeds(await alice.post(`${crossed}/place-order`, { ...bid, loanType: 'autoLoan' })).fields
  succeeds(await alice.post(`${crossed}/cancel-order`, { symbol, orderId }))
  expect(await asset('USDT')).toMatchObject({ borrow: '0.01', interest: '0', totalAmount: '10000' })
})

table(
  rule,
  `
    case                                          | loan type
    open orders and history show normal           | normal
    open orders and history show autoLoan         | autoLoan
    open orders and history show autoRepay        | autoRepay
    open orders and history show autoLoanAndRepay | autoLoanAndRepay
  `,
  async ({ loanType }) => {
    const order = { ...bid, baseSize: '0.1', loanType, clientOid: 'mine' }
    const { orderId } = succeeds(await alice.post(`${crossed}/place-order`, order)).fields
    expect(await listed('open-orders')).toMatchObject([{ orderId, loanType }])
    succeeds(await alice.post(`${crossed}/cancel-order`, { symbol, orderId }))
    expect(await listed('history-orders')).toMatchObject([{ orderId, loanType }])
  },
)

row(rule, 'each order of a batch has its own', async () => {
  const order = { side: 'buy', orderType: 'limit', force: 'gtc', price: '60000' }
  const orderList = [
    { ...order, baseSize: '0.1', loanType: 'normal', clientOid: 'own' },
    { ...order, baseSize: '0.1', loanType: 'normal', clientOid: 'short' },
    { ...order, baseSize: '0.1', loanType: 'autoLoan', clientOid: 'lent' },
  ]
  const { successList, failureList } = succeeds(await alice.post(`${crossed}/batch-place-order`, { symbol, orderList }))
    .data as Record<string, Fields[]>
  expect(successList).toMatchObject([{ clientOid: 'own' }, { clientOid: 'lent' }])
  expect(failureList).toMatchObject([{ clientOid: 'short', errorMsg: expect.stringMatching(/balance|insufficient/i) }])
  expect(await asset('USDT')).toMatchObject({ borrow: '2000' })
})

row(rule, 'an order that takes the place of another has its loan type', async () => {
  succeeds(
    await alice.post(`${crossed}/place-order`, { ...bid, baseSize: '0.1', loanType: 'normal', clientOid: 'old' }),
  )
  const body = { symbol, clientOid: 'old', newClientOid: 'new', price: '60000' }
  const replace = '/api/v2/spot/trade/cancel-replace-order'
  refuses(await alice.post(replace, { ...body, size: '0.2' }), '50020')
  succeeds(await alice.post(replace, { ...body, size: '0.15' }))
  expect(await listed('open-orders')).toMatchObject([{ clientOid: 'new', loanType: 'normal', baseSize: '0.15' }])
})

row('E2 rule 3', 'margin orders of v3 borrow and repay by themselves', async () => {
  const carol = await at.person('Carol', { funds: { uta: { USDT: '10000' } } })
  await offer('0.2')
  succeeds(await placeBatch(carol, ['buy 0.2 @ 60000'], btcMargin))
  expect(await unifiedAsset(carol, 'USDT')).toMatchObject({ debt: '2000.01' })
  await offer('0.2', 'buy')
  succeeds(await placeBatch(carol, ['sell 0.19 @ 60000'], btcMargin))
  expect(await unifiedAsset(carol, 'USDT')).toMatchObject({ debt: '0' })
})
