/**
 * Account and sub-account methods of the published clients, with nothing changed but their address.
 *
 * Source  wire/v3-endpoints.md §4, §5, §8; wire/client-endpoints.md §4
 */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { startVenue, type Venue } from '../support/venue.ts'
import { clientV2, clientV3 } from './support/bitget-api.ts'
import { callsOf } from './support/calls.ts'
import { ccxtAt, ccxtModes } from './support/ccxt.ts'

let venue: Venue

beforeAll(async () => {
  venue = await startVenue()
})
afterAll(async () => {
  await venue?.remove()
})

/** The data of an answer that bitget-api took for a success. */
async function dataOf<Data>(answer: Promise<{ code: string; data: Data }>): Promise<Data> {
  const { code, data } = await answer
  expect(code).toBe('00000')
  return data
}

describe.each(ccxtModes)('ccxt, %s', (mode) => {
  const { works } = callsOf('ccxt', mode)
  const exchange = () => ccxtAt(venue, mode, venue.as(mode === 'uta' ? 'unified-main' : 'classic-main').key)

  works('fetchTradingFees, with a key', async () => {
    expect((await exchange().fetchTradingFees())['BTC/USDT']).toMatchObject({ maker: 0.001, taker: 0.001 })
  })

  works('fetchTradingFees, swap', async () => {
    const fees = await exchange().fetchTradingFees({ type: 'swap', productType: 'USDT-FUTURES' })
    expect(fees['BTC/USDT:USDT']).toMatchObject({ maker: 0.0002, taker: 0.0006 })
  })

  works('fetchTradingFee', async () => {
    expect(await exchange().fetchTradingFee('BTC/USDT:USDT')).toMatchObject({ maker: 0.0002, taker: 0.0006 })
  })
})

describe('bitget-api, RestClientV3', () => {
  const { works } = callsOf('bitget-api', 'RestClientV3')
  const client = () => clientV3(venue, venue.as('unified-main').key)

  works('getAccountInfo', async () => {
    const { uid } = venue.as('unified-main')
    expect(await dataOf(client().getAccountInfo())).toMatchObject({ userId: uid, permType: 'read-and-write' })
  })

  works('getAllFeeRates', async () => {
    const rates = await dataOf(client().getAllFeeRates({ category: 'SPOT' }))
    expect(rates).toContainEqual({ symbol: 'BTCUSDT', makerFeeRate: '0.001', takerFeeRate: '0.001' })
  })

  works('getMaxTransferable', async () => {
    expect(await dataOf(client().getMaxTransferable({ coin: 'USDT' }))).toMatchObject({ coin: 'USDT' })
  })

  works('getMaxWithdrawal', async () => {
    const most = await dataOf(client().getMaxWithdrawal({ coin: 'USDT' }))
    expect(Number(most.totalMaxWithdrawal)).toBe(1_000_000)
  })

  works('getTransferableCoins', async () => {
    const coins = await dataOf(client().getTransferableCoins({ fromType: 'spot', toType: 'uta' }))
    expect(coins).toEqual(expect.arrayContaining(['BTC', 'USDT']))
  })

  works('getOpenInterestLimit', async () => {
    const limit = await dataOf(client().getOpenInterestLimit({ category: 'USDT-FUTURES', symbol: 'BTCUSDT' }))
    expect(Number(limit.singleUserLimit)).toBeGreaterThan(0)
  })

  works('getRepayableCoins', async () => {
    expect(await dataOf(client().getRepayableCoins())).toMatchObject({ repayableCoinList: [] })
  })

  works('getPaymentCoins', async () => {
    const { paymentCoinList } = await dataOf(client().getPaymentCoins())
    expect(paymentCoinList.map(({ coin }) => coin)).toContain('USDT')
  })

  works('preSetLeverage', async () => {
    const asked = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', marginMode: 'cross', leverage: '5' } as const
    expect(await dataOf(client().preSetLeverage(asked))).toMatchObject({ requiredMargin: '0', marginChange: '0' })
  })

  works('getDeductInfo', async () => {
    expect(await dataOf(client().getDeductInfo())).toEqual({ deduct: 'off' })
  })

  works(
    'switchDeduct',
    async () => {
      expect(await dataOf(client().switchDeduct({ deduct: 'off' }))).toBe('success')
    },
    'off only: no coin of the venue pays fees',
  )

  works('getUnifiedAccountSwitchStatus', async () => {
    expect(await dataOf(client().getUnifiedAccountSwitchStatus())).toEqual({ status: 'success' })
  })

  works('downgradeAccountToClassic', async () => {
    const main = await venue.person('Main')
    const theirs = clientV3(venue, main.key)
    await dataOf(theirs.downgradeAccountToClassic())
    expect(await dataOf(theirs.getUnifiedAccountSwitchStatus())).toEqual({ status: 'process' })
  })
})

describe('bitget-api, RestClientV2', () => {
  const { works } = callsOf('bitget-api', 'RestClientV2')

  works('getFundingAssets', async () => {
    const found = await dataOf(clientV2(venue, venue.as('classic-main').key).getFundingAssets({ coin: 'USDT' }))
    expect(found).toMatchObject([{ coin: 'USDT', frozen: '0' }])
  })

  works('getBalances', async () => {
    const found = await dataOf(clientV2(venue, venue.as('classic-main').key).getBalances())
    expect(found).toContainEqual({ accountType: 'spot', usdtBalance: expect.any(String) })
  })

  works('getFuturesSubAccountAssets', async () => {
    const main = clientV2(venue, venue.as('unified-main').key)
    const found = await dataOf(main.getFuturesSubAccountAssets({ productType: 'USDT-FUTURES' }))
    expect(found).toContainEqual(expect.objectContaining({ userId: venue.as('classic-sub').uid }))
  })
})
