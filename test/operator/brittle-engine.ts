/**
 * Loaded into a venue before it starts (`node --import`): the real engine, which breaks after it has carried out an order
 * whose client order id begins with `poison`, and cannot be brought back after one that begins with `fatal`.
 */
import { Engine } from '../../src/engine/engine.ts'

type Method<Name extends 'apply' | 'skip'> = (
  this: Engine,
  ...given: Parameters<Engine[Name]>
) => ReturnType<Engine[Name]>

const apply = Reflect.get(Engine.prototype, 'apply') as Method<'apply'>
const skip = Reflect.get(Engine.prototype, 'skip') as Method<'skip'>
let isFatal = false

Engine.prototype.apply = function (command, sequence, at) {
  const reply = apply.call(this, command, sequence, at)
  if (command.kind !== 'place-order') return reply
  isFatal ||= command.clientOid.startsWith('fatal')
  if (isFatal || command.clientOid.startsWith('poison')) throw new Error('holds are never negative')
  return reply
}

Engine.prototype.skip = function (sequence, at) {
  if (isFatal) throw new Error('the state is beyond repair')
  skip.call(this, sequence, at)
}
