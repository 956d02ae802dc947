/**
 * Closed positions of v2 and v3: average prices, totals, profit, funding and fees over the life of a position.
 *
 * Source  wire/client-endpoints.md §4; wire/v3-endpoints.md §3; wire/rate-limits-and-filters.md §5
 */
import { expect } from 'vitest'
import type { Fields } from '../support/http.ts'
import { opposite, parseOrder, withWords } from '../support/order-language.ts'
import type { Person, Query } from '../support/person.ts'
import {
  btcInverse,
  btcPerpetual,
  ethPerpetual,
  type Market,
  setHoldMode,
  setLeverage,
  taken,
  takenInBatch,
} from '../support/trading.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'
import { exact, figure } from './figures.ts'

const at = stage({ durability: 'sync', clock: 'manual' })

const v2 = '/api/v2/mix/position/history-position'
const v3 = '/api/v3/position/history-position'
const digits = expect.stringMatching(/^\d+$/)
const day = 86_400_000
const dealer = { funds: { uta: { USDT: '1000000', BTC: '10' } } } as const
const classic = { mode: 'classic', funds: { usdt_futures: { USDT: '10000' }, coin_futures: { BTC: '1' } } } as const

async function closed(person: Person, query: Query = {}): Promise<readonly Fields[]> {
  return succeeds(await person.get(v2, query)).list('list')
}

async function closedUnified(person: Person, query: Record<string, string> = {}): Promise<readonly Fields[]> {
  return succeeds(await person.get(v3, { category: 'USDT-FUTURES', ...query })).list('list')
}

/** Bob takes the other side of each of a person's orders. */
async function trader(person: Person, unified = false) {
  const bob = await at.person('Bob', dealer)
  return async (order: string, market: Market = btcPerpetual) => {
    const { tradeSide } = parseOrder(order)
    const plain = tradeSide === 'close' ? withWords(order, { tradeSide: undefined }) : opposite(order)
    await takenInBatch(bob, plain, market)
    await (unified ? takenInBatch : taken)(person, order, market)
  }
}

