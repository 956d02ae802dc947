/**
 * Moving positions between a main account and its sub-accounts.
 *
 * Source  wire/v3-endpoints.md §3; risk-engine.md §6, §11
 */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import {
  btcInverse,
  btcPerpetual,
  ethPerpetual,
  fills,
  type Market,
  position,
  setHoldMode,
  setLeverage,
  setMarginMode,
  taken,
  takenInBatch,
  unifiedAsset,
  unifiedOrder,
} from '../support/trading.ts'
import { entryRefused, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const account = '/api/v3/account'
const moving = {
  rule: 'v3 move-positions',
  decision: 'closed for the one and opened for the other at the mark, free of fees; every entry on its own',
} as const

interface Family {
  readonly main: Person
  readonly sub: Person
}

/** A main account with a long of 0.1 from 60000 and a sub-account with nothing but money. */
async function family(market: Market = btcPerpetual, order = 'buy 0.1 @ 60000', money = '10000'): Promise<Family> {
  const funds = { uta: { USDT: '10000', BTC: '1' } }
  const maker = await at.person('Maker', { funds: { uta: { USDT: '1000000', BTC: '10' } } })
  const main = await at.person('Main', { funds })
  const sub = await at.person('Sub', { parent: main, funds: { uta: { USDT: money, BTC: '0.5' } } })
  await takenInBatch(
    maker,
    order.startsWith('buy') ? order.replace('buy', 'sell') : order.replace('sell', 'buy'),
    market,
  )
  await takenInBatch(main, order, market)
  return { main, sub }
}

interface Moved {
  readonly closePosition: Record<string, string>[]
  readonly openPosition: Record<string, string>[]
}

function ask({ main, sub }: Family, more: object = {}) {
  const positionList = [{ symbol: 'BTCUSDT', side: 'buy', qty: '0.1' }]
  const body = { fromUid: main.uid, toUid: sub.uid, category: 'USDT-FUTURES', positionList, ...more }
  return main.post(`${account}/move-positions`, body)
}

async function moved(people: Family, more: object = {}): Promise<Moved> {
  return succeeds(await ask(people, more)).data as Moved
}

async function worth(person: Person): Promise<number> {
  const { data } = succeeds(await person.get(`${account}/assets`))
  return Number((data as { usdtEquity: string }).usdtEquity)
}

row(moving, 'the position changes hands at the mark, and nobody is richer', async () => {
  const people = await family()
  const { main, sub } = people
  const before = [await worth(main), await worth(sub)]
  const { closePosition, openPosition } = await moved(people)
  const made = { orderId: expect.stringMatching(/^\d+$/), clientOid: expect.any(String), code: '00000', msg: 'success' }
  expect({ closePosition, openPosition }).toEqual({ closePosition: [made], openPosition: [made] })
  expect([await position(main), await position(sub)]).toEqual(['flat', 'long 0.1'])
  expect(await worth(main)).toBeCloseTo(before[0] ?? 0, 6)
  expect(await worth(sub)).toBeCloseTo(before[1] ?? 0, 6)
  const closed = await unifiedOrder(main, { orderId: closePosition[0]?.['orderId'] ?? '' })
  expect(closed).toMatchObject({ orderStatus: 'filled', side: 'sell', cumExecQty: '0.1' })
  const [fill] = (await fills(sub)).slice(-1)
  expect(fill).toMatchObject({ side: 'buy', execQty: '0.1' })
})

row(moving, 'a part of it, and what was won stays with who gives', async () => {
  const people = await family()
  const { main, sub } = people
  await at.venue.setIndexPrices({ BTC: '61000' })
  await moved(people, { positionList: [{ symbol: 'btcusdt', side: 'BUY', qty: '0.04' }] })
  expect([await position(main), await position(sub)]).toEqual(['long 0.06', 'long 0.04'])
  const [given] = (await fills(main)).slice(-1)
  const [got] = (await fills(sub)).slice(-1)
  expect(given?.['execLinkId']).toBe(got?.['execLinkId'])
  expect(Number(given?.['execPnl'])).toBeCloseTo((Number(given?.['execPrice']) - 60_000) * 0.04, 6)
  expect(got?.['execPrice']).toBe(given?.['execPrice'])
  expect(Number(got?.['execPnl'])).toBe(0)
  await at.venue.setIndexPrices({ BTC: '60000' })
})

row(moving, 'a short of an inverse contract, from a sub-account to its sibling', async () => {
  const people = await family(btcInverse, 'sell 600 @ 60000')
  const list = [{ symbol: 'BTCUSD', side: 'sell', qty: '600' }]
  await moved(people, { category: 'COIN-FUTURES', positionList: list })
  const sibling = await at.person('Sibling', { parent: people.main, funds: { uta: { BTC: '0.5' } } })
  const onward = { fromUid: people.sub.uid, toUid: sibling.uid, category: 'COIN-FUTURES', positionList: list }
  succeeds(await people.main.post(`${account}/move-positions`, onward))
  expect(await position(people.sub, btcInverse)).toBe('flat')
  const held = succeeds(await sibling.get('/api/v3/position/current-position', { category: 'COIN-FUTURES' })).list(
    'list',
  )
  expect(held).toMatchObject([{ symbol: 'BTCUSD', posSide: 'short', total: '600' }])
})

row(moving, 'isolated margin goes back to the one, and comes out of the other', async () => {
  const maker = await at.person('Maker', { funds: { uta: { USDT: '1000000' } } })
  const main = await at.person('Main', { funds: { uta: { USDT: '10000' } } })
  const sub = await at.person('Sub', { parent: main, funds: { uta: { USDT: '10000' } } })
  for (const person of [main, sub]) {
    const setting = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', marginMode: 'isolated', leverage: '10' }
    await setMarginMode(person, 'isolated')
    succeeds(await person.post(`${account}/set-leverage`, setting))
  }
  await taken(maker, 'sell 0.1 @ 60000')
  await taken(main, 'buy 0.1 isolated @ 60000')
  await moved({ main, sub })
  expect([await position(main), await position(sub)]).toEqual(['flat', 'long 0.1'])
  const { balance } = await unifiedAsset(sub, 'USDT')
  expect(Number(balance)).toBeCloseTo(10_000 - 600, 0)
})

table(
  moving,
  [
    ['more than there is', { qty: '0.2' }, {}, '40757'],
    ['the other side', { side: 'sell' }, {}, '22002'],
    ['a contract without a position', { symbol: 'ETHUSDT' }, {}, '22002'],
    ['an open order of who gives', {}, { order: 'main' }, '40872'],
    ['an open order of who takes', {}, { order: 'sub' }, '40872'],
    ['a position against it', {}, { against: true }, '40812'],
    ['too little money', {}, { money: 'little' }, '40762'],
    ['at the highest leverage', {}, { leverage: 125 }, 'ok'],
    ['a classic sub-account', {}, { classic: true }, '40084'],
    ['a frozen sub-account', {}, { frozen: true }, '40024'],
  ],
  async (entry, state, expected) => {
    const has = (name: string) => (state as Partial<Record<string, string | number | boolean>>)[name]
    const people = await family(btcPerpetual, 'buy 0.1 @ 60000', has('money') === undefined ? '10000' : '100')
    const { main } = people
    let { sub } = people
    if (has('classic')) sub = await at.person('Classic', { parent: main, mode: 'classic' })
    if (has('order')) await taken(has('order') === 'main' ? main : sub, 'buy 0.001 @ 50000')
    if (has('leverage')) await setLeverage(sub, 125)
    if (has('money')) {
      const { available } = await unifiedAsset(sub, 'BTC')
      const away = { fromType: 'uta', toType: 'spot', amount: available, coin: 'BTC' }
      succeeds(await sub.post(`${account}/transfer`, away))
    }
    if (has('against')) {
      await taken(await at.person('Buyer', { funds: { uta: { USDT: '100000' } } }), 'buy 0.01 @ 60000')
      await taken(sub, 'sell 0.01 @ 60000')
    }
    const freeze = (operation: string) => main.post('/api/v3/user/freeze-sub', { subUid: sub.uid, operation })
    if (has('frozen')) succeeds(await freeze('freeze'))
    const wanted = { symbol: 'BTCUSDT', side: 'buy', qty: '0.1', ...entry }
    const { closePosition, openPosition } = await moved({ main, sub }, { positionList: [wanted] })
    if (expected === 'ok') {
      expect(closePosition[0]).toMatchObject({ code: '00000' })
      return
    }
    entryRefused(closePosition[0], expected)
    entryRefused(openPosition[0], expected)
    expect(await position(main)).toBe('long 0.1')
    if (has('frozen')) succeeds(await freeze('unfreeze'))
  },
)

row(moving, 'not beyond the tier in which the leverage of who takes it ends', async () => {
  const people = await family(btcPerpetual, 'buy 5 @ 60000')
  await setLeverage(people.sub, 125)
  const five = { positionList: [{ symbol: 'BTCUSDT', side: 'buy', qty: '5' }] }
  entryRefused((await moved(people, five)).openPosition[0], '40762')
  await setLeverage(people.sub, 20)
  expect((await moved(people, five)).openPosition[0]).toMatchObject({ code: '00000' })
})

row(moving, 'each entry on its own, in the order of the request', async () => {
  const people = await family()
  const positionList = [
    { symbol: 'ETHUSDT', side: 'buy', qty: '1' },
    { symbol: 'BTCUSDT', side: 'buy', qty: '0.1' },
  ]
  const { closePosition, openPosition } = await moved(people, { positionList })
  expect(closePosition.map(({ code }) => code)).toEqual(['22002', '00000'])
  expect(openPosition.map(({ code }) => code)).toEqual(['22002', '00000'])
  expect(await position(people.sub, ethPerpetual)).toBe('flat')
})

row(moving, 'into hedge mode beside a position of the other side', async () => {
  const people = await family()
  const { main, sub } = people
  await setHoldMode(sub, 'hedge_mode')
  await taken(await at.person('Buyer', { funds: { uta: { USDT: '100000' } } }), 'buy 0.01 @ 60000')
  await taken(sub, 'sell 0.01 open @ 60000')
  await moved(people)
  expect([await position(main), await position(sub)]).toEqual(['flat', 'long 0.1, short 0.01'])
})

table(
  'v3 move-positions fields',
  [
    ['without a source', { fromUid: undefined }, 'a missing parameter'],
    ['without a target', { toUid: undefined }, 'a missing parameter'],
    ['without a category', { category: undefined }, 'a missing parameter'],
    ['spot', { category: 'SPOT' }, 'a parameter'],
    ['without a list', { positionList: undefined }, 'a missing parameter'],
    ['an empty list', { positionList: [] }, 'a parameter'],
    ['no list', { positionList: {} }, 'a parameter'],
    ['an unknown symbol', { positionList: [{ symbol: 'NOUSDT', side: 'buy', qty: '1' }] }, 'an unknown symbol'],
    ['an unknown side', { positionList: [{ symbol: 'BTCUSDT', side: 'up', qty: '1' }] }, 'a parameter'],
    ['no quantity', { positionList: [{ symbol: 'BTCUSDT', side: 'buy' }] }, 'a missing parameter'],
    ['nothing', { positionList: [{ symbol: 'BTCUSDT', side: 'buy', qty: '0' }] }, 'a parameter'],
    ['half a lot', { positionList: [{ symbol: 'BTCUSDT', side: 'buy', qty: '0.00000001' }] }, 'the quantity step'],
    ['somebody else', { toUid: '99999999999' }, '43127'],
  ],
  async (more, expected) => {
    const main = await at.person('Main')
    const sub = await at.person('Sub', { parent: main })
    refuses(await ask({ main, sub }, more), expected)
  },
)

row('v3 move-positions', 'the main account alone, in its own family, between two accounts', async () => {
  const [ours, theirs] = [await family(), await family()]
  refuses(await ask({ main: ours.main, sub: theirs.sub }), '43127')
  refuses(await ask({ main: ours.main, sub: ours.main }), 'a parameter')
  const body = { fromUid: ours.sub.uid, toUid: ours.main.uid, category: 'USDT-FUTURES', positionList: [] }
  refuses(await ours.sub.post(`${account}/move-positions`, body), '40048')
  expect(await position(ours.main)).toBe('long 0.1')
})

row('v3 move-position-history', 'newest first, to who moved, gave and took, and to nobody else', async () => {
  const people = await family()
  const { main, sub } = people
  const result = await moved(people, { positionList: [{ symbol: 'BTCUSDT', side: 'buy', qty: '0.04' }] })
  await moved(people, { positionList: [{ symbol: 'BTCUSDT', side: 'buy', qty: '0.06' }] })
  const path = `${account}/move-position-history`
  const asked = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', limit: 1 }
  const first = succeeds(await main.get(path, asked))
  expect(first.list('list')).toMatchObject([{ qty: '0.06' }])
  const second = succeeds(await main.get(path, { ...asked, cursor: first.fields['cursor'] }))
  expect(second.data).toMatchObject({
    cursor: null,
    list: [
      {
        category: 'USDT-FUTURES',
        fromUid: main.uid,
        toUid: sub.uid,
        orderId: result.closePosition[0]?.['orderId'],
        symbol: 'BTCUSDT',
        posSide: 'long',
        qty: '0.04',
        status: 'completed',
      },
    ],
  })
  const [, taken04] = succeeds(await sub.get(path, { category: 'USDT-FUTURES' })).list('list')
  expect(taken04).toMatchObject({ orderId: result.openPosition[0]?.['orderId'] })
  const [fill] = await fills(sub)
  expect(taken04?.['openExecId']).toBe(fill?.['execId'])
  const stranger = await at.person('Stranger')
  expect(succeeds(await stranger.get(path, { category: 'USDT-FUTURES' })).list('list')).toEqual([])
  refuses(await main.get(path), 'a missing parameter')
  refuses(await main.get(path, { category: 'USDT-FUTURES', startTime: '2', endTime: '1' }), 'a time window')
  expect(succeeds(await main.get(path, { category: 'COIN-FUTURES' })).list('list')).toEqual([])
})
