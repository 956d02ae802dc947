/**
 * Which side traders stand on: v2 `account-long-short`, `position-long-short`, `long-short`, `taker-buy-sell` of contracts,
 * `long-short-ratio` of margin. Two accounts long of 0.3 and 0.1 BTC, one short of 0.4.
 *
 * Source  fidelity §2
 */
import { expect } from 'vitest'
import type { Answer, Fields } from '../support/http.ts'
import type { Person } from '../support/person.ts'
import { refuses, row, stage, succeeds, table } from './conformance.ts'

const at = stage({ clock: 'manual' })
const source = 'fidelity §2 sides'

async function ask(path: string, query: Record<string, string> = {}): Promise<Answer> {
  const asked = new URLSearchParams({ symbol: 'BTCUSDT', ...query }).toString()
  return at.venue.exchange({ method: 'GET', target: `/api/v2/${path}?${asked}` })
}

const newest = async (path: string, query?: Record<string, string>): Promise<Fields> =>
  succeeds(await ask(`mix/market/${path}`, query))
    .list()
    .at(-1) ?? {}

async function trade(taker: Person, maker: Person, side: 'buy' | 'sell', size: string): Promise<void> {
  const order = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed', size }
  const terms = { ...order, orderType: 'limit', price: '60000', force: 'gtc' }
  const other = side === 'buy' ? 'sell' : 'buy'
  succeeds(await maker.post('/api/v2/mix/order/place-order', { ...terms, side: other }))
  succeeds(await taker.post('/api/v2/mix/order/place-order', { ...terms, side }))
}

row(source, 'accounts, what takers opened, and what they traded; then the next period', async () => {
  const person = (name: string) => at.person(name, { mode: 'classic', funds: { usdt_futures: { USDT: '100000' } } })
  const [ann, bob, cat] = [await person('Ann'), await person('Bob'), await person('Cat')]
  for (const one of [ann, bob, cat]) one.hasTraded = true
  const begun = await newest('account-long-short')
  expect(begun).toMatchObject({ longAccountRatio: '0.5', shortAccountRatio: '0.5', longShortAccountRatio: '1' })
  await trade(ann, cat, 'buy', '0.3')
  await trade(cat, bob, 'sell', '0.1')
  const ts = String(at.venue.now() - (at.venue.now() % 300_000))
  const accounts = { longAccountRatio: '0.6667', shortAccountRatio: '0.3333', longShortAccountRatio: '2' }
  expect(await newest('account-long-short')).toEqual({ ...accounts, ts })
  const opened = { longPositionRatio: '0.75', shortPositionRatio: '0.25', longShortPositionRatio: '3' }
  expect(await newest('position-long-short')).toEqual({ ...opened, ts })
  expect(await newest('long-short')).toEqual({ longRatio: '0.75', shortRatio: '0.25', longShortRatio: '3', ts })
  expect(await newest('taker-buy-sell')).toEqual({ buyVolume: '0.3', sellVolume: '0.1', ts })
  expect(await newest('taker-buy-sell', { period: '1D', productType: 'usdt-futures' })).toMatchObject({
    buyVolume: '0.3',
  })

  await at.venue.advance(300_000)
  const next = String(Number(ts) + 300_000)
  expect(await newest('taker-buy-sell')).toEqual({ buyVolume: '0', sellVolume: '0', ts: next })
  expect(await newest('account-long-short')).toEqual({ ...accounts, ts: next })
  const rows = succeeds(await ask('mix/market/taker-buy-sell')).list()
  expect(rows.at(-2)).toEqual({ buyVolume: '0.3', sellVolume: '0.1', ts })
})

row(source, 'what is lent of the quote coin over what is lent of the base coin', async () => {
  const path = 'margin/market/long-short-ratio'
  const ratio = async () => succeeds(await ask(path)).list()
  const ts = () => String(at.venue.now())
  // Nobody has borrowed: neither side has more.
  expect(await ratio()).toEqual([{ longShortRatio: '1', ts: ts() }])
  const uma = await at.person('Uma', { mode: 'unified', funds: { uta: { ETH: '100', USDT: '100000' } } })
  const borrow = async (coin: string, borrowAmount: string) =>
    succeeds(await uma.post('/api/v2/margin/crossed/account/borrow', { coin, borrowAmount }))
  await borrow('USDT', '3000')
  // As if one dollar stood below
  expect(await ratio()).toEqual([{ longShortRatio: '3000', ts: ts() }])
  await borrow('BTC', '0.1')
  expect(await ratio()).toEqual([{ longShortRatio: '0.5', ts: ts() }])
})

table(
  source,
  [
    ['an unknown symbol', 'mix/market/account-long-short', { symbol: 'NOSUCH' }, 'an unknown symbol'],
    ['an unknown period', 'mix/market/taker-buy-sell', { period: '7m' }, 'a parameter'],
    ['another line', 'mix/market/long-short', { productType: 'COIN-FUTURES' }, 'an unknown symbol'],
    ['no pair', 'margin/market/long-short-ratio', { symbol: 'BTCUSD' }, 'an unknown symbol'],
  ],
  async (path: string, query: Record<string, string>, code: string) => {
    refuses(await ask(path, query), code)
  },
)
