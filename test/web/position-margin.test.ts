/** What of its margin an isolated position may give back, by the examples of risk.md (Isolated). */
import { expect, test } from 'vitest'
import { unitsText } from '../../web/numbers/decimal.ts'
import { spareMargin } from '../../web/trading/position-margin.ts'

/** Long 0.5 BTC at 60,000, 20x: margin 1,500. */
const long = {
  category: 'USDT-FUTURES',
  side: 'long',
  quantity: '0.5',
  entryPrice: '60000',
  leverage: '20',
  margin: '1500',
} as const
/** Long 60,000 USD at 60,000, 20x: margin 0.05 BTC. */
const inverse = { ...long, category: 'COIN-FUTURES', quantity: '60000', margin: '0.05' } as const

test.each([
  // position                                   mark        spare
  ['nothing of what it opened with', long, '60000', '0'],
  ['what was added', { ...long, margin: '1800' }, '60000', '300'],
  ['at a higher mark more is needed, and the profit stays', { ...long, margin: '1800' }, '62000', '250'],
  ['a loss comes off', { ...long, margin: '2600' }, '59000', '625'],
  ['a loss that takes it all', { ...long, margin: '1800' }, '58000', '0'],
  ['the short loses by a rise', { ...long, side: 'short', margin: '2600' }, '61000', '575'],
  ['coin-margined: nothing', inverse, '60000', '0'],
  ['coin-margined: what was added', { ...inverse, margin: '0.06' }, '60000', '0.01'],
  ['coin-margined: a loss comes off', { ...inverse, margin: '0.4' }, '48000', '0.0875'],
  ['without a mark nothing is known', { ...long, margin: '1800' }, '', '0'],
] as const)('%s', (_what, position, mark, spare) => {
  expect(unitsText(spareMargin(position, mark))).toBe(spare)
})
