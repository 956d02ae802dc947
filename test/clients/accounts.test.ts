/**
 * Account and sub-account methods of the published clients, with nothing changed but their address.
 *
 * Source  wire/v3-endpoints.md §4, §5, §8; wire/client-endpoints.md §4
 */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Person } from '../support/person.ts'
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

  works('getCollateralType', async () => {
    expect(await dataOf(client().getCollateralType())).toMatchObject({ collateralType: 'all' })
  })

  works('setCollateralType', async () => {
    const theirs = clientV3(venue, (await venue.person('Main')).key)
    const wanted = { collateralType: 'custom', collateralCoins: 'USDT,BTC' } as const
    expect(await dataOf(theirs.setCollateralType(wanted))).toBe('success')
    expect(await dataOf(theirs.getCollateralType())).toEqual({ collateralType: 'custom', collateralCoins: 'BTC,USDT' })
  })

  works('getCustomCollateralCoins', async () => {
    expect(await dataOf(client().getCustomCollateralCoins())).toContainEqual({ collateralCoin: 'BTC' })
  })

  works(
    'adjustAccountMode',
    async () => {
      expect(await dataOf(client().adjustAccountMode({ mode: 'advanced' }))).toBe('success')
    },
    'advanced only',
  )

  works('subMasterTransfer', async () => {
    const theirs = clientV3(venue, venue.as('unified-sub').key)
    const gift = { fromType: 'uta', toType: 'uta', amount: '1', coin: 'USDT', clientOid: 'gift' } as const
    expect(await dataOf(theirs.subMasterTransfer(gift))).toMatchObject({ clientOid: 'gift' })
  })

  works('movePositions', async () => {
    const funds = { uta: { USDT: '10000' } }
    const [maker, main] = [await venue.person('Maker', { funds }), await venue.person('Main', { funds })]
    const sub = await venue.person('Sub', { parent: main, funds })
    const order = {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      orderType: 'limit',
      price: '60000',
      qty: '0.1',
    } as const
    await dataOf(clientV3(venue, maker.key).submitNewOrder({ ...order, side: 'sell', timeInForce: 'gtc' }))
    await dataOf(clientV3(venue, main.key).submitNewOrder({ ...order, side: 'buy', timeInForce: 'gtc' }))
    const move = { fromUid: main.uid, toUid: sub.uid, category: 'USDT-FUTURES' } as const
    const positionList = [{ symbol: 'BTCUSDT', side: 'buy' as const, qty: '0.1' }]
    const made = await dataOf(clientV3(venue, main.key).movePositions({ ...move, positionList }))
    expect(made).toMatchObject({ closePosition: [{ code: '00000' }], openPosition: [{ code: '00000' }] })
    const { list } = await dataOf(clientV3(venue, main.key).getMovePositionHistory({ category: 'USDT-FUTURES' }))
    expect(list).toMatchObject([
      { fromUid: main.uid, toUid: sub.uid, posSide: 'long', qty: '0.1', status: 'completed' },
    ])
  })

  works('getMovePositionHistory', async () => {
    const asked = { category: 'COIN-FUTURES' } as const
    expect(await dataOf(client().getMovePositionHistory(asked))).toMatchObject({ list: [] })
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
    expect(await dataOf(client().getUnifiedAccountSwitchStatus())).toEqual({ status: 'success', reason: '' })
  })

  works('downgradeAccountToClassic', async () => {
    const main = await venue.person('Main')
    const theirs = clientV3(venue, main.key)
    await dataOf(theirs.downgradeAccountToClassic())
    expect(await dataOf(theirs.getUnifiedAccountSwitchStatus())).toEqual({ status: 'process', reason: '' })
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

  works(
    'setFuturesAssetMode',
    async () => {
      const theirs = clientV2(venue, venue.as('classic-main').key)
      const mode = { productType: 'USDT-FUTURES', assetMode: 'single' } as const
      expect(await dataOf(theirs.setFuturesAssetMode(mode))).toBe('success')
    },
    'the mode that the account has',
  )

  works('getFuturesSubAccountAssets', async () => {
    const main = clientV2(venue, venue.as('unified-main').key)
    const found = await dataOf(main.getFuturesSubAccountAssets({ productType: 'USDT-FUTURES' }))
    expect(found).toContainEqual(expect.objectContaining({ userId: Number(venue.as('classic-sub').uid) }))
  })

  works('getSpotSubAccountAssets', async () => {
    const main = clientV2(venue, venue.as('unified-main').key)
    const subs = await dataOf(main.getSpotSubAccountAssets())
    const found = subs.find(({ userId }) => String(userId) === venue.as('classic-sub').uid)
    expect(found?.assetsList).toContainEqual(expect.objectContaining({ coin: 'USDT', frozen: '0' }))
  })
})

