/**
 * E12: one leverage for every symbol of a product line in which the account holds a position.
 *
 * Source  interface.md E12; design §4.16, §4.36, §4.37
 */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import {
  type Market,
  btcPerpetual,
  btcUsdc,
  ethPerpetual,
  onePosition,
  paths,
  positions,
  setHoldMode,
  setLeverage,
  setMarginMode,
  taken,
} from '../support/trading.ts'
import { answers, refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage()

const funds = { usdt_futures: { USDT: '100000' }, usdc_futures: { USDC: '100000' } } as const
const classic = { mode: 'classic', funds } as const
const line = { productType: 'USDT-FUTURES' } as const

async function opened(person: Person, words: string, market: Market = btcPerpetual): Promise<void> {
  const bob = await at.person('Bob', classic)
  const [side, quantity, , price] = words.split(' ')
  await taken(bob, `${side === 'buy' ? 'sell' : 'buy'} ${quantity} @ ${price}`, market)
  await taken(person, words, market)
}

async function leverageOf(person: Person, market: Market): Promise<string | undefined> {
  const { category: productType, symbol, marginCoin } = market
  const answer = await person.get('/api/v2/mix/account/account', { productType, symbol, marginCoin })
  return String((succeeds(answer).data as Record<string, unknown>)['crossedMarginLeverage'])
}

row('E12 response', 'data is the text success', async () => {
  const alice = await at.person('Alice', classic)
  await opened(alice, 'buy 0.01 @ 60000')
  expect(succeeds(await alice.post(paths.allLeverage, { ...line, leverage: '15' })).data).toBe('success')
  expect(await onePosition(alice)).toMatchObject({ leverage: '15' })
})

row('E12', 'all symbols with a position change, and no other', async () => {
  const alice = await at.person('Alice', classic)
  const sol = { ...btcPerpetual, symbol: 'SOLUSDT' }
  await setLeverage(alice, 9, sol)
  await opened(alice, 'buy 0.01 @ 60000')
  await opened(alice, 'sell 0.1 @ 3000', ethPerpetual)
  succeeds(await alice.post(paths.allLeverage, { ...line, leverage: '15' }))
  expect(await onePosition(alice)).toMatchObject({ leverage: '15' })
  expect(await onePosition(alice, ethPerpetual)).toMatchObject({ leverage: '15' })
  expect(await leverageOf(alice, sol)).toBe('9')
})

row('E12', 'another product line is left alone', async () => {
  const alice = await at.person('Alice', classic)
  await setLeverage(alice, 9, btcUsdc)
  await opened(alice, 'buy 0.01 @ 60000', btcUsdc)
  await opened(alice, 'buy 0.01 @ 60000')
  succeeds(await alice.post(paths.allLeverage, { ...line, leverage: '15' }))
  expect(await onePosition(alice, btcUsdc)).toMatchObject({ leverage: '9' })
})

row('E12', 'without a position it succeeds and changes nothing', async () => {
  const alice = await at.person('Alice', classic)
  const before = await leverageOf(alice, btcPerpetual)
  expect(succeeds(await alice.post(paths.allLeverage, { ...line, leverage: '15' })).data).toBe('success')
  expect(await leverageOf(alice, btcPerpetual)).toBe(before)
})

row(
  { rule: 'E12', decision: 'with symbol only that symbol is set (design §4.16)' },
  'with a symbol, only that one changes',
  async () => {
    const alice = await at.person('Alice', classic)
    await setLeverage(alice, 9)
    await opened(alice, 'buy 0.01 @ 60000')
    await opened(alice, 'sell 0.1 @ 3000', ethPerpetual)
    succeeds(await alice.post(paths.allLeverage, { ...line, leverage: '15', symbol: 'ETHUSDT', marginCoin: 'USDT' }))
    expect(await onePosition(alice)).toMatchObject({ leverage: '9' })
    expect(await onePosition(alice, ethPerpetual)).toMatchObject({ leverage: '15' })
  },
)

row(
  { rule: 'E12', decision: 'holdSide applies to isolated hedge positions (design §4.16)' },
  'with a holdSide, only that isolated side changes',
  async () => {
    const alice = await at.person('Alice', classic)
    await setHoldMode(alice, 'hedge_mode')
    await setMarginMode(alice, 'isolated')
    await setLeverage(alice, 10)
    const bob = await at.person('Bob', classic)
    await taken(bob, 'sell 0.01 @ 60000')
    await taken(alice, 'buy 0.01 open isolated @ 60000')
    await taken(bob, 'buy 0.01 @ 60000')
    await taken(alice, 'sell 0.01 open isolated @ 60000')
    succeeds(await alice.post(paths.allLeverage, { ...line, leverage: '15', symbol: 'BTCUSDT', holdSide: 'long' }))
    const held = await positions(alice)
    const leverages = Object.fromEntries(held.map((position) => [position['holdSide'], position['leverage']]))
    expect(leverages).toEqual({ long: '15', short: '10' })
  },
)

row(
  { rule: 'E12', decision: 'failure if any symbol could not take it; then none changes (design §4.16)' },
  'too little margin for one symbol: failure, and none changes',
  async () => {
    const alice = await at.person('Alice', { mode: 'classic', funds: { usdt_futures: { USDT: '1000' } } })
    await setLeverage(alice, 20)
    await setLeverage(alice, 20, ethPerpetual)
    await opened(alice, 'buy 0.2 @ 60000')
    await opened(alice, 'buy 0.01 @ 3000', ethPerpetual)
    const answer = succeeds(await alice.post(paths.allLeverage, { ...line, leverage: '2' }))
    expect(answer.data).toBe('failure')
    expect(await onePosition(alice)).toMatchObject({ leverage: '20' })
    expect(await onePosition(alice, ethPerpetual)).toMatchObject({ leverage: '20' })
  },
)

table(
  { rule: 'E12 table leverage', decision: 'outside every symbol’s range is a parameter error (design §4.36)' },
  [
    // what               leverage      answer
    ['1', '1', 'ok'],
    ['20', '20', 'ok'],
    ['as a JSON number', 20, 'ok'],
    ['zero', '0', 'the leverage'],
    ['a thousand', '1000', 'the leverage'],
    ['a fraction', '10.5', 'the leverage or a parameter'],
    ['negative', '-5', 'the leverage or a parameter'],
    ['empty', '', 'the leverage or a parameter'],
    ['missing', undefined, 'a missing parameter'],
    ['a huge number', '9'.repeat(30), 'the leverage or a parameter'],
  ],
  async (leverage, expected) => {
    const alice = await at.person('Alice', classic)
    await opened(alice, 'buy 0.001 @ 60000')
    answers(await alice.post(paths.allLeverage, { ...line, leverage }), expected)
  },
)

table(
  'E12 parameters',
  [
    // what                            body                                                               refused as
    ['no productType', { leverage: '10' }, 'a missing parameter'],
    ['an unknown productType', { productType: 'SPOT', leverage: '10' }, 'a parameter'],
    ['an unknown symbol', { ...line, leverage: '10', symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['a symbol of another line', { ...line, leverage: '10', symbol: 'BTCPERP' }, 'an unknown symbol'],
    ['an unknown holdSide', { ...line, leverage: '10', symbol: 'BTCUSDT', holdSide: 'both' }, 'a parameter'],
  ],
  async (body, expected) => {
    const alice = await at.person('Alice', classic)
    refuses(await alice.post(paths.allLeverage, body), expected)
  },
)
