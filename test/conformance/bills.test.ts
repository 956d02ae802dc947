/**
 * Bills: every change of a wallet with what it was for, its signed amount and the balance after it.
 *
 * Source  wire/client-endpoints.md §4; wire/v3-endpoints.md §4
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import { opposite, withWords } from '../support/order-language.ts'
import type { Person, Query } from '../support/person.ts'
import {
  btcMargin,
  btcPerpetual,
  btcSpot,
  ethPerpetual,
  setHoldMode,
  setLeverage,
  setMarginMode,
  spotAsset,
  taken,
  takenInBatch,
  unifiedAsset,
} from '../support/trading.ts'
import { listed } from '../support/text-table.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'
import { exact, figure } from './figures.ts'

const at = stage({ durability: 'sync', clock: 'manual' })

const paths = {
  spot: '/api/v2/spot/account/bills',
  mix: '/api/v2/mix/account/bill',
  unified: '/api/v3/account/financial-records',
  funding: '/api/v3/account/funding-financial-records',
} as const
const linear = { productType: 'USDT-FUTURES' } as const
const day = 86_400_000
const classic = {
  mode: 'classic',
  funds: { spot: { USDT: '100000', BTC: '1' }, usdt_futures: { USDT: '10000' } },
} as const
const dealer = { funds: { uta: { USDT: '1000000', BTC: '10' } } } as const

async function spotBills(person: Person, query: Query = {}): Promise<readonly Fields[]> {
  return succeeds(await person.get(paths.spot, query)).list()
}

async function mixBills(person: Person, query: Record<string, string> = {}): Promise<readonly Fields[]> {
  return succeeds(await person.get(paths.mix, { ...linear, ...query })).list('bills')
}

async function unifiedBills(person: Person, query: Record<string, string>): Promise<readonly Fields[]> {
  return succeeds(await person.get(paths.unified, query)).list('list')
}

/** `type amount (fee) -> balance`, newest first. */
function spotWords(bills: readonly Fields[]): string[] {
  return bills.map(
    (bill) => `${bill['businessType']} ${bill['size']} ${bill['coin']} (${bill['fees']}) -> ${bill['balance']}`,
  )
}

function mixWords(bills: readonly Fields[]): string[] {
  return bills.map((bill) => `${bill['businessType']} ${bill['amount']} (${bill['fee']}) -> ${bill['balance']}`)
}

function unifiedWords(bills: readonly Fields[]): string[] {
  return bills.map((bill) => `${bill['type']} ${bill['amount']} ${bill['coin']} (${bill['fee']}) -> ${bill['balance']}`)
}

async function spotSide(order: string) {
  const bob = await at.person('Bob', dealer)
  const carol = await at.person('Carol', classic)
  await takenInBatch(bob, `${order.startsWith('buy') ? 'sell' : 'buy'} 0.1 @ 60000`, btcSpot)
  const [side = '', size = ''] = order.split(' ')
  const sent = { symbol: 'BTCUSDT', side, orderType: 'limit', force: 'gtc', size, price: '60000' }
  succeeds(await carol.post('/api/v2/spot/trade/place-order', sent))
  return carol
}

// Spot

table(
  'wire/client-endpoints §4 spot bills: a trade is two bills, the fee in what came in',
  `
    case   | order    | words
    a buy  | buy 0.1  | buy -6000 USDT (0) -> 94000; buy 0.0999 BTC (-0.0001) -> 1.0999
    a sell | sell 0.1 | sell -0.1 BTC (0) -> 0.9; sell 5994 USDT (-6) -> 105994
  `,
  async ({ order, words }) => {
    const carol = await spotSide(order)
    const [paid, received, ...before] = spotWords(await spotBills(carol))
    expect([paid, received]).toEqual(listed(words))
    expect(before).toEqual(['deposit 1 BTC (0) -> 1', 'deposit 100000 USDT (0) -> 100000'])
  },
)

