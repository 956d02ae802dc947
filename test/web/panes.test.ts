/** Which market each of several panes shows: docs/terminal.md, Several markets. */
import { expect, test } from 'vitest'
import { marketsOf, wantedOf } from '../../web/store/pane-markets.ts'
import type { Instrument } from '../../web/venue/instruments.ts'

const all = ['SPOT/BTCUSDT', 'USDT-FUTURES/BTCUSDT', 'USDT-FUTURES/ETHUSDT', 'USDT-FUTURES/SOLUSDT'].map(
  (key) => ({ key, category: key.split('/')[0] }) as Instrument,
)
const named = (key: string) => all.find((one) => one.key.endsWith(key))

test.each([
  // kept                                     panes  chosen  in view          shown
  ['', 1, 0, 'FUTURES/ETHUSDT', ['USDT-FUTURES/ETHUSDT']],
  ['', 2, 0, 'FUTURES/ETHUSDT', ['USDT-FUTURES/ETHUSDT', 'USDT-FUTURES/BTCUSDT']],
  ['SPOT/BTCUSDT@1m', 2, 1, 'FUTURES/SOLUSDT', ['SPOT/BTCUSDT', 'USDT-FUTURES/SOLUSDT']],
  ['SPOT/GONE@1m', 2, 1, 'SPOT/BTCUSDT', ['USDT-FUTURES/BTCUSDT', 'SPOT/BTCUSDT']],
  ['SPOT/BTCUSDT@1m', 2, 1, 'SPOT/BTCUSDT', ['SPOT/BTCUSDT', 'SPOT/BTCUSDT']],
])('kept “%s”, %i panes, %i chosen, %s in view', (kept, count, chosen, inView, shown) => {
  const found = marketsOf(wantedOf(kept), all, { count, chosen, current: named(inView) })
  expect(found.map((one) => one?.key)).toEqual(shown)
})

test('more panes than markets: the last has none', () => {
  const found = marketsOf(wantedOf(''), all.slice(0, 1), { count: 2, chosen: 0, current: all[0] })
  expect(found).toEqual([all[0], undefined])
})

test('an interval that is none is the shortest usual one', () => {
  expect(wantedOf('SPOT/BTCUSDT@4H SPOT/ETHUSDT@soon')).toEqual([
    { key: 'SPOT/BTCUSDT', interval: '4H' },
    { key: 'SPOT/ETHUSDT', interval: '1m' },
  ])
})
