/**
 * Codes that mean one thing: the word of a side, bounds that are told, methods, and cancelling where nothing is open.
 *
 * Source  wire/errors.md; design §4.4; docs/interface.md "HTTP status codes"
 */
import { expect } from 'vitest'
import { ethSpot, singleOrder, btcInverse, btcPerpetual, btcUsdc, type Market } from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const lines: readonly Market[] = [btcPerpetual, btcInverse, btcUsdc]
const classic = { mode: 'classic', funds: { crossed_margin: { USDT: '1000' } } } as const

table(
  'v2 futures: another word for side',
  lines.map((market) => [market.category, market] as const),
  async (market) => {
    const alice = await at.person('Alice', { mode: 'classic' })
    const order = { ...singleOrder('buy 1 @ 100', market), side: 'up' }
    const contract = { productType: market.category, symbol: market.symbol, marginCoin: market.marginCoin }
    const plan = { ...order, planType: 'normal_plan', triggerPrice: '100', triggerType: 'mark_price' }
    for (const [path, body] of [
      ['place-order', order],
      ['place-plan-order', plan],
      ['click-backhand', { ...contract, side: 'up' }],
    ] as const) {
      const answer = refuses(await alice.post(`/api/v2/mix/order/${path}`, body), '400172')
      expect(answer.msg).toBe('Parameter verification failed: side should be one of buy, sell')
    }
    const batch = { ...contract, marginMode: 'crossed', orderList: [order] }
    const { data } = succeeds(await alice.post('/api/v2/mix/order/batch-place-order', batch))
    expect(data).toMatchObject({ successList: [], failureList: [{ errorCode: '400172' }] })
  },
)

row('v2 spot: another word for side', 'is 40017 as any other word', async () => {
  const alice = await at.person('Alice', { mode: 'classic' })
  const order = { symbol: 'BTCUSDT', side: 'up', orderType: 'market', size: '1' }
  refuses(await alice.post('/api/v2/spot/trade/place-order', order), '40017')
})

table(
  {
    rule: 'v2 margin: more than numbers carry',
    decision: 'counts as the most: more than may be borrowed, cut to the debt',
  },
  [
    ['99,999,999,999', '99999999999'],
    ['forty digits', '9'.repeat(40)],
    ['what is carried', '90000000000'],
  ],
  async (amount) => {
    const alice = await at.person('Alice', classic)
    const account = '/api/v2/margin/crossed/account'
    const asked = succeeds(await alice.get(`${account}/max-borrowable-amount`, { coin: 'USDT' }))
    const most = asked.fields['maxBorrowableAmount'] ?? ''
    const answer = refuses(
      await alice.post(`${account}/borrow`, { coin: 'USDT', borrowAmount: amount }),
      '50035 or 50038',
    )
    expect(answer.msg).toMatch(new RegExp(`: at most ${most.replace('.', '[.]')}$`))
    succeeds(await alice.post(`${account}/borrow`, { coin: 'USDT', borrowAmount: '100' }))
    const repaid = succeeds(await alice.post(`${account}/repay`, { coin: 'USDT', repayAmount: amount }))
    expect(repaid.data).toMatchObject({ remainDebtAmount: '0' })
  },
)

table(
  'bounds are told',
  [
    [
      'an amount to transfer',
      '/api/v3/account/transfer',
      { fromType: 'uta', toType: 'spot', coin: 'USDT', amount: '99999999999' },
      '400172',
      'amount should be at most 92233720368.54775807',
    ],
    [
      'a price',
      '/api/v3/trade/place-order',
      { category: 'SPOT', symbol: 'ETHUSDT', side: 'buy', orderType: 'limit', qty: '1', price: '9'.repeat(30) },
      '40706',
      'price should be at most',
    ],
    [
      'a price of nothing',
      '/api/v3/trade/place-order',
      { category: 'SPOT', symbol: 'ETHUSDT', side: 'buy', orderType: 'limit', qty: '1', price: '0' },
      '40706',
      'price should be greater than 0',
    ],
    [
      'a quantity of a pair',
      '/api/v3/trade/place-order',
      { category: 'SPOT', symbol: 'ETHUSDT', side: 'sell', orderType: 'market', qty: '9'.repeat(30) },
      '43007',
      /quantity [\d.]+$/,
    ],
    [
      'a quantity of contracts',
      '/api/v3/trade/place-order',
      { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'sell', orderType: 'market', qty: '9'.repeat(30) },
      '45112',
      /quantity [\d.]+$/,
    ],
  ] as const,
  async (path, body, code, told) => {
    const alice = await at.person('Alice', { funds: { uta: { USDT: '1000' } } })
    const answer = refuses(await alice.post(path, body), code)
    expect(answer.msg).toMatch(told)
  },
)

row('E11', 'without debt there is nothing to repay', async () => {
  const alice = await at.person('Alice', classic)
  const answer = refuses(
    await alice.post('/api/v2/margin/crossed/account/repay', { coin: 'USDT', repayAmount: '1' }),
    '40812',
  )
  expect(answer.msg).toBe('The condition a debt to repay is not met')
  const bob = await at.person('Bob', { funds: { uta: { USDT: '1000' } } })
  const debts = { repayableCoinList: ['USDT'], paymentCoinList: ['USDT'] }
  refuses(await bob.post('/api/v3/account/repay', debts), '40812')
})

table(
  { rule: 'design §4.4: a wrong method', decision: '405 with 40404: no code is documented for it' },
  [
    ['v2', 'POST', '/api/v2/spot/market/tickers'],
    ['v3', 'DELETE', '/api/v3/trade/cancel-order'],
  ],
  async (method, target) => {
    const answer = refuses(await at.venue.exchange({ method, target }), '40404', 405)
    expect(answer.msg).toBe(`Request URL NOT FOUND for ${method}`)
  },
)

table(
  { rule: 'cancelling all orders', decision: 'with nothing open is a success: what was asked for holds' },
  [
    [
      'v3',
      'unified',
      '/api/v3/trade/cancel-symbol-order',
      ['SPOT', 'MARGIN', ...lines.map(({ category }) => category)],
    ],
    ['v2 futures', 'classic', '/api/v2/mix/order/cancel-all-orders', lines.map(({ category }) => category)],
    [
      'v2 futures, trigger orders',
      'classic',
      '/api/v2/mix/order/cancel-plan-order',
      lines.map(({ category }) => category),
    ],
    ['v2 spot', 'classic', '/api/v2/spot/trade/cancel-symbol-order', ['SPOT']],
    ['v2 spot, trigger orders', 'classic', '/api/v2/spot/trade/batch-cancel-plan-order', ['SPOT']],
  ] as const,
  async (mode, path, categories) => {
    const alice = await at.person('Alice', { mode })
    for (const category of categories) {
      const body =
        mode === 'unified' ? { category } : category === 'SPOT' ? { symbol: ethSpot.symbol } : { productType: category }
      succeeds(await alice.post(path, body))
    }
  },
)