row('wire/client-endpoints §4', 'a position opened and closed in steps, with funding in between', async () => {
  const alice = await at.person('Alice', classic)
  const trade = await trader(alice)
  const openedAt = String(at.venue.now())
  await trade('buy 0.1 @ 60000')
  await trade('buy 0.3 @ 60200')
  await at.venue.operator('funding/settle', { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' })
  await at.venue.advance(1000)
  await trade('sell 0.2 @ 60300')
  expect(await closed(alice)).toEqual([])
  await trade('sell 0.2 @ 60100')
  const bill = { productType: 'USDT-FUTURES', businessType: 'contract_settle_fee' }
  const [funding] = succeeds(await alice.get('/api/v2/mix/account/bill', bill)).list('bills')
  const totalFunding = funding?.['amount'] ?? ''
  const closedAt = String(at.venue.now())
  const [position] = await closed(alice)
  expect(position).toEqual({
    positionId: digits,
    symbol: 'BTCUSDT',
    marginCoin: 'USDT',
    holdSide: 'long',
    posMode: 'one_way_mode',
    openAvgPrice: '60150',
    closeAvgPrice: '60200',
    marginMode: 'crossed',
    openTotalPos: '0.4',
    closeTotalPos: '0.4',
    pnl: '20',
    // 24,060 and 24,080 at 0.0006
    netProfit: figure(exact(20).minus('14.436').minus('14.448').plus(totalFunding)),
    totalFunding,
    openFee: '-14.436',
    closeFee: '-14.448',
    uTime: closedAt,
    cTime: openedAt,
    utime: closedAt,
    ctime: openedAt,
  })
})

row('wire/v3-endpoints §3', 'the same of a unified account', async () => {
  const dave = await at.person('Dave', dealer)
  const trade = await trader(dave, true)
  await trade('sell 0.1 @ 60000')
  await trade('buy 0.1 @ 60100')
  const [position] = await closedUnified(dave)
  expect(position).toMatchObject({
    positionId: digits,
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    posSide: 'short',
    openPriceAvg: '60000',
    closePriceAvg: '60100',
    openTotalPos: '0.1',
    closeTotalPos: '0.1',
    cumRealisedPnl: '-10',
    netProfit: '-17.206',
    totalFunding: '0',
    openFeeTotal: '-3.6',
    closeFeeTotal: '-3.606',
  })
  expect((await closed(dave, { symbol: 'BTCUSDT' }))[0]).toMatchObject({
    positionId: position?.['positionId'] ?? '',
    netProfit: '-17.206',
  })
})

row('wire/client-endpoints §4', 'both sides of hedge mode, the last closed first', async () => {
  const alice = await at.person('Alice', classic)
  await setHoldMode(alice, 'hedge_mode')
  const trade = await trader(alice)
  await trade('buy 0.1 open @ 60000')
  await trade('sell 0.1 open @ 60000')
  await trade('sell 0.1 close @ 60000')
  await trade('buy 0.1 close @ 60000')
  expect((await closed(alice)).map((position) => `${position['holdSide']} ${position['posMode']}`)).toEqual([
    'long hedge_mode',
    'short hedge_mode',
  ])
})

row('wire/client-endpoints §4', 'a flip closes one position and opens another', async () => {
  const alice = await at.person('Alice', classic)
  const trade = await trader(alice)
  await trade('buy 0.1 @ 60000')
  await trade('sell 0.3 @ 60000')
  expect(await closed(alice)).toMatchObject([{ holdSide: 'long', closeTotalPos: '0.1' }])
  await trade('buy 0.2 @ 60000')
  expect(await closed(alice)).toMatchObject([{ holdSide: 'short', closeTotalPos: '0.2' }, { holdSide: 'long' }])
})

row('wire/client-endpoints §4', 'sizes of an inverse contract are base coin', async () => {
  const alice = await at.person('Alice', classic)
  const bob = await at.person('Bob', dealer)
  await takenInBatch(bob, 'sell 6000 @ 60000', btcInverse)
  await taken(alice, 'buy 0.1 @ 60000', btcInverse)
  await takenInBatch(bob, 'buy 6000 @ 60000', btcInverse)
  await taken(alice, 'sell 0.1 @ 60000', btcInverse)
  expect(await closed(alice, { productType: 'COIN-FUTURES' })).toMatchObject([
    {
      symbol: 'BTCUSD',
      marginCoin: 'BTC',
      openTotalPos: '0.1',
      openAvgPrice: '60000',
      closeAvgPrice: '60000',
      pnl: '0',
    },
  ])
})

row('wire/client-endpoints §4', 'contracts of a few units close at the average of the prices traded at', async () => {
  const dave = await at.person('Dave', dealer)
  const trade = await trader(dave, true)
  const coin = { category: 'COIN-FUTURES' } as const
  await trade('buy 102 @ 60000.1', btcInverse)
  await trade('sell 102 @ 61000.1', btcInverse)
  expect(await closedUnified(dave, coin)).toMatchObject([{ closePriceAvg: '61000.1' }])
  await trade('sell 102 @ 59999.9', btcInverse)
  await trade('buy 51 @ 61000.1', btcInverse)
  await trade('buy 51 @ 60900.3', btcInverse)
  const average = exact(102).div(exact(51).div('61000.1').plus(exact(51).div('60900.3')))
  const [closePriceAvg, booked] = [figure(average.toFixed(3)), '0.00167349'] // 0.00083606 and 0.00083743
  expect((await closedUnified(dave, coin))[0]).toMatchObject({ posSide: 'short', closePriceAvg })
  const [first, second] = await closed(dave, { productType: 'COIN-FUTURES' })
  expect([first, second]).toMatchObject([{ closeAvgPrice: closePriceAvg }, { closeAvgPrice: '61000.1' }])
  expect(first?.['closeTotalPos']).toBe(booked)
})

row('risk-engine §14', 'a liquidated position', async () => {
  await at.venue.setIndexPrices({ ETH: '3000' })
  const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '100' } } })
  await setLeverage(alice, 50, ethPerpetual)
  const trade = await trader(alice)
  await trade('buy 1 @ 3000', ethPerpetual)
  await at.venue.setIndexPrices({ ETH: '2880' })
  await at.venue.advance(5000)
  const [position] = await closed(alice, { symbol: 'ETHUSDT' })
  expect(position).toMatchObject({ holdSide: 'long', closeTotalPos: '1' })
  expect(Number(position?.['netProfit'])).toBeLessThan(-90)
  await at.venue.setIndexPrices({ ETH: '3000' })
})