row(
  'wire/client-endpoints §4 spot bills',
  'the balance of the newest bill of a coin is the balance of the coin',
  async () => {
    const carol = await spotSide('buy 0.1')
    for (const coin of ['USDT', 'BTC']) {
      const bills = await spotBills(carol, { coin })
      expect(bills[0]?.['balance']).toBe((await spotAsset(carol, coin))['available'])
      const sum = bills.reduce((total, { size = '' }) => total.plus(size), exact('0'))
      expect(figure(sum)).toBe(bills[0]?.['balance'])
    }
  },
)

row('wire/client-endpoints §4 spot bills', 'a rebate of a broker', async () => {
  const broker = at.venue.as('broker-main')
  const before = (await spotBills(broker, { businessType: 'REBATE_REWARDS' })).length
  const bob = await at.person('Bob', dealer)
  const dave = await at.person('Dave', dealer)
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcSpot)
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', qty: '0.1', orderType: 'limit', price: '60000' }
  const headers = { 'X-CHANNEL-API-CODE': 'demo-broker' }
  succeeds(await dave.post('/api/v3/trade/place-order', order, { headers }))
  const bills = await spotBills(broker, { businessType: 'REBATE_REWARDS' })
  expect(bills).toHaveLength(before + 1)
  expect(bills[0]).toMatchObject({ groupType: 'other', businessType: 'rebate_rewards', coin: 'BTC' })
})

table(
  'wire/client-endpoints §4 spot bills: filters',
  [
    ['a coin', { coin: 'btc' }, ['sell', 'deposit']],
    ['a group', { groupType: 'transfer' }, ['transfer_out']],
    ['a group in upper case', { groupType: 'DEPOSIT' }, ['deposit', 'deposit']],
    ['trades', { groupType: 'transaction' }, ['sell', 'sell']],
    ['a business type as the reference spells it', { businessType: 'SELL' }, ['sell', 'sell']],
    ['a business type that the venue never makes', { businessType: 'AIRDROP_REWARDS' }, []],
    ['a group and a type that do not go together', { groupType: 'transfer', businessType: 'SELL' }, []],
    ['a limit', { limit: '1' }, ['transfer_out']],
  ],
  async (query, types) => {
    const carol = await spotSide('sell 0.1')
    const move = { fromType: 'spot', toType: 'usdt_futures', amount: '5', coin: 'USDT' }
    succeeds(await carol.post('/api/v2/spot/wallet/transfer', move))
    expect((await spotBills(carol, query)).map((bill) => bill['businessType'])).toEqual(types)
  },
)

row('wire/client-endpoints §4 spot bills', 'pages by idLessThan neither repeat nor miss a bill', async () => {
  const carol = await spotSide('buy 0.1')
  const all = await spotBills(carol)
  const seen: Fields[] = []
  for (let page = await spotBills(carol, { limit: 1 }); page.length > 0; ) {
    seen.push(...page)
    page = await spotBills(carol, { limit: 1, idLessThan: page[0]?.['billId'] ?? '' })
  }
  expect(seen).toEqual(all)
})

// Futures

/** Bob opposite, Alice with 10,000 USDT in her futures account. */
async function futuresPair(mode: 'one_way_mode' | 'hedge_mode', margin: 'crossed' | 'isolated' = 'crossed') {
  const bob = await at.person('Bob', dealer)
  const alice = await at.person('Alice', classic)
  if (mode === 'hedge_mode') await setHoldMode(alice, mode)
  if (margin === 'isolated') await setMarginMode(alice, margin)
  return {
    alice,
    trade: async (order: string) => {
      await takenInBatch(bob, opposite(order), btcPerpetual)
      await taken(alice, order)
    },
    /** Closes what a v2 close names: a buy closes a long. */
    close: async (order: string) => {
      await takenInBatch(bob, order, btcPerpetual)
      await taken(alice, withWords(order, { tradeSide: 'close' }))
    },
  }
}

