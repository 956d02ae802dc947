/**
 * Cross margin: the levels and what follows from them, the terms of the operator, and what may be read afterwards.
 *
 * Source  wire/client-endpoints.md §4 "Cross margin"; wire/v3-endpoints.md §1, §2, §4; risk-engine.md §17
 */
import { expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { btcMargin, btcSpot, takenInBatch, unifiedAsset } from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'
import { exact, figure } from './figures.ts'

const at = stage({ clock: 'manual' })

const hour = 3_600_000
const crossed = '/api/v2/margin/crossed'
const digits = expect.stringMatching(/^\d+$/)

function borrow(person: Person, coin: string, borrowAmount: string): Promise<Answer> {
  return person.post(`${crossed}/account/borrow`, { coin, borrowAmount })
}

async function records(person: Person, list: string, query: Record<string, string> = {}): Promise<Fields[]> {
  const { resultList } = succeeds(await person.get(`${crossed}/${list}`, { startTime: '0', ...query })).fields
  return resultList as unknown as Fields[]
}

async function riskRate(person: Person): Promise<number> {
  return Number(succeeds(await person.get(`${crossed}/account/risk-rate`)).fields['riskRateRatio'])
}

async function asset(person: Person, coin: string): Promise<Fields> {
  const found = succeeds(await person.get(`${crossed}/account/assets`, { coin })).list()
  return found[0] ?? {}
}

/** 1 BTC of her own at 60,000, and 20,000 USDT borrowed. */
async function debtor(): Promise<Person> {
  // Twice: after a row that crashed the price it is a jump, and has to be confirmed.
  for (let said = 0; said < 2; said++) await at.venue.setIndexPrices({ BTC: '60000' })
  const alice = await at.person('Alice', { mode: 'classic', funds: { crossed_margin: { BTC: '1' } } })
  succeeds(await borrow(alice, 'USDT', '20000'))
  return alice
}

// The level

row('risk-engine §17', 'the risk rate is the liquidation level over the margin level; 0 without debt', async () => {
  const bob = await at.person('Bob', { mode: 'classic', funds: { crossed_margin: { BTC: '1' } } })
  expect(await riskRate(bob)).toBe(0)
  const alice = await debtor() // 80,000 over 20,000.1
  expect(await riskRate(alice)).toBeCloseTo((1.1 * 20_000.1) / 80_000, 6)
})

table(
  'risk-engine §17: what the level allows',
  [
    // what                                BTC price  transferable BTC
    ['all above a level of 2 may leave', '60000', '0.66666333'],
    ['at a level of 2 nothing may', '20000', '0'],
  ],
  async (price, most) => {
    const alice = await debtor()
    await at.venue.setIndexPrices({ BTC: price })
    const answer = succeeds(await alice.get(`${crossed}/account/max-transfer-out-amount`, { coin: 'BTC' }))
    expect(answer.data).toEqual({ coin: 'BTC', maxTransferOutAmount: most })
    const more = figure(exact(most).plus('0.00000001'))
    const move = { fromType: 'crossed_margin', toType: 'spot', coin: 'BTC' }
    refuses(await alice.post('/api/v2/spot/wallet/transfer', { ...move, amount: more }), 'the transferable amount')
  },
)

row('v2 borrow', 'a clientOid is taken, and has its syntax', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { crossed_margin: { BTC: '1' } } })
  const loan = { coin: 'USDT', borrowAmount: '100' }
  const borrowed = succeeds(await alice.post(`${crossed}/account/borrow`, { ...loan, clientOid: 'loan-1' }))
  expect(borrowed.data).toMatchObject(loan)
  refuses(await alice.post(`${crossed}/account/borrow`, { ...loan, clientOid: 'not allowed' }), '40305')
  expect(await asset(alice, 'USDT')).toMatchObject({ borrow: '100' })
})

row('risk-engine §17', 'borrowing ends at a level of 1.5', async () => {
  const alice = await debtor()
  const { maxBorrowableAmount } = succeeds(
    await alice.get(`${crossed}/account/max-borrowable-amount`, { coin: 'USDT' }),
  ).fields
  // 2 × 59,999.9 − 20,000.1
  expect(maxBorrowableAmount).toBe('99999.7')
  refuses(await borrow(alice, 'USDT', '99999.70000001'), '50035')
  succeeds(await borrow(alice, 'USDT', '99999.7'))
})