table(
  'wire/client-endpoints §4: filters',
  [
    ['nothing', {}, ['ETHUSDT', 'BTCUSDT']],
    ['a symbol', { symbol: 'btcusdt' }, ['BTCUSDT']],
    ['a product line', { productType: 'USDT-FUTURES' }, ['ETHUSDT', 'BTCUSDT']],
    ['another product line', { productType: 'USDC-FUTURES' }, []],
    ['both', { productType: 'USDT-FUTURES', symbol: 'ETHUSDT' }, ['ETHUSDT']],
    ['a limit', { limit: '1' }, ['ETHUSDT']],
  ],
  async (query, symbols) => {
    const alice = await at.person('Alice', classic)
    const trade = await trader(alice)
    for (const [market, price] of [
      [btcPerpetual, '60000'],
      [ethPerpetual, '3000'],
    ] as const) {
      await trade(`buy 0.1 @ ${price}`, market)
      await trade(`sell 0.1 @ ${price}`, market)
    }
    expect((await closed(alice, query)).map((position) => position['symbol'])).toEqual(symbols)
  },
)

row('wire/client-endpoints §4', 'pages by endId, and by the cursor of v3; windows are over the closing', async () => {
  const dave = await at.person('Dave', dealer)
  const trade = await trader(dave, true)
  const times: number[] = []
  for (let n = 0; n < 3; n++) {
    await trade('buy 0.1 @ 60000')
    await at.venue.advance(1000)
    times.push(at.venue.now())
    await trade('sell 0.1 @ 60000')
  }
  const all = await closed(dave)
  expect(all).toHaveLength(3)
  const seen: Fields[] = []
  let idLessThan: string | undefined
  do {
    const answer = succeeds(await dave.get(v2, { limit: 1, idLessThan }))
    seen.push(...answer.list('list'))
    idLessThan = answer.fields['endId'] || undefined
  } while (idLessThan !== undefined)
  expect(seen).toEqual(all)

  const pages: (string | undefined)[] = []
  let cursor: string | undefined
  do {
    const answer = succeeds(await dave.get(v3, { category: 'USDT-FUTURES', limit: 2, cursor }))
    pages.push(...answer.list('list').map((position) => position['positionId']))
    cursor = (answer.data as { readonly cursor: string | null }).cursor ?? undefined
  } while (cursor !== undefined)
  expect(pages).toEqual(all.map((position) => position['positionId']))

  const window = { startTime: String(times[1]), endTime: String(times[1]) }
  expect(await closed(dave, window)).toEqual([all[1]])
  expect((await closedUnified(dave, window)).map((position) => position['positionId'])).toEqual([
    all[1]?.['positionId'],
  ])
})

table(
  'wire/errors: wrong input',
  [
    ['an unknown symbol', v2, { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['a symbol of another product line', v2, { symbol: 'BTCUSDT', productType: 'COIN-FUTURES' }, 'an unknown symbol'],
    ['an unknown product type', v2, { productType: 'SPOT' }, 'a parameter'],
    ['a limit over 100', v2, { limit: '101' }, 'a parameter'],
    ['no number to page from', v2, { idLessThan: 'x' }, 'a parameter'],
    ['a span over 90 days', v2, { span: 91 }, 'a time window'],
    ['v3: no category', v3, {}, 'a missing parameter'],
    ['v3: an unknown symbol', v3, { category: 'USDT-FUTURES', symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['v3: a foreign cursor', v3, { category: 'USDT-FUTURES', cursor: 'AAAAAAAAAAAAAAAA' }, 'a parameter'],
    ['v3: a span over 30 days', v3, { category: 'USDT-FUTURES', span: 31 }, 'a time window'],
  ],
  async (path, { span, ...query }: Record<string, string | number>, refusal) => {
    const dave = await at.person('Dave', {})
    const now = at.venue.now()
    const times = span === undefined ? {} : { startTime: now - Number(span) * day, endTime: now }
    refuses(await dave.get(path, { ...query, ...times }), refusal)
  },
)

row('design §5', 'closed positions are the same after a crash', async () => {
  const alice = await at.person('Alice', classic)
  const trade = await trader(alice)
  await trade('buy 0.1 @ 60000')
  await trade('sell 0.1 @ 60010')
  const before = await closed(alice)
  expect(before).toHaveLength(1)
  await at.venue.restart('kill')
  expect(await closed(alice)).toEqual(before)
})
