/**
 * Loaded into a process of the venue by tests alone (`node --import`): SIGUSR2 damages the state of its engine, as a memory that
 * forgets would. Nothing notices it by itself: no order depends on what is changed.
 */
import { Engine } from '../../src/engine/engine.ts'

let current: { state: { counters: { repay: number } } } | undefined
const apply = Reflect.get(Engine.prototype, 'apply') as (...given: Parameters<Engine['apply']>) => unknown

Reflect.set(Engine.prototype, 'apply', function (this: Engine, ...given: Parameters<Engine['apply']>) {
  current = this as unknown as typeof current
  return apply.apply(this, given)
})

process.on('SIGUSR2', () => {
  if (current !== undefined) current.state.counters.repay += 1
})
