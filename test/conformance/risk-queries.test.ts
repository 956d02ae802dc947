/**
 * Questions about risk: the queue of auto-deleveraging, how much can be opened, and what is held beyond margin and fee.
 *
 * Source  wire/v3-endpoints §3; wire/client-endpoints §4; risk-engine §11, §15
 */
import { expect } from 'vitest'
import { batchOrder, btcInverse, btcPerpetual, setHoldMode, taken, takenInBatch } from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const maxOpenPath = '/api/v3/account/max-open-available'
const openCountPath = '/api/v2/mix/account/open-count'
const unified = { funds: { uta: { USDT: '1000' } } } as const
const classic = { mode: 'classic', funds: { usdt_futures: { USDT: '100000' } } } as const
const btc = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const

row('adlRank', 'v3: an array with a record for every position, five lights for the first in the queue', async () => {
  const alice = await at.person('Alice', unified)
  const bob = await at.person('Bob', classic)
  expect(succeeds(await alice.get('/api/v3/position/adlRank')).data).toEqual([])
  await taken(bob, 'sell 0.01 @ 60000')
  await takenInBatch(alice, 'buy 0.01 @ 60000', btcPerpetual)
  const [record, ...others] = succeeds(await alice.get('/api/v3/position/adlRank')).list()
  expect(others).toEqual([])
  expect(record).toMatchObject({ symbol: 'BTCUSDT', marginCoin: 'USDT', holdSide: 'long' })
  expect(['1', '2', '3', '4', '5']).toContain(record?.['adlRank'])
})

row('adlRank', 'v2: of one product line, for a classic account', async () => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', classic)
  await taken(bob, 'sell 0.01 @ 60000')
  await taken(alice, 'buy 0.01 @ 60000')
  const path = '/api/v2/mix/position/adlRank'
  const [record] = succeeds(await bob.get(path, { productType: 'usdt-futures' })).list()
  expect(record).toMatchObject({ symbol: 'BTCUSDT', marginCoin: 'USDT', holdSide: 'short' })
  expect(Number(record?.['rank'])).toBeGreaterThan(0)
  expect(Number(record?.['rank'])).toBeLessThanOrEqual(1)
  expect(succeeds(await bob.get(path, { productType: 'COIN-FUTURES' })).data).toEqual([])
  refuses(await bob.get(path), 'a missing parameter')
})

row('max-open-available', 'the figures of risk-engine §11: 1,000 at 60,000 and 20x', async () => {
  const alice = await at.person('Alice', unified)
  const ask = { ...btc, orderType: 'limit', side: 'buy', price: '60000', size: '0.1' }
  expect(succeeds(await alice.post(maxOpenPath, ask)).data).toEqual({
    available: '1000',
    maxOpen: '0.3293',
    buyOpenCost: '303.6',
    sellOpenCost: '303.6',
    maxBuyOpen: '0.3293',
    maxSellOpen: '0.3293',
  })
})

row('max-open-available', 'an order of the answer is accepted, one of a step more is not', async () => {
  const alice = await at.person('Alice', unified)
  const ask = { ...btc, orderType: 'limit', side: 'sell', price: '61000' }
  const { maxOpen, sellOpenCost } = succeeds(await alice.post(maxOpenPath, ask)).data as Record<string, string>
  expect(sellOpenCost).toBe('')
  const more = (Number(maxOpen) + 0.0001).toFixed(4)
  refuses(await alice.post('/api/v3/trade/place-order', batchOrder(`sell ${more} @ 61000`)), '40762')
  succeeds(await alice.post('/api/v3/trade/place-order', batchOrder(`sell ${maxOpen} @ 61000`)))
})

row('max-open-available', 'inverse sizes are USD contracts; hedge mode opens a side', async () => {
  const alice = await at.person('Alice', { funds: { uta: { BTC: '0.1' } } })
  await setHoldMode(alice, 'hedge_mode')
  const ask = { category: 'COIN-FUTURES', symbol: 'BTCUSD', orderType: 'limit', side: 'buy', price: '59000' }
  const { maxBuyOpen } = succeeds(await alice.post(maxOpenPath, ask)).data as Record<string, string>
  expect(maxBuyOpen).toMatch(/^[0-9]+$/)
  await takenInBatch(alice, `buy ${maxBuyOpen} long @ 59000`, btcInverse)
})

row('max-open-available', 'spot and margin say what may be spent, of the coin that is spent', async () => {
  const alice = await at.person('Alice', unified)
  const ask = { symbol: 'BTCUSDT', orderType: 'market', side: 'buy' }
  const none = { buyOpenCost: '', sellOpenCost: '', maxBuyOpen: '', maxSellOpen: '' }
  expect(succeeds(await alice.post(maxOpenPath, { ...ask, category: 'SPOT' })).data).toEqual({
    available: '1000',
    maxOpen: '',
    ...none,
  })
  const margin = succeeds(await alice.post(maxOpenPath, { ...ask, category: 'MARGIN' })).data as Record<string, string>
  expect(margin).toMatchObject({ available: '1000', ...none })
  expect(Number(margin['maxOpen'])).toBeGreaterThan(1000)
})