row('risk-engine §17', 'at a level of 1.1 the account is liquidated: debt gone, the rest is hers', async () => {
  const alice = await debtor()
  succeeds(await borrow(alice, 'USDT', '60000')) // owes 80,000.4
  const order = { symbol: 'BTCUSDT', side: 'sell', orderType: 'limit', force: 'gtc', loanType: 'normal' }
  succeeds(await alice.post(`${crossed}/place-order`, { ...order, price: '60000', baseSize: '0.1' }))
  await at.venue.setIndexPrices({ BTC: '15000' })
  expect(await riskRate(alice)).toBeLessThan(1)
  await at.venue.setIndexPrices({ BTC: '8000' }) // 88,000 over 80,000.4: 1.09999…
  expect(await riskRate(alice)).toBe(0)
  expect(await asset(alice, 'USDT')).toMatchObject({ totalAmount: '7839.6', borrow: '0', interest: '0' })
  expect(await asset(alice, 'BTC')).toMatchObject({ totalAmount: '0', frozen: '0' })

  expect(await records(alice, 'liquidation-history')).toEqual([
    {
      liqId: digits,
      symbol: '',
      liqStartTime: digits,
      liqEndTime: digits,
      liqRiskRatio: '1.000005',
      totalAssets: '88000',
      totalDebt: '80000.4',
      liqFee: '160',
      cTime: digits,
      uTime: digits,
    },
  ])
  const repaid = await records(alice, 'repay-history')
  expect(repaid[0]).toMatchObject({ repayType: 'liq_repay', coin: 'USDT' })
  const bills = await records(alice, 'financial-records')
  expect(bills.map((bill) => bill['marginType'])).toEqual(
    expect.arrayContaining([
      'liquidation_fee',
      'sys_exchange_in',
      'sys_exchange_out',
      'repay',
      'borrow',
      'transfer_in',
    ]),
  )
})

// Terms

row('design §6', 'the operator sets terms of a coin and levels of the venue', async () => {
  const alice = await at.person('Alice', { mode: 'classic', funds: { crossed_margin: { BTC: '1' } } })
  await at.venue.operator('coins/loans', { coin: 'XRP', dailyInterestRate: '0.0005', borrowLimit: '1000' })
  const [terms] = succeeds(await alice.get(`${crossed}/interest-rate-and-limit`, { coin: 'XRP' })).list()
  expect(terms).toMatchObject({ dailyInterestRate: '0.0005', maxBorrowableAmount: '1000' })
  refuses(await borrow(alice, 'XRP', '1000.00000001'), '50035')
  succeeds(await borrow(alice, 'XRP', '1000'))

  await at.venue.operator('coins/loans', { coin: 'DOGE', lendingPoolLimit: '10' })
  refuses(await borrow(alice, 'DOGE', '11'), '50038')
  await at.venue.operator('coins/loans', { coin: 'DOGE', borrowable: 'no' })
  refuses(await borrow(alice, 'DOGE', '1'), '50037')

  const levels = await at.venue.operator('loans/levels', { callLevel: '1.25' })
  expect(levels).toMatchObject({ callLevel: '1.25', liquidationLevel: '1.1' })
  await expect(at.venue.operator('loans/levels', { liquidationLevel: '1.3' })).rejects.toThrow(/liquidationLevel/)
  await at.venue.operator('loans/levels', { callLevel: '1.3' })
})

table(
  'wire/client-endpoints §4',
  [
    ['tier-data names the tier of a coin', 'BTC', 'ok'],
    ['an unknown coin', 'NOSUCH', 'an unknown coin'],
    ['no coin', '', 'a parameter or an unknown coin'],
  ],
  async (coin, expected) => {
    const alice = await at.person('Alice', { mode: 'classic' })
    const answer = answers(await alice.get(`${crossed}/tier-data`, { coin }), expected)
    if (expected !== 'ok') return
    expect(answer.data).toEqual([
      {
        tier: '1',
        leverage: '3',
        coin: 'BTC',
        maxBorrowableAmount: expect.any(String),
        maintainMarginRate: expect.any(String),
      },
    ])
  },
)

// History