row('wire/client-endpoints §4 futures bills', 'one-way: profit and fee apart, both change the balance', async () => {
  const { alice, trade } = await futuresPair('one_way_mode')
  await trade('buy 0.1 @ 60000')
  await trade('sell 0.1 @ 60100')
  expect(mixWords(await mixBills(alice))).toEqual([
    'sell 10 (-3.606) -> 10002.794',
    'buy 0 (-3.6) -> 9996.4',
    'trans_from_exchange 10000 (0) -> 10000',
  ])
})

row('wire/client-endpoints §4 futures bills', 'hedge mode names the position', async () => {
  const { alice, trade, close } = await futuresPair('hedge_mode')
  await trade('buy 0.1 open @ 60000')
  await trade('sell 0.1 open @ 60000')
  await close('buy 0.1 @ 60000')
  await close('sell 0.1 @ 60000')
  const words = (await mixBills(alice, { symbol: 'BTCUSDT' })).map((bill) => bill['businessType'])
  expect(words).toEqual(['close_short', 'close_long', 'open_short', 'open_long'])
})

row(
  'wire/client-endpoints §4 futures bills',
  'isolated: the margin goes and comes back as bills of their own',
  async () => {
    const { alice, trade } = await futuresPair('one_way_mode', 'isolated')
    await setLeverage(alice, 10)
    await trade('buy 0.1 isolated @ 60000')
    await trade('sell 0.1 isolated @ 60100')
    expect(mixWords(await mixBills(alice))).toEqual([
      'sell 10 (-3.606) -> 10002.794',
      'reduce_margin 600 (0) -> 9996.4',
      'append_margin -600 (0) -> 9396.4',
      'buy 0 (-3.6) -> 9996.4',
      'trans_from_exchange 10000 (0) -> 10000',
    ])
    const withoutMoves = await mixBills(alice, { onlyFunding: 'yes' })
    expect(withoutMoves.map((bill) => bill['businessType'])).toEqual(['sell', 'buy', 'trans_from_exchange'])
  },
)

row('wire/client-endpoints §4 futures bills', 'margin by hand and by leverage', async () => {
  const { alice, trade } = await futuresPair('one_way_mode', 'isolated')
  await setLeverage(alice, 10)
  await trade('buy 0.1 isolated @ 60000')
  const which = { ...linear, symbol: 'BTCUSDT', marginCoin: 'USDT', holdSide: 'long' }
  succeeds(await alice.post('/api/v2/mix/account/set-margin', { ...which, amount: '50' }))
  succeeds(await alice.post('/api/v2/mix/account/set-margin', { ...which, amount: '-20' }))
  await setLeverage(alice, 5)
  const newest = await mixBills(alice, { limit: '3' })
  expect(newest.map((bill) => `${bill['businessType']} ${bill['amount']}`)).toEqual([
    expect.stringMatching(/^adjust_down_lever_append_margin -/),
    'reduce_margin 20',
    'append_margin -50',
  ])
})

table(
  'wire/client-endpoints §4 futures bills: funding',
  [
    ['of a cross position', 'crossed', ['contract_settle_fee']],
    ['of an isolated position comes out of its margin', 'isolated', ['contract_settle_fee', 'reduce_margin']],
  ],
  async (margin, types) => {
    const { alice, trade } = await futuresPair('one_way_mode', margin)
    await trade(`buy 0.1 ${margin === 'isolated' ? margin : 'cross'} @ 60000`)
    const before = await mixBills(alice)
    const funding = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' }
    await at.venue.operator('funding/settle', funding)
    const after = await mixBills(alice)
    const found = after.slice(0, after.length - before.length)
    expect(found.map((bill) => bill['businessType'])).toEqual(types)
    const [paid] = await mixBills(alice, { businessType: 'contract_settle_fee' })
    expect(paid).toMatchObject({ symbol: 'BTCUSDT', coin: 'USDT', fee: '0', feeByCoupon: '' })
    expect(Number(paid?.['amount'])).toBeLessThan(0)
    const [first] = found
    const isolated = margin === 'isolated'
    const left = isolated
      ? before[0]?.['balance']
      : figure(exact(before[0]?.['balance'] ?? '').plus(first?.['amount'] ?? ''))
    expect(first?.['balance']).toBe(left)
  },
)

