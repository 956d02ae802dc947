/**
 * What an account has and owes through ccxt: wallets, transfers, loans and what they cost, and who it is. Both modes,
 * unmodified; and what the venue does not offer.
 *
 * Loans    1 ETH, whose first hour is owed at once: 0.008 % a day, 1/24 of it 0.00000334, rounded up
 * Source   design §6 (test/clients); wire/client-endpoints.md §2; risk-engine.md §17
 */
import ccxt, { type bitget, type Dict } from 'ccxt'
import { describe, expect } from 'vitest'
import type { Funds } from '../support/venue.ts'
import { callsOf } from './support/calls.ts'
import { ccxtAt, ccxtModes } from './support/ccxt.ts'
import { clientNotes, type Desk, desks, floor } from './support/desks.ts'

const at = floor()
const digits = expect.stringMatching(/^\d+$/)

const wallets: Readonly<Record<Desk['mode'], Funds>> = {
  classic: {
    spot: { USDT: '1000', BTC: '1' },
    crossed_margin: { USDT: '100000', BTC: '1' },
    usdt_futures: { USDT: '2000' },
    usdc_futures: { USDC: '3000' },
    coin_futures: { BTC: '4' },
  },
  uta: { uta: { USDT: '100000', BTC: '1' }, spot: { USDT: '1000' } },
}

