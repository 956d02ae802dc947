/**
 * Estimates before an order, and facts that clients ask for: v2 `max-open`, `liq-price`, `plan-sub-order` of spot,
 * `transfer-coin-info`, deduction, announcements, interest behind futures; v3 `delta-info`, `rate-limit-quota`.
 *
 * Source  fidelity §2
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person, Query } from '../support/person.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })

const source = 'fidelity §2 single calls'
const contract = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' } as const
const order = { ...contract, posSide: 'long', orderType: 'limit', openPrice: '60000' } as const
const maxOpen = '/api/v2/mix/account/max-open'
const liqPrice = '/api/v2/mix/account/liq-price'
const placeOrder = '/api/v2/mix/order/place-order'

const trader = (name = 'Carol', usdt = '1000'): Promise<Person> =>
  at.person(name, { mode: 'classic', funds: { usdt_futures: { USDT: usdt }, coin_futures: { BTC: '1' } } })

const limitOrder = (side: string, size: string) =>
  ({ ...contract, marginMode: 'crossed', side, size, price: '60000', orderType: 'limit', force: 'gtc' }) as const

row(source, 'the largest order is accepted, and one of a step more is not', async () => {
  const carol = await trader()
  carol.hasTraded = true
  const { maxOpen: most } = succeeds(await carol.get(maxOpen, order)).fields
  const more = (Number(most) + 0.0001).toFixed(4)
  refuses(await carol.post(placeOrder, limitOrder('buy', more)), '40762')
  succeeds(await carol.post(placeOrder, limitOrder('buy', String(most))))
})

row(source, 'the estimated liquidation price is what the position then has, but for the fee', async () => {
  const [carol, bob] = [await trader(), await trader('Bob', '100000')]
  carol.hasTraded = bob.hasTraded = true
  const { liqPrice: expected } = succeeds(await carol.get(liqPrice, { ...order, openAmount: '0.1' })).fields
  succeeds(await bob.post(placeOrder, limitOrder('sell', '0.1')))
  succeeds(await carol.post(placeOrder, limitOrder('buy', '0.1')))
  const [position] = succeeds(await carol.get('/api/v2/mix/position/single-position', contract)).list()
  const fee = 60_000 * 0.1 * 0.0006
  expect(Math.abs(Number(position?.['liquidationPrice']) - Number(expected))).toBeLessThan((fee * 1.01) / 0.1 + 0.1)
  expect(Number(expected)).toBeGreaterThan(40_000)
})

row(source, 'of a coin-margined contract both count base coin', async () => {
  const inverse = { ...order, symbol: 'BTCUSD', productType: 'COIN-FUTURES', marginCoin: 'BTC' }
  const carol = await trader()
  const { maxOpen: most } = succeeds(await carol.get(maxOpen, inverse)).fields
  expect(Number(most)).toBeGreaterThan(1)
  const asked = { ...inverse, posSide: 'short', openAmount: '10' }
  expect(Number(succeeds(await carol.get(liqPrice, asked)).fields['liqPrice'])).toBeGreaterThan(60_000)
  refuses(await carol.get(liqPrice, { ...asked, openAmount: '0.00000001' }), 'a parameter')
})

table(
  source,
  [
    ['a limit order without a price', maxOpen, { openPrice: '' }, 'a parameter'],
    ['an unknown symbol', maxOpen, { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['another margin coin', maxOpen, { marginCoin: 'BTC' }, 'the margin coin'],
    ['no such side', maxOpen, { posSide: 'net' }, 'a parameter'],
    ['a price off the step', liqPrice, { openPrice: '60000.05', openAmount: '0.1' }, 'the price step'],
    ['an amount off the step', liqPrice, { openAmount: '0.00001' }, 'the quantity step'],
    ['no amount', liqPrice, {}, 'a missing parameter'],
  ],
  async (path, change: Fields, code) => {
    refuses(await (await trader()).get(path, { ...order, ...change }), code)
  },
)

row(source, 'a market order needs no price', async () => {
  const { openPrice: _none, ...market } = { ...order, orderType: 'market' }
  const carol = await trader()
  expect(succeeds(await carol.get(maxOpen, market)).fields).toEqual({ maxOpen: '0' })
  expect(succeeds(await carol.get(liqPrice, { ...market, openAmount: '0.1' })).fields['liqPrice']).toMatch(/^\d/)
})

row(source, 'the order that a spot trigger order became', async () => {
  const spot = { mode: 'classic', funds: { spot: { USDT: '100000', BTC: '1' } } } as const
  const [carol, bob] = [await at.person('Carol', spot), await at.person('Bob', spot)]
  carol.hasTraded = bob.hasTraded = true
  const plan = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', planType: 'amount', triggerType: 'fill_price' }
  const terms = { ...plan, triggerPrice: '61000', executePrice: '59000', size: '0.1' }
  const { orderId: planOrderId } = succeeds(await carol.post('/api/v2/spot/trade/place-plan-order', terms)).fields
  const path = '/api/v2/spot/trade/plan-sub-order'
  expect(succeeds(await carol.get(path, { planOrderId: String(planOrderId) })).list()).toEqual([])
  const trade = { symbol: 'BTCUSDT', orderType: 'limit', force: 'gtc', price: '61000', size: '0.01' }
  succeeds(await bob.post('/api/v2/spot/trade/place-order', { ...trade, side: 'sell' }))
  const eve = await at.person('Eve', spot)
  succeeds(await eve.post('/api/v2/spot/trade/place-order', { ...trade, side: 'buy' }))
  await at.venue.advance(1000)
  const found = succeeds(await carol.get(path, { planOrderId: String(planOrderId) })).list()
  expect(found).toEqual([{ orderId: expect.stringMatching(/^\d+$/), price: '59000', type: 'limit', status: 'live' }])
  expect(succeeds(await bob.get(path, { planOrderId: String(planOrderId) })).list()).toEqual([])
})

row(source, 'coins between wallets; fees have no discount', async () => {
  const carol = await trader()
  const path = '/api/v2/spot/wallet/transfer-coin-info'
  const coins = succeeds(await carol.get(path, { fromType: 'spot', toType: 'usdt_futures' })).data
  expect(coins).toEqual(['USDT'])
  refuses(await carol.get(path, { fromType: 'spot', toType: 'uta' }), 'the account type')
  refuses(await carol.get(path, { fromType: 'spot', toType: 'spot' }), 'the account type')
  expect(succeeds(await carol.get('/api/v2/spot/account/deduct-info')).fields).toEqual({ deduct: 'off' })
  expect(succeeds(await carol.post('/api/v2/spot/account/switch-deduct', { deduct: 'off' })).data).toBe(true)
  refuses(await carol.post('/api/v2/spot/account/switch-deduct', { deduct: 'on' }), 'a parameter')
})

row(source, 'what the venue announces: its listings, newest first, page by page', async () => {
  const get = async (query: Query) => {
    const target = `/api/v2/public/annoucements?${new URLSearchParams(query as Record<string, string>).toString()}`
    return succeeds(await at.venue.exchange({ method: 'GET', target })).list()
  }
  const first = await get({ language: 'en_US', limit: '2' })
  expect(first).toHaveLength(2)
  expect(first[0]).toMatchObject({ annType: 'coin_listings', language: 'en_US', cTime: expect.stringMatching(/^\d+$/) })
  const [next] = await get({ limit: '2', cursor: String(first[1]?.['annId']) })
  expect(Number(next?.['annId'])).toBe(Number(first[1]?.['annId']) - 1)
  expect(await get({ annType: 'symbol_delisting' })).toEqual([])
  expect(await get({ endTime: '1' })).toEqual([])
})

row(source, 'interest behind futures: of a unified account what it paid, of a classic one nothing', async () => {
  const uma = await at.person('Uma', { mode: 'unified', funds: { uta: { BTC: '1' } } })
  succeeds(await uma.post('/api/v2/margin/crossed/account/borrow', { coin: 'USDT', borrowAmount: '100' }))
  const path = '/api/v2/mix/account/interest-history'
  const asked = { productType: 'USDT-FUTURES', coin: 'USDT' }
  const found = succeeds(await uma.get(path, asked))
  expect(found.list('interestList')).toMatchObject([{ coin: 'USDT', interestFreeLimit: '0' }])
  expect(Number(found.fields['borrowAmount'])).toBeGreaterThan(100)
  const none = succeeds(await (await trader()).get(path, asked)).fields
  expect(none).toMatchObject({ interestList: [], borrowAmount: '0', endId: '' })
})

row(source, 'index prices in USDT', async () => {
  const target = '/api/v2/mix/market/exchange-rate'
  const rates = succeeds(await at.venue.exchange({ method: 'GET', target })).list()
  const rate = (name: string) => rates.find(({ coin }) => coin === name)?.['exchangeRateList']
  expect(rate('BTC')).toMatchObject([{ tier: '1', minAmount: '0', exchangeRate: '60000' }])
  expect(rate('USDT')).toMatchObject([{ exchangeRate: '1' }])
})

row(source, 'delta of a unified account: its coins and its contracts', async () => {
  const uma = await at.person('Uma', { mode: 'unified', funds: { uta: { BTC: '1', USDT: '60000' } } })
  const { list, ...delta } = succeeds(await uma.get('/api/v3/account/delta-info')).fields
  expect(delta).toEqual({ deltaEquityRatio: '0.5', deltaThreshold: '', positionThreshold: '' })
  expect(list).toEqual([{ coin: 'BTC', positionRatio: '0.5' }])
})

row(source, 'quotas of a family', async () => {
  const mia = await at.person('Mia', {})
  const sub = await at.person('Sub', { parent: mia })
  const path = '/api/v3/user/rate-limit-quota'
  const all = succeeds(await mia.get(path, { category: 'spot' })).fields
  expect(all).toMatchObject({ category: 'spot', masterSubQuota: '20', masterSubCap: '', cursor: '' })
  expect(all['quotaList']).toEqual([mia, sub].map(({ uid }) => ({ uid, quota: '10' })))
  const first = succeeds(await mia.get(path, { category: 'spot', limit: '1' })).fields
  expect(first['cursor']).toBe(mia.uid)
  const rest = succeeds(await mia.get(path, { category: 'spot', cursor: mia.uid })).fields
  expect(rest['quotaList']).toEqual([{ uid: sub.uid, quota: '10' }])
  refuses(await mia.get(path, { category: 'spot', uid: '5' }), 'no sub-account of the caller')
  refuses(await mia.get(path, { category: 'margin' }), 'a parameter')
})