table(
  'max-open-available: what it needs',
  [
    ['a limit order without a price', { ...btc, orderType: 'limit', side: 'buy' }, 'a missing parameter'],
    ['no side', { ...btc, orderType: 'market' }, 'a missing parameter'],
    ['a side that there is not', { ...btc, orderType: 'market', side: 'up' }, 'a parameter'],
    ['a price off its step', { ...btc, orderType: 'limit', side: 'buy', price: '60000.01' }, '40808'],
  ] as const,
  async (ask, family) => {
    const alice = await at.person('Alice', unified)
    refuses(await alice.post(maxOpenPath, ask), family)
  },
)

row('max-open-available', 'a key that may only read is enough, and a classic account is told so', async () => {
  const alice = await at.person('Alice', { ...unified, permissions: ['read-only'] })
  const ask = { ...btc, orderType: 'market', side: 'buy' }
  succeeds(await alice.post(maxOpenPath, ask))
  const bob = await at.person('Bob', classic)
  refuses(await bob.post(maxOpenPath, ask), '40084')
})

table(
  'open-count: what a margin opens, whatever the account has',
  [
    ['1,000 at 60,000 and the 20x of absence', { openAmount: '1000', openPrice: '60000' }, '0.3293'],
    ['twice the leverage', { openAmount: '1000', openPrice: '60000', leverage: '40' }, '0.651'],
    ['less than a step', { openAmount: '0.1', openPrice: '60000' }, '0'],
  ] as const,
  async (ask, size) => {
    const bob = await at.person('Bob', { mode: 'classic' })
    const named = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
    expect(succeeds(await bob.get(openCountPath, { ...named, ...ask })).data).toEqual({ size })
  },
)

row('open-count', 'of an inverse contract in base coin', async () => {
  const bob = await at.person('Bob', { mode: 'classic' })
  const named = { symbol: 'BTCUSD', productType: 'COIN-FUTURES', marginCoin: 'BTC' }
  const ask = { openAmount: '0.0503', openPrice: '60000', leverage: '10' }
  expect(succeeds(await bob.get(openCountPath, { ...named, ...ask })).data).toEqual({ size: '0.5' })
  refuses(await bob.get(openCountPath, { ...named, ...ask, marginCoin: 'USDT' }), '40778')
})

row('risk rules', 'the operator changes them, sees what is in force, and both versions show the markups', async () => {
  const alice = await at.person('Alice', unified)
  const changed = await at.venue.operator('risk', { orderMarginMarkup: '0.1', orderFeeMarkup: '0.2' })
  expect(changed).toMatchObject({ orderMarginMarkup: '0.1', orderFeeMarkup: '0.2' })
  expect(await at.venue.operator('risk')).toEqual(changed)
  const ask = { ...btc, orderType: 'limit', side: 'buy', price: '60000', size: '0.1' }
  // 300 × 1.1 + 3.6 × 1.2
  expect(succeeds(await alice.post(maxOpenPath, ask)).data).toMatchObject({ buyOpenCost: '334.32' })
  const up = { openCostUpRatio: '0.1', feeRateUpRatio: '0.2' }
  expect(succeeds(await alice.get('/api/v3/market/instruments', btc)).list()[0]).toMatchObject(up)
  const contracts = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }
  expect(succeeds(await alice.get('/api/v2/mix/market/contracts', contracts)).list()[0]).toMatchObject(up)
  await at.venue.operator('risk', { orderMarginMarkup: '0', orderFeeMarkup: '0' })
})

row('risk rules', 'bands, collateral and funding terms count at once and are shown', async () => {
  await at.venue.operator('instruments/bands', { ...btc, limitPriceRatio: '0.01' })
  const alice = await at.person('Alice', unified)
  refuses(await alice.post('/api/v3/trade/place-order', batchOrder('buy 0.01 @ 61000')), '40815')
  await at.venue.operator('instruments/bands', { ...btc, limitPriceRatio: '0.2' })
  const slices = [{ to: '1000000', ratio: '0.5' }]
  await at.venue.operator('coins/collateral', { coin: 'DOGE', collateral: slices, debtInitialRate: '0.3' })
  const coins = await at.venue.operator<Record<string, unknown>[]>('coins')
  expect(coins.find(({ coin }) => coin === 'DOGE')).toMatchObject({ collateral: slices, debtInitialRate: '0.3' })
  await at.venue.operator('pricing', { fundingInterestRate: '0.0002' })
  expect(await at.venue.operator('pricing')).toMatchObject({ fundingInterestRate: '0.0002' })
  await expect(at.venue.operator('risk', { adlEndShare: '0.5' })).rejects.toThrow('adlStartShare')
})
