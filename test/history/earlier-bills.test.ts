/** Bills of a file from before all wallets had them in one table. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHistory } from '../../src/history/history.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { takeBackBefore } from './earlier.ts'
import { alice, bill, fill, noon } from './samples.ts'

test('bills of margin wallets of earlier releases stay before all others; their fills are no bills', async () => {
  const file = join(temporaryDirectory('bills'), 'history.sqlite')
  const first = await openHistory(file)
  first.record(1, noon, [{ ...fill, wallet: 'crossed_margin', category: 'MARGIN' }])
  await first.close()
  takeBackBefore(
    '006-bills',
    file,
    `insert into margin_bills values
      (5000000000000002, ${alice}, 4, -9, 0, 11, ${noon}, 'crossed_margin', 'deal_out', 3, 1, ''),
      (5000000000000001, ${alice}, 4, 20, 0, 20, ${noon}, 'crossed_margin', 'transfer_in', null, 1, '')`,
  )
  const again = await openHistory(file)
  again.record(2, noon + 9, [{ ...bill, id: 3_000_000_000_000_001, wallet: 'crossed_margin' }])
  const query = { uid: alice, wallet: 'crossed_margin', limit: 10 } as const
  expect((await again.bills(query)).rows).toMatchObject([
    { id: 3_000_000_000_000_001 },
    { id: 2_000_000_000_000_002, type: 'deal_out', category: 'MARGIN', amount: -9n, balance: 11n, instrument: 3 },
    { id: 2_000_000_000_000_001, type: 'transfer_in', category: 'OTHER', amount: 20n, instrument: undefined },
  ])
  expect((await again.fills({ uid: alice, limit: 5 })).rows).toHaveLength(1)
  await again.close()
})