table(
  'wire/client-endpoints §4 futures bills: transfers name the other account',
  [
    ['spot', 'spot', 'trans_to_exchange', 'trans_from_exchange'],
    ['cross margin', 'crossed_margin', 'trans_to_cross', 'trans_from_cross'],
    ['otc', 'p2p', 'trans_to_otc', 'trans_from_otc'],
    ['another product line', 'usdc_futures', 'trans_to_contract', 'trans_from_contract'],
  ],
  async (wallet, to, from) => {
    const coin = wallet === 'usdc_futures' ? 'USDC' : 'USDT'
    const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '10' } } })
    const move = { fromType: 'usdt_futures', toType: wallet, amount: '1', coin }
    const sent = await alice.post('/api/v2/spot/wallet/transfer', move)
    if (coin === 'USDC') return void refuses(sent, 'the wallet of a coin or the transferable amount')
    succeeds(sent)
    succeeds(await alice.post('/api/v2/spot/wallet/transfer', { ...move, fromType: wallet, toType: 'usdt_futures' }))
    const [back, away] = await mixBills(alice)
    expect([away, back].map((bill) => `${bill?.['businessType']} ${bill?.['amount']}`)).toEqual([
      `${to} -1`,
      `${from} 1`,
    ])
    expect(await mixBills(alice, { businessType: to })).toEqual([away])
  },
)

row('wire/client-endpoints §4 futures bills', 'a liquidation', async () => {
  await at.venue.setIndexPrices({ ETH: '3000' })
  const bob = await at.person('Bob', dealer)
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '100' } } })
  await setLeverage(alice, 50, ethPerpetual)
  await takenInBatch(bob, 'sell 1 @ 3000', ethPerpetual)
  await taken(alice, 'buy 1 @ 3000', ethPerpetual)
  await at.venue.setIndexPrices({ ETH: '2880' })
  await at.venue.advance(5000)
  const bills = await mixBills(alice)
  expect(bills.map((bill) => bill['businessType'])).toContain('burst_sell')
  expect(bills[0]?.['balance']).toBe('0')
  await at.venue.setIndexPrices({ ETH: '3000' })
})

row('wire/client-endpoints §4 futures bills', 'a unified account sees what belongs to the product line', async () => {
  const bob = await at.person('Bob', dealer)
  const dave = await at.person('Dave', dealer)
  await takenInBatch(bob, 'sell 0.1 @ 60000', btcPerpetual)
  await takenInBatch(dave, 'buy 0.1 @ 60000', btcPerpetual)
  expect((await mixBills(dave)).map((bill) => bill['businessType'])).toEqual(['buy'])
  expect(await mixBills(dave, { productType: 'USDC-FUTURES' })).toEqual([])
  expect((await spotBills(dave)).map((bill) => bill['businessType'])).toEqual(['deposit', 'deposit'])
})

// Unified

row('wire/v3-endpoints §4 financial records', 'spot, borrowing, repayment with its interest', async () => {
  const bob = await at.person('Bob', dealer)
  const dave = await at.person('Dave', { funds: { uta: { USDT: '10000' } } })
  await takenInBatch(bob, 'buy 0.1 @ 60000', btcSpot)
  await takenInBatch(dave, 'sell 0.1 @ 60000', btcMargin)
  const margin = unifiedWords(await unifiedBills(dave, { category: 'MARGIN' }))
  expect(margin).toEqual([
    'ORDER_DEALT_FROZEN_OUT -0.1 BTC (0) -> 0',
    'ORDER_DEALT_IN 5994 USDT (-6) -> 15994',
    'BORROW 0.1 BTC (0) -> 0.1',
  ])
  expect(unifiedWords(await unifiedBills(dave, { category: 'OTHER' }))).toEqual(['TRANSFER_IN 10000 USDT (0) -> 10000'])
  await takenInBatch(bob, 'sell 0.15 @ 60000', btcSpot)
  await takenInBatch(dave, 'buy 0.15 @ 60000', btcSpot)
  const types = (await unifiedBills(dave, { category: 'MARGIN', coin: 'BTC' })).map((bill) => bill['type'])
  expect(types.slice(0, 2)).toEqual(['REPAYMENT', 'INTEREST_SETTLEMENT_OUT'])
  const bills = await Promise.all(
    ['SPOT', 'MARGIN', 'OTHER'].map((category) => unifiedBills(dave, { category, coin: 'BTC' })),
  )
  const sum = bills.flat().reduce((total, { amount = '' }) => total.plus(amount), exact('0'))
  expect(figure(sum)).toBe((await unifiedAsset(dave, 'BTC'))['balance'])
})