describe('bitget-api, sub-accounts by RestClientV3', () => {
  const { works } = callsOf('bitget-api', 'RestClientV3')
  const passphrase = 'passphrase1'
  let main: Person
  let subUid = ''
  let apiKey = ''

  beforeAll(async () => {
    main = await venue.person('Main', { funds: { uta: { USDT: '1000' } } })
  })

  const client = () => clientV3(venue, main.key)

  works('createSubAccount', async () => {
    const made = await dataOf(client().createSubAccount({ username: 'alpha', accountMode: 'unified', note: 'mine' }))
    expect(made).toMatchObject({ username: 'alpha', status: 'normal', note: 'mine' })
    subUid = made.subUid
  })

  works('getSubAccountList', async () => {
    const { list, hasNext } = await dataOf(client().getSubAccountList({ limit: '10' }))
    expect(list).toMatchObject([{ subUid, username: 'alpha', accountMode: 'UNIFIED', type: 'virtual' }])
    expect(hasNext).toBe(false)
  })

  works('subAccountTransfer', async () => {
    const transfer = { fromType: 'uta', toType: 'uta', amount: '100', coin: 'USDT', clientOid: 'alpha-1' } as const
    const moved = await dataOf(client().subAccountTransfer({ ...transfer, fromUserId: main.uid, toUserId: subUid }))
    expect(moved.clientOid).toBe('alpha-1')
  })

  works('getSubUnifiedAssets', async () => {
    const [assets] = await dataOf(client().getSubUnifiedAssets({ subUid }))
    expect(assets).toMatchObject({ subUid, assets: [{ coin: 'USDT', available: '100' }] })
  })

  works('createSubAccountApiKey', async () => {
    const made = await dataOf(
      client().createSubAccountApiKey({
        subUid,
        note: 'bot',
        type: 'read_write',
        passphrase,
        permissions: ['uta_mgt', 'uta_trade'],
        ips: ['127.0.0.1'],
      }),
    )
    apiKey = made.apiKey
    // The key works with the very same client, and with ccxt.
    const theirs = { apiKey, secret: made.secret, passphrase }
    expect(await dataOf(clientV3(venue, theirs).getAccountInfo())).toMatchObject({ userId: subUid, parentId: main.uid })
    const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' } as const
    const placed = await dataOf(
      clientV3(venue, theirs).submitNewOrder({ ...order, price: '50000', qty: '0.001', timeInForce: 'gtc' }),
    )
    expect(placed.orderId).toMatch(/^\d+$/)
    const { USDT } = await ccxtAt(venue, 'uta', theirs).fetchBalance()
    expect(USDT?.total).toBe(100)
  })

  works('getSubAccountApiKeys', async () => {
    const { items } = await dataOf(client().getSubAccountApiKeys({ subUid }))
    expect(items).toMatchObject([{ apiKey, note: 'bot', type: 'read_write', ips: ['127.0.0.1'] }])
  })

  works('updateSubAccountApiKey', async () => {
    const change = { apiKey, passphrase, type: 'read_only', permissions: ['uta_mgt'], ips: [] } as const
    const changed = await dataOf(client().updateSubAccountApiKey({ ...change, permissions: ['uta_mgt'], ips: [] }))
    expect(changed).toMatchObject({ apiKey, type: 'read_only', permissions: ['uta_mgt'], ips: [] })
  })

  works('deleteSubAccountApiKey', async () => {
    await dataOf(client().deleteSubAccountApiKey({ apiKey }))
    expect(await dataOf(client().getSubAccountApiKeys({ subUid }))).toMatchObject({ items: [] })
  })

  works('freezeSubAccount', async () => {
    await dataOf(client().freezeSubAccount({ subUid, operation: 'freeze' }))
    expect((await dataOf(client().getSubAccountList())).list).toMatchObject([{ subUid, status: 'freeze' }])
    await dataOf(client().freezeSubAccount({ subUid, operation: 'unfreeze' }))
  })

  works('createAgentSubAccount', async () => {
    const agent = await dataOf(client().createAgentSubAccount({ username: 'agent', passphrase }))
    const theirs = clientV3(venue, { apiKey: agent.apiKey, secret: agent.secret, passphrase })
    expect(await dataOf(theirs.getAccountSettings())).toMatchObject({ uid: agent.subUid })
  })
})

