/** Candles of a file from before there were any. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lots, ticks } from '../../src/engine/numbers/numbers.ts'
import { minuteMs, openHistory, quarterMs } from '../../src/history/history.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { takeBackBefore } from './earlier.ts'
import { noon, tradeNumber } from './samples.ts'

const start = noon - (noon % quarterMs)

function traded(n: number, seconds: number, price: number, quantity: number) {
  return tradeNumber(n, { price: ticks(price), quantity: lots(quantity), at: start + seconds * 1_000, instrument: 3 })
}

test('trades of a database from before candles become candles', async () => {
  const file = join(temporaryDirectory('candles'), 'history.sqlite')
  const first = await openHistory(file)
  first.record(1, noon, [traded(1, 0, 7, 1), traded(2, 30, 8, 2), traded(3, 3_600, 9, 1)])
  await first.close()
  takeBackBefore('005-candles', file)
  const again = await openHistory(file)
  again.record(2, noon, [traded(4, 3_610, 10, 5)])
  const bounds = Array.from({ length: 62 }, (_, n) => start + n * minuteMs)
  const { candles } = await again.candles({ instrument: 3, priceKind: 'market', bounds })
  expect(candles).toMatchObject([
    { openPrice: 7, closePrice: 8, quantity: 3n },
    { openPrice: 9, closePrice: 10, quantity: 6n },
  ])
  await again.close()
})