table(
  'wire/v3-endpoints §4 financial records: filters',
  [
    ['a category', { category: 'SPOT' }, ['ORDER_DEALT_FROZEN_OUT', 'ORDER_DEALT_IN']],
    ['a futures category', { category: 'usdt-futures' }, ['CONTRACT_MAIN_SETTLE_FEE_USER_OUT', 'BUY_DEAL']],
    [
      'funding by its type',
      { category: 'USDT-FUTURES', type: 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT' },
      ['CONTRACT_MAIN_SETTLE_FEE_USER_OUT'],
    ],
    ['funding that came in', { category: 'USDT-FUTURES', type: 'CONTRACT_MAIN_SETTLE_FEE_USER_IN' }, []],
    ['a type in lower case', { category: 'USDT-FUTURES', type: 'buy_deal' }, ['BUY_DEAL']],
    ['a type that the venue never makes', { category: 'USDT-FUTURES', type: 'NOSUCH' }, []],
    ['a coin', { category: 'SPOT', coin: 'BTC' }, ['ORDER_DEALT_IN']],
    ['a symbol', { category: 'USDT-FUTURES', symbol: 'ETHUSDT' }, []],
    ['a limit', { category: 'SPOT', limit: '1' }, ['ORDER_DEALT_FROZEN_OUT']],
  ],
  async (query, types) => {
    const bob = await at.person('Bob', dealer)
    const dave = await at.person('Dave', dealer)
    for (const market of [btcSpot, btcPerpetual]) {
      await takenInBatch(bob, 'sell 0.1 @ 60000', market)
      await takenInBatch(dave, 'buy 0.1 @ 60000', market)
    }
    await at.venue.operator('funding/settle', { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' })
    expect((await unifiedBills(dave, query as Record<string, string>)).map((bill) => bill['type'])).toEqual(types)
  },
)

row('wire/v3-endpoints General', 'pages go by an opaque cursor, null at the end', async () => {
  const dave = await at.person('Dave', { funds: { uta: { USDT: '1', BTC: '1', ETH: '1' } } })
  const all = await unifiedBills(dave, { category: 'OTHER' })
  const seen: Fields[] = []
  let cursor: string | undefined
  do {
    const query = { category: 'OTHER', limit: 1, cursor }
    const answer = succeeds(await dave.get(paths.unified, query))
    seen.push(...answer.list('list'))
    cursor = (answer.data as { readonly cursor: string | null }).cursor ?? undefined
  } while (cursor !== undefined)
  expect(seen).toEqual(all)
  expect(seen).toHaveLength(3)
  const byId = { category: 'OTHER', cursor: all[0]?.['id'] ?? '' }
  expect(await unifiedBills(dave, byId)).toEqual(all.slice(1))
})

row('wire/v3-endpoints §4 funding financial records', 'the funding wallet', async () => {
  const dave = await at.person('Dave', { funds: { spot: { USDT: '30' } } })
  succeeds(await dave.post('/api/v3/account/transfer', { fromType: 'spot', toType: 'uta', amount: '10', coin: 'USDT' }))
  const answer = succeeds(await dave.get(paths.funding, { coin: 'USDT' }))
  expect(answer.list('list')).toMatchObject([
    { coin: 'USDT', groupType: 'transfer', type: 'transfer_out', amount: '-10', balance: '20' },
    { coin: 'USDT', groupType: 'deposit', type: 'deposit', amount: '30', balance: '30' },
  ])
})

// Windows, wrong input, restart

table(
  'wire/rate-limits-and-filters §5: windows of bills',
  [
    ['spot bills: 90 days at most', 'spot', { span: 91 }, 'a time window'],
    ['futures bills: 90 days at most', 'mix', { span: 91 }, 'a time window'],
    ['unified: 30 days at most', 'unified', { span: 31 }, 'a time window'],
    ['funding: 30 days at most', 'funding', { span: 31 }, 'a time window'],
    ['unified: older than 90 days', 'unified', { ago: 91 }, 'a time window'],
    ['unified: the end before the start', 'unified', { span: -1 }, 'a time window'],
  ],
  async (list, { span, ago }: { readonly span?: number; readonly ago?: number }, refusal) => {
    const person = await at.person('Alice', list === 'unified' || list === 'funding' ? {} : { mode: 'classic' })
    const startTime = at.venue.now() - (ago ?? 0) * day
    const times =
      span === undefined ? { startTime } : { startTime: at.venue.now() - span * day, endTime: at.venue.now() }
    const named = list === 'mix' ? linear : list === 'unified' ? { category: 'SPOT' } : {}
    const wrong = await person.get(paths[list], { ...named, ...times })
    refuses(wrong, refusal)
  },
)

table(
  'wire/errors: wrong input of bills',
  [
    ['spot: an unknown coin', 'spot', { coin: 'NOSUCH' }, 'an unknown coin'],
    ['spot: an unknown group', 'spot', { groupType: 'gifts' }, 'a parameter'],
    ['spot: an unknown business type', 'spot', { businessType: 'gift' }, 'a parameter'],
    ['spot: a limit over 500', 'spot', { limit: '501' }, 'a parameter'],
    ['spot: no number to page from', 'spot', { idLessThan: 'x' }, 'a parameter'],
    ['futures: no product type', 'mix', {}, 'a missing parameter'],
    ['futures: an unknown product type', 'mix', { productType: 'SPOT' }, 'a parameter'],
    ['futures: an unknown business type', 'mix', { ...linear, businessType: 'gift' }, 'a parameter'],
    ['futures: an unknown symbol', 'mix', { ...linear, symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['futures: onlyFunding is yes or no', 'mix', { ...linear, onlyFunding: 'maybe' }, 'a parameter'],
    ['futures: a limit over 100', 'mix', { ...linear, limit: '101' }, 'a parameter'],
    ['unified: no category', 'unified', {}, 'a missing parameter'],
    ['unified: an unknown category', 'unified', { category: 'OPTIONS' }, 'a parameter'],
    ['unified: an unknown coin', 'unified', { category: 'SPOT', coin: 'NOSUCH' }, 'an unknown coin'],
    ['unified: an unknown symbol', 'unified', { category: 'SPOT', symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['unified: a foreign cursor', 'unified', { category: 'SPOT', cursor: 'AAAAAAAAAAAAAAAA' }, 'a parameter'],
    ['funding: an unknown coin', 'funding', { coin: 'NOSUCH' }, 'an unknown coin'],
  ],
  async (list, query, refusal) => {
    const person = await at.person('Alice', list === 'unified' || list === 'funding' ? {} : { mode: 'classic' })
    refuses(await person.get(paths[list], query), refusal)
  },
)

row('design §3', 'v3 lists are not for classic accounts', async () => {
  const carol = await at.person('Carol', { mode: 'classic' })
  for (const path of [paths.unified, paths.funding]) {
    refuses(await carol.get(path, { category: 'SPOT' }), 'the account mode')
  }
})

row('design §5', 'bills are the same after a crash', async () => {
  const carol = await spotSide('buy 0.1')
  const before = await spotBills(carol)
  await at.venue.restart('kill')
  expect(await spotBills(carol)).toEqual(before)
})