describe('bitget-api, sub-accounts by RestClientV2', () => {
  const { works } = callsOf('bitget-api', 'RestClientV2')
  const passphrase = 'passphrase1'
  let main: Person
  let subAccountUid = ''
  let subAccountApiKey = ''

  beforeAll(async () => {
    main = await venue.person('Main', { mode: 'classic' })
  })

  const client = () => clientV2(venue, main.key)

  works('createVirtualSubaccount', async () => {
    const { successList, failureList } = await dataOf(client().createVirtualSubaccount({ subAccountList: ['beta'] }))
    expect(failureList).toEqual([])
    subAccountUid = successList[0]?.subaAccountUid ?? ''
    expect(subAccountUid).toMatch(/^\d+$/)
  })

  works('getVirtualSubaccounts', async () => {
    const { subAccountList } = await dataOf(client().getVirtualSubaccounts())
    expect(subAccountList).toMatchObject([{ subAccountUid, subAccountName: 'beta', status: 'normal' }])
  })

  works('createVirtualSubaccountAPIKey', async () => {
    const asked = { subAccountUid, passphrase, label: 'bot', permList: ['spot_trade', 'contract_trade'] }
    const made = await dataOf(client().createVirtualSubaccountAPIKey(asked))
    subAccountApiKey = made.subAccountApiKey
    const theirs = clientV2(venue, { apiKey: subAccountApiKey, secret: made.secretKey, passphrase })
    expect(await dataOf(theirs.getSpotAccountAssets())).toEqual([])
  })

  works('getVirtualSubaccountAPIKeys', async () => {
    const keys = await dataOf(client().getVirtualSubaccountAPIKeys({ subAccountUid }))
    expect(keys).toMatchObject([{ subAccountUid, subAccountApiKey, label: 'bot' }])
  })

  works('modifyVirtualSubaccountAPIKey', async () => {
    const change = { subAccountUid, subAccountApiKey, passphrase, label: 'other', permList: ['read'] }
    expect(await dataOf(client().modifyVirtualSubaccountAPIKey(change))).toMatchObject({ permList: ['read'] })
  })

  works('modifyVirtualSubaccount', async () => {
    const change = { subAccountUid, permList: ['read'], status: 'freeze' }
    expect(await dataOf(client().modifyVirtualSubaccount(change))).toEqual({ result: 'success' })
    const { subAccountList } = await dataOf(client().getVirtualSubaccounts({ status: 'freeze' }))
    expect(subAccountList).toMatchObject([{ subAccountUid, permList: ['read'] }])
  })
})
