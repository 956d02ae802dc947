/**
 * E4: what a broker sees of its sub-accounts' futures assets.
 *
 * Source  interface.md E4, "Futures asset entry"; design §4.24, §4.37; risk-engine.md §11, §16, §21
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { paths, place, setLeverage, taken, unifiedAsset } from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

/** A broker with one classic sub-account that owns these coins. */
async function brokerAndSub(usdt = '10000'): Promise<{ broker: Person; sub: Person }> {
  const broker = await at.person('Broker', { mode: 'classic' })
  await at.venue.operator('accounts/broker', { uid: broker.uid, channelCode: `code${broker.uid}`, rebateRate: '0.1' })
  const funds = { usdt_futures: { USDT: usdt }, coin_futures: { BTC: '2', ETH: '5' }, usdc_futures: { USDC: '700' } }
  const sub = await at.person('Sub', { mode: 'classic', parent: broker, funds })
  return { broker, sub }
}

async function assets(broker: Person, sub: Person, productType = 'USDT-FUTURES'): Promise<Fields[]> {
  return succeeds(await broker.get(paths.subAssets, { subUid: sub.uid, productType })).list('assetsList')
}

row('Futures asset entry', 'every field is there, and a string', async () => {
  const { broker, sub } = await brokerAndSub()
  const [entry] = await assets(broker, sub)
  const names = ['marginCoin', 'available', 'frozen', 'locked', 'crossedMaxAvailable', 'isolatedMaxAvailable']
  const more = ['maxTransferOut', 'accountEquity', 'usdtEquity', 'btcEquity', 'unrealizedPL', 'uTime']
  expect(entry).toEqual(
    expect.objectContaining(Object.fromEntries([...names, ...more].map((name) => [name, expect.any(String)]))),
  )
})

row('Futures asset entry', 'an idle account: everything is available', async () => {
  const { broker, sub } = await brokerAndSub()
  const entry = (await assets(broker, sub)).find((asset) => asset['marginCoin'] === 'USDT')
  expect(entry).toMatchObject({
    available: '10000',
    frozen: '0',
    locked: '0',
    crossedMaxAvailable: '10000',
    isolatedMaxAvailable: '10000',
    maxTransferOut: '10000',
    accountEquity: '10000',
    usdtEquity: '10000',
    unrealizedPL: '0',
  })
  expect(Number(entry?.['btcEquity'])).toBeCloseTo(10000 / 60000, 6)
})

row(
  { rule: 'Futures asset entry', decision: 'frozen is the amount held by open orders (design §4.24)' },
  'risk-engine §11: buy 0.5 @ 60500 at 20x holds 1780.65',
  async () => {
    const { broker, sub } = await brokerAndSub()
    await setLeverage(sub, 20)
    await taken(sub, 'buy 0.5 @ 60500')
    const entry = (await assets(broker, sub)).find((asset) => asset['marginCoin'] === 'USDT')
    expect(entry).toMatchObject({
      frozen: '1780.65',
      available: '8219.35',
      crossedMaxAvailable: '8219.35',
      accountEquity: '10000',
    })
  },
)

row('risk-engine §16', 'what a unified account owes in the coin is its equity below zero', async () => {
  const { broker } = await brokerAndSub()
  const sub = await at.person('Sub', { parent: broker, funds: { uta: { BTC: '1' } } })
  const bob = await at.person('Bob', { funds: { uta: { USDT: '100000' } } })
  await taken(bob, 'sell 0.5 @ 60000')
  await taken(sub, 'buy 0.5 @ 60000')
  // The fee of 18 is borrowed, and its first hour of interest is owed at once.
  const [entry] = await assets(broker, sub)
  expect(entry).toMatchObject({ accountEquity: '-18.00009', usdtEquity: '-18.00009', unrealizedPL: '0' })
  expect(await unifiedAsset(sub, 'USDT')).toMatchObject({ debt: '18.00009', equity: entry?.['accountEquity'] })
})

row('risk-engine §11', 'at 20x a thousand opens 0.3293 at 60000 and not a lot more', async () => {
  const { sub } = await brokerAndSub('1000')
  await setLeverage(sub, 20)
  refuses(await place(sub, 'buy 0.3294 @ 60000'), '40762')
  succeeds(await place(sub, 'buy 0.3293 @ 60000'))
})

