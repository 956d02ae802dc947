/** A state goes over to later rules at a command, and rules that a release does not apply are no defect (protocol/rules.ts). */
import { expect, onTestFinished, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import { firstRules, RulesBeyond } from '../../src/engine/protocol/rules.ts'
import { EngineDriver } from '../../src/runtime/parts.ts'

const upgrade = (rules: number): Command => ({ kind: 'upgrade-rules', rules, release: '9.0.0' })
const timers: Command = { kind: 'run-timers' }
const at = 1_767_225_600_000

/** As a release with other rules has it. */
function releaseApplies(oldestRules: number, rules: number): void {
  const before = { oldestRules: Engine.oldestRules, rules: Engine.rules }
  Object.assign(Engine, { oldestRules, rules })
  onTestFinished(() => void Object.assign(Engine, before))
}

function engineAfter(...commands: readonly Command[]): Engine {
  const engine = new Engine(() => {})
  for (const command of commands) engine.apply(command, engine.sequence + 1, at)
  return engine
}

const saved = (engine: Engine) => Buffer.concat(engine.save())

test('a state that no later rules were told has the bytes that it always had', () => {
  const engine = engineAfter(timers, timers)
  expect(engine.rules).toBe(firstRules)
  expect(saved(engine).includes('rules')).toBe(false)
  // One that names none which are later changes nothing.
  expect(saved(engineAfter(timers, upgrade(firstRules)))).toEqual(saved(engine))
})

test('later rules hold from the next command on, and are in the state', () => {
  releaseApplies(firstRules, firstRules + 1)
  const engine = engineAfter(timers, upgrade(firstRules + 1), upgrade(firstRules))
  expect(engine.rules).toBe(firstRules + 1)
  const loaded = Engine.load(engine.save(), () => {})
  expect(loaded.rules).toBe(firstRules + 1)
  expect(saved(loaded)).toEqual(saved(engine))
})

test('a release that does not apply them says which one does, and reads no such state', () => {
  const applied = engineAfter(timers)
  const line =
    'the venue stands at rules 4, and this release applies rules 3 only: start release 9.0.0, or another that applies rules 4'
  expect(() => applied.apply(upgrade(4), 2, at)).toThrow(line)
  releaseApplies(3, 4)
  const chunks = engineAfter(upgrade(4)).save()
  releaseApplies(3, 3)
  expect(() => Engine.load(chunks, () => {})).toThrow(line)
})

test('a release that applies the first rules no more begins with a command that says others', () => {
  const chunks = engineAfter(timers).save()
  releaseApplies(4, 5)
  const line =
    'the venue stands at rules 3, and this release applies rules 4 to 5: start a release that applies rules 3'
  expect(() => engineAfter(timers)).toThrow(line)
  expect(() => engineAfter(upgrade(3))).toThrow(line)
  expect(() => Engine.load(chunks, () => {})).toThrow(line)
  expect(engineAfter(upgrade(5)).rules).toBe(5)
})

test('it is no poisoned command, which would be passed over', () => {
  const driver = new EngineDriver([])
  driver.replace((emit) => new Engine(emit))
  driver.apply(timers, 1, at)
  expect(() => driver.apply(upgrade(4), 2, at)).toThrow(RulesBeyond)
  expect([driver.sequence, driver.rules, driver.hasEngine]).toEqual([1, 3, false])
})

test('it is known from which command on they hold', () => {
  releaseApplies(3, 4)
  const driver = new EngineDriver([])
  driver.replace((emit) => new Engine(emit))
  driver.apply(timers, 1, at)
  expect([driver.rules, driver.rulesSince]).toEqual([3, 0])
  driver.apply(upgrade(4), 2, at)
  driver.apply(upgrade(4), 3, at)
  expect([driver.rules, driver.rulesSince]).toEqual([4, 2])
})
