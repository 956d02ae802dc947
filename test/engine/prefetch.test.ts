/**
 * Getting ready for commands: whatever they are, nothing of it is seen. (That replies, events and bytes are the same after it is
 * checked with every simulation: support/soundness.ts.)
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import { commandOf } from '../runtime/commands.ts'
import { admitRandomTraders, RandomTraders } from './support/random-traders.ts'
import { Exchange } from './support/exchange.ts'

/** An exchange with orders, positions and debts, as an engine of its own. */
function randomLife(): { readonly engine: Engine; readonly commands: readonly Command[] } {
  const exchange = new Exchange()
  admitRandomTraders(exchange)
  const randomTraders = new RandomTraders(exchange, 11)
  for (let count = 0; count < 2_000; count++) exchange.apply(randomTraders.next())
  const engine = Engine.load([exchange.save()], () => {
    throw new Error('an event of nothing')
  })
  return { engine, commands: exchange.applied.map(({ command }) => command) }
}

/** Of the kinds that are looked at, and of others. */
const anything = fc.oneof(
  commandOf('place-order'),
  commandOf('cancel-order'),
  commandOf('deposit'),
  commandOf('run-timers'),
)

function cancel(uid: number, orderId: number): Command {
  const order = { orderId, clientOid: '' }
  return { kind: 'cancel-order', uid, order, category: undefined, instrument: undefined }
}

const bytesOf = (engine: Engine) => Buffer.concat(engine.save())

test('the state stays as it is, whatever is about to come', () => {
  const { engine, commands: history } = randomLife()
  const before = bytesOf(engine)
  const uids = new Set(history.flatMap((command) => (command.kind === 'place-order' ? [command.uid] : [])))
  const cancels = [...uids].flatMap((uid) =>
    (['v2', 'v3'] as const).flatMap((version) =>
      engine
        .query({ kind: 'open-orders', uid, interface: version, category: undefined, instrument: undefined })
        .map(({ orderId }): Command => cancel(uid, orderId)),
    ),
  )
  expect(cancels.length).toBeGreaterThan(20)
  for (const commands of [history, cancels]) {
    for (let place = 0; place < commands.length; ) place = engine.prefetch(commands, place)
  }
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 100 }), (commands) => {
      for (let place = 0; place < commands.length; ) {
        const next = engine.prefetch(commands, place)
        expect(next).toBeGreaterThan(place)
        expect(next).toBeLessThanOrEqual(commands.length)
        place = next
      }
    }),
    { numRuns: 300 },
  )
  expect(bytesOf(engine).equals(before)).toBe(true)
})

test('of an engine without anything, and of no commands', () => {
  const engine = new Engine(() => {})
  expect(engine.prefetch([], 0)).toBe(0)
  const unknown = [1_000_000_001, Number.NaN, -1].map((uid) => cancel(uid, 1_000_000_000_000_001))
  expect(engine.prefetch(unknown, 0)).toBe(3)
})