describe.each(ccxtModes)('%s', (mode) => {
  const { works, notOffered, notByClient } = callsOf('ccxt', mode)
  const desk = desks.find((one) => one.mode === mode) as Desk
  const alice = (): Promise<bitget> => at.client(desk, 'Alice', wallets[mode])
  const marginNote = mode === 'classic' ? clientNotes.marginFree : undefined

  works('fetchBalance of every wallet', async () => {
    const exchange = await alice()
    const balances: readonly (readonly [asked: Dict, coin: string, total: number])[] =
      mode === 'classic'
        ? [
            [{ type: 'spot' }, 'USDT', 1000],
            [{ type: 'spot' }, 'BTC', 1],
            [{ type: 'swap' }, 'USDT', 2000],
            [{ type: 'swap', productType: 'USDC-FUTURES' }, 'USDC', 3000],
            [{ type: 'swap', productType: 'COIN-FUTURES' }, 'BTC', 4],
          ]
        : [
            [{}, 'USDT', 100_000],
            [{ type: 'swap' }, 'BTC', 1],
            [{ type: 'funding' }, 'USDT', 1000],
          ]
    for (const [asked, coin, total] of balances) {
      const balance = await exchange.fetchBalance(asked)
      expect(balance[coin], JSON.stringify(asked)).toMatchObject({ free: total, used: 0, total })
      expect(balance['total']).toMatchObject({ [coin]: total })
    }
    const margin = (await exchange.fetchBalance({ marginMode: 'cross' }))['USDT']
    expect(margin).toMatchObject({ total: 100_000, debt: 0 })
  })

  if (mode === 'classic') {
    notByClient('fetchBalance of the funding wallet', 'ccxt asks for `spot` in this mode', async () => {
      const exchange = await alice()
      await expect(exchange.fetchBalance({ type: 'funding' })).rejects.toThrow(ccxt.NotSupported)
    })
  }

  const ways: readonly (readonly [from: string, to: string, asked: Dict])[] =
    mode === 'classic'
      ? [
          ['spot', 'swap', { type: 'swap' }],
          ['spot', 'cross', { marginMode: 'cross' }],
          ['swap', 'spot', { type: 'spot' }],
        ]
      : [
          ['spot', 'uta', {}],
          ['uta', 'spot', { type: 'funding' }],
        ]
  for (const [from, to, asked] of ways) {
    works(`transfer from ${from} to ${to}`, async () => {
      const exchange = await alice()
      const total = async () => Number((await exchange.fetchBalance(asked))['USDT']?.total)
      const before = await total()
      expect(await exchange.transfer('USDT', 0.25, from, to)).toMatchObject({ id: digits, currency: 'USDT' })
      expect((await total()) - before).toBeCloseTo(0.25, 8)
      await expect(exchange.transfer('USDT', 10_000_000, from, to)).rejects.toThrow('43117')
      expect((await total()) - before).toBeCloseTo(0.25, 8)
    })
  }

  works(
    'borrowCrossMargin, repayCrossMargin and fetchBorrowInterest',
    async () => {
      const exchange = await alice()
      const eth = async () => (await exchange.fetchBalance({ marginMode: 'cross' }))['ETH']
      const loan = await exchange.borrowCrossMargin('ETH', 1)
      expect(loan).toMatchObject({ id: digits, currency: 'ETH', amount: 1 })
      expect(await eth()).toMatchObject({ debt: 1.00000334 })
      const [interest] = await exchange.fetchBorrowInterest('ETH')
      const cost = { currency: 'ETH', interest: 0.00000334, interestRate: 0.00008, marginMode: 'cross' }
      expect(interest).toMatchObject(cost)
      const repaid = await exchange.repayCrossMargin('ETH', 0.4)
      expect(repaid).toMatchObject({ id: digits, currency: 'ETH', amount: 0.4 })
      expect(await eth()).toMatchObject({ debt: 0.60000334 })
      await expect(exchange.repayCrossMargin('BTC', 1)).rejects.toThrow('40812')
      await expect(exchange.borrowCrossMargin('ETH', 1001)).rejects.toThrow('50035')
    },
    marginNote,
  )

  works('fetchCrossBorrowRate', async () => {
    expect(await (await alice()).fetchCrossBorrowRate('ETH')).toMatchObject({ currency: 'ETH', rate: 0.00008 })
  })

  works('fetchMyLiquidations, margin', async () => {
    const exchange = await alice()
    expect(await exchange.fetchMyLiquidations('BTC/USDT')).toEqual([])
    if (mode === 'uta') return
    const debtor = await at.client(desk, 'Debtor', { crossed_margin: { BTC: '1' } })
    await debtor.borrowCrossMargin('USDT', 80_000)
    // 1 BTC and 80,000 USDT against a debt of 80,000.4: under 1.1 the account is taken apart.
    for (const price of ['15000', '7000']) await at.venue.setIndexPrices({ BTC: price })
    const liquidations = await debtor.fetchMyLiquidations('BTC/USDT')
    for (let said = 0; said < 2; said++) await at.venue.setIndexPrices({ BTC: '60000' })
    expect(liquidations).toHaveLength(1)
    expect(Math.abs((liquidations[0]?.timestamp ?? 0) - Date.now())).toBeLessThan(60_000)
    expect((await debtor.fetchBalance({ marginMode: 'cross' }))['USDT']).toMatchObject({ debt: 0 })
  })

  works('loadMarkets finds out which version the account speaks', async () => {
    const person = await at.stage.person('Alice', {
      mode: mode === 'uta' ? 'unified' : 'classic',
      funds: wallets[mode],
    })
    const exchange = ccxtAt(at.venue, mode, person.key)
    delete exchange.options['uta']
    await exchange.loadMarkets()
    expect(exchange.options['uta']).toBe(mode === 'uta')
    expect((await exchange.fetchBalance())['BTC']).toMatchObject({ total: 1 })
  })

  const coins: Funds = mode === 'classic' ? { spot: { USDT: '1000' } } : { uta: { USDT: '1000' } }
  const converter = (): Promise<bitget> => at.client(desk, 'Carol', coins)

  works('fetchConvertCurrencies', async () => {
    const currencies = (await (await converter()).fetchConvertCurrencies()) as unknown as Dict
    expect(currencies['USDT']).toMatchObject({ withdraw: 1000, limits: { amount: { min: 1, max: 100_000 } } })
  })

  works('fetchConvertQuote', async () => {
    const quote = await (await converter()).fetchConvertQuote('USDT', 'BTC', 60)
    expect(quote).toMatchObject({ id: digits, fromAmount: 60, toAmount: 0.000999, price: 0.00001665, fee: 0 })
  })

  works('createConvertTrade, fetchConvertTradeHistory', async () => {
    const exchange = await converter()
    const { id = '', price, toAmount } = (await exchange.fetchConvertQuote('USDT', 'BTC', 60)) as Dict
    const trade = await exchange.createConvertTrade(id, 'USDT', 'BTC', 60, { price, toAmount })
    expect(trade).toMatchObject({ toCurrency: 'BTC', toAmount: 0.000999 })
    const used = exchange.createConvertTrade(id, 'USDT', 'BTC', 60, { price, toAmount })
    await expect(used).rejects.toThrow(ccxt.ExchangeError)
    const [record] = await exchange.fetchConvertTradeHistory('USDT', (trade.timestamp ?? 0) - 1)
    expect(record).toMatchObject({ fromCurrency: 'USDT', fromAmount: 60, toCurrency: 'BTC', toAmount: 0.000999 })
  })

  works('fetchCurrencies and fetchDepositWithdrawFees', async () => {
    const exchange = await alice()
    const { USDT, XRP } = await exchange.fetchCurrencies()
    expect(USDT).toMatchObject({ active: true, deposit: true, withdraw: true })
    expect(USDT?.networks).toMatchObject({ TRC20: { fee: 1.5, withdraw: true, deposit: true, precision: 0.000001 } })
    expect(Object.keys(USDT?.networks ?? {})).toEqual(['ERC20', 'TRC20', 'BEP20', 'SOL'])
    expect(XRP).toMatchObject({ active: true })
    const fees = (await exchange.fetchDepositWithdrawFees(['BTC'])) as Dict
    expect(fees['BTC']).toMatchObject({ withdraw: { fee: 0.0001 } })
  })

  works('fetchDepositAddress and fetchDeposits', async () => {
    const { uid, key } = await at.stage.person('Alice', { mode: mode === 'uta' ? 'unified' : 'classic' })
    const exchange = ccxtAt(at.venue, mode, key)
    const { address, network } = await exchange.fetchDepositAddress('USDT', { network: 'TRC20' })
    expect({ address, network }).toEqual({ address: expect.stringMatching(/^T/), network: 'TRC20' })
    expect(await exchange.fetchDepositAddress('USDT', { network: 'BEP20' })).toMatchObject({
      address: expect.stringMatching(/^0x/),
      network: 'BEP20',
    })
    const { orderId } = await at.venue.operator('chain/deposits', { uid, coin: 'USDT', chain: 'TRC20', amount: '25' })
    const deposits = await exchange.fetchDeposits('USDT')
    expect(deposits).toMatchObject([
      { id: orderId, type: 'deposit', amount: 25, currency: 'USDT', network: 'TRC20', address },
    ])
    expect(await exchange.fetchDeposit(String(orderId))).toMatchObject({
      id: orderId,
      txid: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  works('withdraw and fetchWithdrawals', async () => {
    const exchange = await alice()
    const to = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
    const asked = await exchange.withdraw('USDT', 100, to, undefined, { network: 'TRC20' })
    expect(asked).toMatchObject({ id: digits, currency: 'USDT', amount: 100, network: 'TRC20' })
    const found = await exchange.fetchWithdrawals('USDT')
    expect(found).toMatchObject([
      {
        id: asked.id,
        type: 'withdrawal',
        status: 'pending',
        amount: 98.5,
        address: to,
        fee: { currency: 'USDT', cost: 1.5 },
      },
    ])
    await expect(exchange.withdraw('USDT', 10_000_000, to, undefined, { network: 'TRC20' })).rejects.toThrow(
      ccxt.ExchangeError,
    )
    await expect(
      exchange.withdraw('BTC', 50, '1BoatSLRHtKNngkdXEeobR76b53LETtpyT', undefined, { network: 'BTC' }),
    ).rejects.toThrow(ccxt.InsufficientFunds)
  })

  const isolated = 'there is no isolated margin of pairs'
  const absent: readonly (readonly [method: string, reason: string, call: (exchange: bitget) => Promise<unknown>])[] = [
    ['borrowIsolatedMargin', isolated, (exchange) => exchange.borrowIsolatedMargin('BTC/USDT', 'USDT', 1)],
    ['repayIsolatedMargin', isolated, (exchange) => exchange.repayIsolatedMargin('BTC/USDT', 'USDT', 1)],
    ['fetchIsolatedBorrowRate', isolated, (exchange) => exchange.fetchIsolatedBorrowRate('BTC/USDT')],
  ]
  for (const [method, reason, call] of absent) notOffered(method, reason, async () => call(await alice()))
})
