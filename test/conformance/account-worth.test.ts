/**
 * What a unified account is worth in v3, and how far it is from its margin: the figures of risk-engine.md §4, §16 and §21.
 *
 * Source  risk-engine.md §1, §4, §16, §21; wire/v3-endpoints.md §4 `assets`; wire/websocket.md §4 "account"
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { Socket } from '../support/socket.ts'
import { btcPerpetual, positions, setLeverage, takenInBatch } from '../support/trading.ts'
import { row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })

async function assets(person: Person): Promise<Fields> {
  return succeeds(await person.get('/api/v3/account/assets')).fields
}

const usual = { BTC: '60000', ETH: '3000', USDT: '1', USDC: '1' }

/** 1.5 BTC at 60,000 and 20 ETH at 3,000, nothing owed. */
async function holder(): Promise<Person> {
  await at.venue.setIndexPrices(usual)
  return at.person('Alice', { funds: { uta: { BTC: '1.5', ETH: '20' } } })
}

/** The account of §16: as much, and 20,000 USDT owed that have left, free of interest. */
async function debtor(): Promise<Person> {
  await at.venue.operator('coins/loans', { coin: 'USDT', dailyInterestRate: '0' })
  const alice = await holder()
  succeeds(await alice.post('/api/v2/margin/crossed/account/borrow', { coin: 'USDT', borrowAmount: '20000' }))
  const out = { fromType: 'uta', toType: 'spot', coin: 'USDT', amount: '20000' }
  succeeds(await alice.post('/api/v3/account/transfer', out))
  return alice
}

async function dealer(): Promise<Person> {
  return at.person('Bob', { funds: { uta: { USDT: '1000000' } } })
}

/** With the long of 10 BTC from 60,000 at 10x; its fee is paid in, so that the debt stays what it is. */
async function long(): Promise<Person> {
  const alice = await debtor()
  await setLeverage(alice, 10)
  await takenInBatch(await dealer(), 'sell 10 @ 60000', btcPerpetual)
  await takenInBatch(alice, 'buy 10 @ 60000', btcPerpetual)
  await at.venue.deposit(alice, { uta: { USDT: '360' } })
  return alice
}

/** With an order for 1 BTC more that rests. */
async function bidder(): Promise<Person> {
  const alice = await long()
  await takenInBatch(alice, 'buy 1 @ 60000', btcPerpetual)
  return alice
}

const figures = ['accountEquity', 'effEquity', 'mmr', 'imr', 'mgnRatio', 'positionMgnRatio'] as const

table(
  {
    rule: 'risk-engine §16',
    decision:
      '`mgnRatio` is MMR, at 1 the account is liquidated; `positionMgnRatio` the part of it that positions need',
  },
  [
    // account                          worth     adj       MM      IM       MMR           of positions
    ['nothing at all', () => at.person('Carol'), ['0', '0', '0', '0', '0', '0']],
    // 88,200 + 57,000
    ['collateral alone', holder, ['150000', '145200', '0', '0', '0', '0']],
    // 4 % and 10 % of 20,000; 800 / 125,200 = 0.006389776…
    ['and a debt', debtor, ['130000', '125200', '800', '2000', '0.00638978', '0']],
    // 3,160 + 800 and 60,000 + 2,000; 3,960 / 125,200 = 0.031629392…, 3,160 / 125,200 = 0.025239616…
    ['and a position', long, ['130000', '125200', '3960', '62000', '0.0316294', '0.02523962']],
    // 6,000 and its fee of 36
    ['and an order', bidder, ['130000', '125200', '3960', '68036', '0.0316294', '0.02523962']],
  ],
  async (account, expected) => {
    const found = await assets(await account())
    expect(figures.map((name) => found[name])).toEqual(expected)
  },
)