row('wire/client-endpoints §4', 'loans, repayments and interest, newest first, with ids to page by', async () => {
  const alice = await debtor()
  succeeds(await borrow(alice, 'BTC', '0.1'))
  await at.venue.advance(hour)
  succeeds(await alice.post(`${crossed}/account/repay`, { coin: 'USDT', repayAmount: '5000' }))

  const loans = await records(alice, 'borrow-history')
  expect(loans).toMatchObject([
    { coin: 'BTC', borrowAmount: '0.1' },
    { coin: 'USDT', borrowAmount: '20000' },
  ])
  expect(loans[0]).toEqual({
    loanId: digits,
    coin: 'BTC',
    borrowAmount: '0.1',
    borrowType: 'manual_loan',
    cTime: digits,
    uTime: digits,
  })
  expect(await records(alice, 'borrow-history', { coin: 'usdt' })).toHaveLength(1)
  expect(await records(alice, 'borrow-history', { idLessThan: String(loans[0]?.['loanId']) })).toHaveLength(1)

  expect(await records(alice, 'repay-history')).toEqual([
    {
      repayId: digits,
      coin: 'USDT',
      repayAmount: '5000',
      repayType: 'manual_repay',
      repayInterest: '0.2',
      repayPrincipal: '4999.8',
      symbol: '',
      cTime: digits,
      uTime: digits,
    },
  ])
  const interest = await records(alice, 'interest-history', { coin: 'USDT' })
  expect(interest).toMatchObject([{ interstType: 'scheduled' }, { interstType: 'first' }])
  expect(interest[0]).toEqual({
    interestId: digits,
    interestCoin: 'USDT',
    dailyInterestRate: '0.00012',
    loanCoin: 'USDT',
    interestAmount: '0.1',
    interstType: 'scheduled',
    symbol: '',
    cTime: digits,
    uTime: digits,
  })
})

row(
  'wire/client-endpoints §4',
  'financial records carry every posting, the fee in it, and the balance after',
  async () => {
    await at.venue.setIndexPrices({ BTC: '60000' })
    const alice = await at.person('Alice', { mode: 'classic', funds: { crossed_margin: { USDT: '10000' } } })
    const bob = await at.person('Bob', { funds: { uta: { BTC: '1' } } })
    await takenInBatch(bob, 'sell 0.5 @ 60000', btcSpot)
    const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', loanType: 'autoLoan' }
    succeeds(await alice.post(`${crossed}/place-order`, { ...order, price: '60000', baseSize: '0.5' }))
    const bills = await records(alice, 'financial-records')
    expect(bills.map(({ marginType, coin, amount, balance }) => [marginType, coin, amount, balance])).toEqual([
      ['deal_out', 'USDT', '-30000', '0'],
      ['deal_in', 'BTC', '0.4995', '0.4995'],
      ['borrow', 'USDT', '20000', '30000'],
      ['transfer_in', 'USDT', '10000', '10000'],
    ])
    expect(bills[1]).toEqual({
      coin: 'BTC',
      symbol: 'BTCUSDT',
      marginId: digits,
      amount: '0.4995',
      balance: '0.4995',
      fee: '0.0005',
      marginType: 'deal_in',
      cTime: digits,
      uTime: digits,
    })
    expect(await records(alice, 'financial-records', { marginType: 'borrow' })).toHaveLength(1)
  },
)

const listed = { symbol: 'BTCUSDT', startTime: '0' } as const

table(
  'wire/client-endpoints §4 lists of cross margin: what has to be named',
  [
    ...['open-orders', 'history-orders', 'fills'].flatMap(
      (list) =>
        [
          [`${list}: a pair and a time`, list, listed, 'ok'],
          [`${list}: no time`, list, { ...listed, startTime: undefined }, 'startTime'],
          [`${list}: no pair`, list, { ...listed, symbol: undefined }, 'symbol'],
        ] as const,
    ),
    ...['borrow-history', 'repay-history', 'interest-history', 'liquidation-history', 'financial-records'].flatMap(
      (list) =>
        [
          [`${list}: a time`, list, { startTime: '0' }, 'ok'],
          [`${list}: no time`, list, { coin: 'USDT' }, 'startTime'],
        ] as const,
    ),
  ],
  async (list, query, expected) => {
    const alice = await at.person('Alice', { mode: 'classic' })
    const answer = await alice.get(`${crossed}/${list}`, query)
    if (expected === 'ok') succeeds(answer)
    else expect(refuses(answer, '40019').msg).toContain(expected)
  },
)

