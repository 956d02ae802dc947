/**
 * Loaded into a process of the venue by tests alone (`node --import`): its release has brought rules of its own, by which a limit order is
 * placed one tick below what was asked. It applies the rules before them as well.
 */
import { Engine } from '../../src/engine/engine.ts'

const later = Engine.rules + 1
Object.assign(Engine, { rules: later })
// oxlint-disable-next-line typescript/unbound-method -- it is called with an engine below
const { apply } = Engine.prototype
Engine.prototype.apply = function (command, sequence, at) {
  const isOther = this.rules === later && command.kind === 'place-order' && command.orderType === 'limit'
  return apply.call(
    this,
    isOther ? { ...command, price: (command.price - 1) as typeof command.price } : command,
    sequence,
    at,
  )
}