row(
  'risk-engine §21',
  'the margin and the profit of an isolated position are part of what the account is worth',
  async () => {
    await at.venue.setIndexPrices(usual)
    const alice = await at.person('Alice', { funds: { uta: { USDT: '10000' } } })
    await setLeverage(alice, 10)
    await takenInBatch(await dealer(), 'sell 1 @ 60000', btcPerpetual)
    const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
    const order = { ...contract, side: 'buy', orderType: 'limit', qty: '1', price: '60000', marginMode: 'isolated' }
    succeeds(await alice.post('/api/v3/trade/place-order', order))
    const [position] = await positions(alice)
    expect(position).toMatchObject({ marginMode: 'isolated', marginSize: '6000' })
    // 10,000 less a fee of 36; what the position has won or lost at the mark is in it
    const profit = Number(position?.unrealizedPL)
    const { accountEquity, usdtEquity, assets: coins, effEquity } = (await assets(alice)) as Record<string, never>
    expect(Number(accountEquity)).toBeCloseTo(9_964 + profit, 8)
    expect(usdtEquity).toBe(accountEquity)
    expect(coins).toMatchObject([{ coin: 'USDT', balance: '3964', equity: accountEquity, usdValue: accountEquity }])
    // It carries nothing else.
    expect(effEquity).toBe('3964')
  },
)

table(
  'risk-engine §16: the risk rate of v2 is the unified account’s, whatever needs margin',
  [
    // account                                     v3 `mgnRatio`
    ['nothing at all', () => at.person('Carol'), '0'],
    ['a debt alone', debtor, '0.00638978'],
    ['a position of another margin coin', long, '0.0316294'],
  ],
  async (account, ratio) => {
    const alice = await account()
    expect(await assets(alice)).toMatchObject({ mgnRatio: ratio })
    const query = { productType: 'USDC-FUTURES', symbol: 'BTCPERP', marginCoin: 'USDC' }
    const asset = succeeds(await alice.get('/api/v2/mix/account/account', query)).fields
    const accounts = succeeds(await alice.get('/api/v2/mix/account/accounts', { productType: 'USDC-FUTURES' })).list()
    expect([asset, ...accounts].map(({ crossedRiskRate }) => crossedRiskRate)).toEqual([ratio, ratio])
  },
)

row('risk-engine §16', 'v2 and the account topic show the ratio that v3 shows', async () => {
  const alice = await long()
  const { mgnRatio, effEquity, mmr, imr } = await assets(alice)
  expect(mgnRatio).toBe('0.0316294')
  const query = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }
  expect(succeeds(await alice.get('/api/v2/mix/account/account', query)).fields).toMatchObject({
    crossedRiskRate: mgnRatio,
  })
  expect(succeeds(await alice.get('/api/v2/mix/position/single-position', query)).list()).toMatchObject([
    { marginRatio: mgnRatio },
  ])
  const accounts = await alice.get('/api/v2/mix/account/accounts', { productType: 'USDT-FUTURES' })
  expect(succeeds(accounts).list()).toMatchObject([{ marginCoin: 'USDT', unionMm: mmr, crossedRiskRate: mgnRatio }])
  const socket = await Socket.of(alice, '/v3/ws/private')
  await socket.subscribe({ instType: 'UTA', topic: 'account' })
  expect((await socket.push('account')).data).toMatchObject([{ mgnRatio, effEquity, mmr, imr }])
  socket.close()
})

table(
  'risk-engine §21: worth is units × index, floored',
  [
    // coin                              units          index             USD               USDT             BTC
    ['only ever a quote', 'USDC', '1000', '0.9998', ['999.8', '999.8', '0.01666333']],
    ['the example of §4', 'USDC', '1094.609325', '0.9998', ['1094.39040313', '1094.39040313', '0.01823984']],
    ['an index finer than a tick', 'BTC', '1', '60000.12345678', ['60000.12345678', '60000.12345678', '1']],
    ['less than a unit', 'BTC', '0.00000001', '60000.12345678', ['0.0006', '0.0006', '0']],
    ['in USDT that is not worth a dollar', 'USDT', '1000', '0.9996', ['999.6', '1000', '0.01666']],
  ],
  async (coin, units, index, [usd, usdt, btc]) => {
    await at.venue.setIndexPrices({ ...usual, [coin]: index })
    const alice = await at.person('Alice', { funds: { uta: { [coin]: units } } })
    const answer = succeeds(await alice.get('/api/v3/account/assets'))
    expect(answer.data).toMatchObject({
      accountEquity: usd,
      usdtEquity: usdt,
      btcEquity: btc,
      assets: [{ coin, equity: units, usdValue: usd }],
    })
    const parts = succeeds(await alice.get('/api/v2/account/all-account-balance')).list()
    expect(parts).toContainEqual({ accountType: 'uta', usdtBalance: usdt })
    await at.venue.setIndexPrices(usual)
  },
)
