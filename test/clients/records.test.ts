/**
 * What moved an account's money, through the published clients: ledgers, transfers, closed positions, funding.
 *
 * Source  design §6 (test/clients); wire/client-endpoints.md §2; wire/v3-endpoints.md §4, §8
 */
import type { bitget } from 'ccxt'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Person } from '../support/person.ts'
import { btcMargin, btcPerpetual, btcSpot, ethPerpetual, taken, takenInBatch } from '../support/trading.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { clientV2, clientV3 } from './support/bitget-api.ts'
import { callsOf } from './support/calls.ts'
import { ccxtAt } from './support/ccxt.ts'

let venue: Venue
let carol: Person
let alice: Person
let sub: Person

/** Both have bought 0.1 BTC on spot, opened, been settled and closed a position, and moved some of their money. */
beforeAll(async () => {
  venue = await startVenue()
  const bob = await venue.person('Bob', { funds: { uta: { USDT: '1000000', BTC: '10' } } })
  alice = await venue.person('Alice', { funds: { uta: { USDT: '10000' } } })
  sub = await venue.person('Sub', { parent: alice })
  carol = await venue.person('Carol', {
    mode: 'classic',
    funds: { spot: { USDT: '10000' }, usdt_futures: { USDT: '10000' } },
  })
  await takenInBatch(bob, 'sell 0.2 @ 60000', btcSpot)
  await takenInBatch(alice, 'buy 0.1 @ 60000', btcSpot)
  const bought = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', size: '0.1', price: '60000' }
  await carol.post('/api/v2/spot/trade/place-order', bought)
  for (const [side, opposite] of [
    ['buy', 'sell'],
    ['sell', 'buy'],
  ]) {
    await takenInBatch(bob, `${opposite} 0.2 @ 60000`, btcPerpetual)
    await takenInBatch(alice, `${side} 0.1 @ 60000`, btcPerpetual)
    await taken(carol, `${side} 0.1 @ 60000`)
    if (side === 'buy') await venue.operator('funding/settle', { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' })
  }
  await takenInBatch(bob, 'buy 0.2 @ 60000', btcSpot)
  await takenInBatch(alice, 'sell 0.2 @ 60000', btcMargin)
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcSpot)
  await alice.post('/api/v3/account/repay', { repayableCoinList: ['BTC'], paymentCoinList: ['USDT'] })
  const move = { coin: 'USDT', amount: '1' }
  await carol.post('/api/v2/spot/wallet/transfer', { ...move, fromType: 'spot', toType: 'usdt_futures' })
  await alice.post('/api/v3/account/transfer', { ...move, fromType: 'uta', toType: 'spot' })
  const down = { ...move, fromType: 'uta', toType: 'uta', fromUserId: alice.uid, toUserId: sub.uid, clientOid: 'down' }
  await alice.post('/api/v3/account/sub-transfer', down)

  const erin = await venue.person('Erin', { mode: 'classic', funds: { usdt_futures: { USDT: '200' } } })
  await takenInBatch(bob, 'sell 1 @ 3000', ethPerpetual)
  await taken(erin, 'buy 1 @ 3000', ethPerpetual)
  await venue.setIndexPrices({ ETH: '2700' })
})
afterAll(async () => {
  await venue?.remove()
})

/** `type amount -> after`, oldest first as ccxt sorts them. */
async function ledger(exchange: bitget, ...ask: Parameters<bitget['fetchLedger']>): Promise<string[]> {
  return (await exchange.fetchLedger(...ask)).map(
    ({ type, direction, amount, after }) => `${type} ${direction} ${amount} -> ${after}`,
  )
}

describe('ccxt, classic', () => {
  const { works } = callsOf('ccxt', 'classic')
  let exchange: bitget
  beforeAll(async () => {
    exchange = ccxtAt(venue, 'classic', carol.key)
    await exchange.loadMarkets()
  })

  works('fetchLedger, spot', async () => {
    expect(await ledger(exchange, 'USDT')).toEqual([
      'deposit in 10000 -> 10000',
      'trade out 6000 -> 4000',
      'transfer out 1 -> 3999',
    ])
    const [bought] = await exchange.fetchLedger('BTC')
    expect(bought).toMatchObject({ type: 'trade', before: 0, after: 0.0999, fee: { cost: 0.0001 } })
    const newest = await exchange.fetchLedger('USDT', undefined, 1)
    expect(newest.map(({ type }) => type)).toEqual(['transfer'])
  })

  works('fetchLedger, swap', async () => {
    const types = (await exchange.fetchLedger('USDT', undefined, undefined, { type: 'swap' })).map(({ type }) => type)
    expect(types).toEqual(['transfer', 'trade', 'fee', 'trade', 'transfer'])
    const ofSymbol = await exchange.fetchLedger('USDT', undefined, undefined, { symbol: 'BTC/USDT:USDT' })
    expect(ofSymbol.length).toBeGreaterThan(0)
  })

  works('fetchTransfers', async () => {
    expect(await exchange.fetchTransfers('USDT')).toMatchObject([
      { currency: 'USDT', amount: 1, fromAccount: 'spot', toAccount: 'swap', status: 'ok' },
    ])
  })

  works('fetchPositionsHistory', async () => {
    const [position] = await exchange.fetchPositionsHistory(['BTC/USDT:USDT'])
    expect(position).toMatchObject({ symbol: 'BTC/USDT:USDT', side: 'long', entryPrice: 60000, lastPrice: 60000 })
    expect(Math.abs((position?.timestamp ?? 0) - Date.now())).toBeLessThan(600_000)
    expect(position?.lastUpdateTimestamp).toBeGreaterThanOrEqual(position?.timestamp ?? Infinity)
  })

  works('fetchFundingHistory', async () => {
    const [paid, ...more] = await exchange.fetchFundingHistory('BTC/USDT:USDT')
    expect(more).toEqual([])
    expect(paid).toMatchObject({ symbol: 'BTC/USDT:USDT', code: 'USDT' })
    expect(paid?.amount).toBeLessThan(0)
  })
})

describe('ccxt, uta', () => {
  const { works } = callsOf('ccxt', 'uta')
  let exchange: bitget
  beforeAll(async () => {
    exchange = ccxtAt(venue, 'uta', alice.key)
    await exchange.loadMarkets()
  })

  works('fetchLedger, spot', async () => {
    expect((await ledger(exchange, 'USDT'))[0]).toBe('trade out 6000 -> 4000')
    const all = await exchange.fetchLedger()
    const paged = await exchange.fetchLedger(undefined, undefined, undefined, { paginate: true, limit: 1 })
    expect(new Set(paged.map(({ id }) => id))).toEqual(new Set(all.map(({ id }) => id)))
    expect(all).toHaveLength(paged.length)
  })

  works('fetchLedger, margin', async () => {
    const types = (await exchange.fetchLedger('BTC', undefined, undefined, { marginMode: 'cross' })).map(
      ({ info }) => (info as { type: string }).type,
    )
    expect(types).toEqual(expect.arrayContaining(['BORROW', 'ORDER_DEALT_FROZEN_OUT', 'REPAYMENT']))
  })

  works('fetchLedger, swap', async () => {
    const types = (await exchange.fetchLedger('USDT', undefined, undefined, { type: 'swap' })).map(({ type }) => type)
    expect(types).toEqual(['trade', 'fee', 'trade'])
  })

  works('fetchLedger, funding', async () => {
    expect(await ledger(exchange, 'USDT', undefined, undefined, { type: 'funding' })).toEqual(['transfer in 1 -> 1'])
  })

  works('fetchTransfers', async () => {
    expect(await exchange.fetchTransfers('USDT', undefined, undefined, { fromType: 'uta' })).toHaveLength(2)
  })

  works('fetchPositionsHistory', async () => {
    const [position] = await exchange.fetchPositionsHistory(['BTC/USDT:USDT'])
    expect(position).toMatchObject({ symbol: 'BTC/USDT:USDT', side: 'long', entryPrice: 60000, lastPrice: 60000 })
  })

  works('fetchFundingHistory', async () => {
    const [paid, ...more] = await exchange.fetchFundingHistory('BTC/USDT:USDT')
    expect(more).toEqual([])
    expect(paid?.amount).toBeLessThan(0)
  })
})

describe('bitget-api, v2', () => {
  const { works } = callsOf('bitget-api', 'v2')
  const client = () => clientV2(venue, carol.key)

  works('getSpotAccountBills', async () => {
    expect((await client().getSpotAccountBills({ coin: 'USDT', groupType: 'transfer' })).data).toHaveLength(1)
  })

  works('getFuturesAccountBills', async () => {
    const { data } = await client().getFuturesAccountBills({ productType: 'USDT-FUTURES', limit: '2' })
    expect(data.bills).toHaveLength(2)
    expect(data.endId).toBe(data.bills[1]?.billId)
  })

  works('getSpotTransferHistory', async () => {
    expect((await client().getSpotTransferHistory({ coin: 'USDT', fromType: 'spot' })).data).toHaveLength(1)
  })

  works('getSpotMainSubTransferRecord', async () => {
    const { data } = await clientV2(venue, alice.key).getSpotMainSubTransferRecord({ role: 'initiator' })
    expect(data).toMatchObject([{ fromUserId: alice.uid, toUserId: sub.uid, size: '1' }])
  })

  works('getFuturesHistoricPositions', async () => {
    const { data } = await client().getFuturesHistoricPositions({ productType: 'USDT-FUTURES' })
    expect(data.list).toHaveLength(1)
  })
})

describe('bitget-api, v3', () => {
  const { works } = callsOf('bitget-api', 'v3')
  const client = () => clientV3(venue, alice.key)
  const category = 'USDT-FUTURES'

  works('getFinancialRecords', async () => {
    expect((await client().getFinancialRecords({ category })).data.list).toHaveLength(3)
  })

  works('getSubTransferRecords', async () => {
    expect((await client().getSubTransferRecords({ subUid: sub.uid })).data.items).toHaveLength(1)
  })

  works('getConvertRecords', async () => {
    const { list } = (await client().getConvertRecords({ fromCoin: 'USDT', toCoin: 'BTC' })).data
    expect(list.length).toBeGreaterThan(0)
  })

  works('getPositionHistory', async () => {
    expect((await client().getPositionHistory({ category })).data.list).toHaveLength(1)
  })

  works('getLiquidations', async () => {
    expect((await client().getLiquidations({ category })).data.list).toMatchObject([{ symbol: 'ETHUSDT', side: 'buy' }])
  })

  works('getRiskReserve, getRiskReserveHour, getRiskReserveAll', async () => {
    const ether = { category, symbol: 'ETHUSDT' } as const
    expect((await client().getRiskReserve(ether)).data.riskReserveRecords.length).toBeGreaterThan(0)
    expect((await client().getRiskReserveHour(ether)).data.riskReserveRecords).toHaveLength(1)
    expect((await client().getRiskReserveAll({ category })).data.list).toHaveLength(1)
  })

  works('getProofOfReserves', async () => {
    expect((await client().getProofOfReserves()).data.merkleRootHash).toMatch(/^[0-9a-f]{64}$/)
  })
})