// v3

row('wire/v3-endpoints §1', 'margin-loans says the terms of a coin to everybody', async () => {
  const answer = succeeds(await at.venue.get('/api/v3/market/margin-loans', { coin: 'BTC' }))
  expect(answer.data).toEqual({
    dailyInterest: '0.00007',
    annualInterest: '0.02555',
    limit: '100',
    masterSubLimit: '10000',
    platformRemaingQuota: expect.any(String),
  })
  refuses(await at.venue.get('/api/v3/market/margin-loans', { coin: 'NOSUCH' }), 'an unknown coin')
})

row('wire/v3-endpoints §2', 'loan-data says what is owed and when the next interest is due', async () => {
  await at.venue.setIndexPrices({ BTC: '60000' })
  const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
  const none = succeeds(await alice.get('/api/v3/trade/loan-data'))
  expect(none.data).toEqual({ currentLoans: '0', interestPaymentTime: '', debtCoinList: [] })
  await takenInBatch(alice, 'buy 0.3 @ 59000', btcMargin) // 17,700: 7,700 borrowed
  const owed = succeeds(await alice.get('/api/v3/trade/loan-data'))
  expect(owed.data).toEqual({
    currentLoans: '7700.0385',
    interestPaymentTime: digits,
    debtCoinList: [{ coin: 'USDT', debt: '7700.0385', interestFreeAmount: '0', interestRateNextHour: '0.000005' }],
  })
})

row('wire/v3-endpoints §4', 'repay pays out of the coin itself, or sells another for it', async () => {
  await at.venue.setIndexPrices({ BTC: '60000' })
  const bob = await at.person('Bob', { funds: { uta: { BTC: '1', USDT: '100000' } } })
  const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
  const repay = (debts: string[], payments: string[]) =>
    alice.post('/api/v3/account/repay', { repayableCoinList: debts, paymentCoinList: payments })
  refuses(await repay(['USDT'], ['USDT']), 'no debt')
  await takenInBatch(bob, 'sell 0.3 @ 60000', btcSpot)
  await takenInBatch(alice, 'buy 0.3 @ 60000', btcMargin) // owes 8,000 and 0.04
  refuses(await repay(['USDT'], ['USDT']), '50041') // nothing of it is there
  await takenInBatch(bob, 'buy 0.3 @ 60000', btcSpot)
  const answer = succeeds(await repay(['USDT'], ['BTC']))
  expect(answer.data).toEqual({ result: 'YES', repayAmount: '8000.04' })
  expect(await unifiedAsset(alice, 'USDT')).toMatchObject({ debt: '0' })
  refuses(await repay(['USDT'], ['NOSUCH']), 'an unknown coin')
})

table(
  'wire/v3-endpoints §4 set-leverage, category MARGIN; interface E6 coinConfigList',
  [
    ['within the maximum of the coin', { coin: 'BTC', leverage: '2' }, 'ok'],
    ['above it', { coin: 'BTC', leverage: '4' }, '43050'],
    ['no coin', { leverage: '2' }, 'a missing parameter'],
    ['no leverage', { coin: 'BTC' }, 'a missing parameter'],
    ['an unknown coin', { coin: 'NOSUCH', leverage: '2' }, 'an unknown coin'],
  ],
  async (fields, expected) => {
    const alice = await at.person('Alice')
    answers(await alice.post('/api/v3/account/set-leverage', { category: 'MARGIN', ...fields }), expected)
    const { coinConfigList } = succeeds(await alice.get('/api/v3/account/settings')).fields
    const shown = (coinConfigList as unknown as Fields[]).find((config) => config['coin'] === 'BTC')
    expect(shown).toEqual({ coin: 'BTC', leverage: expected === 'ok' ? '2' : '3' })
  },
)

row('risk-engine §17', '90 days of interest pass within seconds on the manual clock', async () => {
  const alice = await debtor()
  await at.venue.advance(90 * 24 * hour)
  // an hour at once and 2,160 more
  expect(await asset(alice, 'USDT')).toMatchObject({ borrow: '20000', interest: '216.1' })
})
