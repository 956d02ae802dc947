/** design §4.20: who places very many orders is noticed once per threshold. */
import { expect, test } from 'vitest'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import { watchDailyOrders } from '../../src/operator/daily-orders.ts'
import type { Core } from '../../src/runtime/runtime.ts'

const order = { kind: 'place-order', uid: 7 } as Command

/** A core whose every order is one more of the day. */
function countingCore(): Core {
  let dailyOrders = 0
  const place = (): Reply => ({ kind: 'placed', orderId: 1, clientOid: '', dailyOrders: ++dailyOrders })
  return {
    submit: async () => place(),
    submitAll: async (commands) => commands.map(place),
    query: () => {
      throw new Error('nothing is asked')
    },
    now: () => 0,
  }
}

test('one line for each threshold, whether orders come one by one or together', async () => {
  const lines: unknown[] = []
  const log = {
    info: (facts: object, text: string) => void lines.push([text, facts]),
    warn: (facts: object, text: string) => void lines.push([text, facts]),
  }
  const watched = watchDailyOrders(countingCore(), { dailyOrdersReminder: 2, dailyOrdersWarning: 4 }, log)
  for (let count = 0; count < 3; count++) await watched.submit(order)
  await watched.submitAll([order, order, { kind: 'run-timers' }])
  expect(lines).toEqual([
    ['daily orders: reminder', { uid: 7, dailyOrders: 2 }],
    ['daily orders: warning', { uid: 7, dailyOrders: 4 }],
  ])
})

test('without thresholds the core is left alone', () => {
  const core = countingCore()
  const log = { info() {}, warn() {} }
  expect(watchDailyOrders(core, { dailyOrdersReminder: 0, dailyOrdersWarning: 0 }, log)).toBe(core)
})