table(
  'E4 table productType',
  [
    // what            product type     coin and equity
    ['USDT-FUTURES', 'USDT-FUTURES', { USDT: '10000' }],
    ['USDC-FUTURES', 'USDC-FUTURES', { USDC: '700' }],
    ['COIN-FUTURES: one entry per coin', 'COIN-FUTURES', { BTC: '2', ETH: '5' }],
    ['in lower case', 'usdt-futures', { USDT: '10000' }],
  ],
  async (productType, expected) => {
    const { broker, sub } = await brokerAndSub()
    const found = (await assets(broker, sub, productType)).filter((asset) => Number(asset['accountEquity']) !== 0)
    const equities = Object.fromEntries(found.map((asset) => [asset['marginCoin'], asset['accountEquity']]))
    expect(equities).toEqual(expected)
  },
)

table(
  'E4 parameters',
  [
    // what                               query                                             refused as
    ['no subUid', { productType: 'USDT-FUTURES' }, 'a missing parameter'],
    ['no productType', { subUid: 'own' }, 'a missing parameter'],
    ['an unknown productType', { subUid: 'own', productType: 'SPOT' }, 'a parameter'],
    ['a subUid of words', { subUid: 'mine', productType: 'USDT-FUTURES' }, 'no sub-account of the caller'],
    ['a subUid of nobody', { subUid: '999999999', productType: 'USDT-FUTURES' }, 'no sub-account of the caller'],
    ['a huge subUid', { subUid: '9'.repeat(40), productType: 'USDT-FUTURES' }, 'no sub-account of the caller'],
    ['the broker itself', { subUid: 'broker', productType: 'USDT-FUTURES' }, 'no sub-account of the caller'],
  ],
  async (query, expected) => {
    const { broker, sub } = await brokerAndSub()
    const given = 'subUid' in query ? query.subUid : undefined
    const subUid = given === 'own' ? sub.uid : given === 'broker' ? broker.uid : given
    refuses(await broker.get(paths.subAssets, { ...query, subUid }), expected)
  },
)

row(
  { rule: 'E4', decision: '40029 for a main account outside the broker programme' },
  'a main account that is no broker',
  async () => {
    const main = await at.person('Main', { mode: 'classic' })
    const sub = await at.person('Sub', { mode: 'classic', parent: main })
    refuses(await main.get(paths.subAssets, { subUid: sub.uid, productType: 'USDT-FUTURES' }), '40029')
  },
)

row('E4', 'a sub-account of another main account', async () => {
  const { broker } = await brokerAndSub()
  const other = await at.person('Main', { mode: 'classic' })
  const sub = await at.person('Sub', { mode: 'classic', parent: other })
  const answer = await broker.get(paths.subAssets, { subUid: sub.uid, productType: 'USDT-FUTURES' })
  refuses(answer, 'no sub-account of the caller')
})

row('E4', 'a sub-account of a broker may not ask', async () => {
  const { sub } = await brokerAndSub()
  const answer = await sub.get(paths.subAssets, { subUid: sub.uid, productType: 'USDT-FUTURES' })
  refuses(answer, 'no broker or no main account')
})

row('E4', 'the demo broker and its sub-account', async () => {
  const sub = at.venue.demoKeys.find((key) => key.role === 'broker-sub')
  const query = { subUid: sub?.uid, productType: 'USDT-FUTURES' }
  const entries = succeeds(await at.venue.as('broker-main').get(paths.subAssets, query)).list('assetsList')
  expect(entries.map((entry) => entry['marginCoin'])).toContain('USDT')
  refuses(await at.venue.as('classic-main').get(paths.subAssets, query), '40029')
})

row('Futures asset entry', 'equities in other coins are rounded down at eight decimals', async () => {
  const { broker, sub } = await brokerAndSub('10000')
  const [usdt] = await assets(broker, sub)
  expect(usdt).toMatchObject({ marginCoin: 'USDT', btcEquity: '0.16666666' })
  const coins = await assets(broker, sub, 'COIN-FUTURES')
  const btc = coins.find((coin) => coin['marginCoin'] === 'BTC')
  expect(btc).toMatchObject({ accountEquity: '2', usdtEquity: '120000', btcEquity: '2' })
})
