/**
 * Makes a failure small: the commands that lead to the same fault in a lone engine, with as many left out as can be.
 *
 * Same     the fault with its numbers taken out
 * Kept     what is listed and who joined, so that numbers of instruments and accounts stay what they are
 */
import type { Command } from '../../src/engine/protocol/command.ts'
import { type Applied, isPoison, Watch } from './watch.ts'

export interface TimedCommand {
  readonly at: number
  readonly command: Command
}

/** The commands that are left, and the fault; undefined: a lone engine does not have it. */
export function shrink(
  tape: readonly Applied[],
  triesMax = 600,
): { commands: readonly TimedCommand[]; fault: string } | undefined {
  let commands: readonly TimedCommand[] = withoutHurry(tape).filter(({ command }) => !isPoison(command))
  const first = faultOf(commands)
  if (first === undefined) return undefined
  const wanted = signature(first.fault)
  const isSame = (some: readonly TimedCommand[]) => {
    const found = faultOf(some)
    return found !== undefined && signature(found.fault) === wanted ? found : undefined
  }
  commands = commands.slice(0, first.count)
  let tries = 0
  for (let piece = Math.ceil(commands.length / 2); tries < triesMax; ) {
    let smaller = false
    for (let start = 0; start < commands.length && tries < triesMax; ) {
      const rest = commands.filter(
        (command, index) => index < start || index >= start + piece || isKept(command.command),
      )
      if (rest.length === commands.length) {
        start += piece
        continue
      }
      tries += 1
      const found = isSame(rest)
      if (found === undefined) {
        start += piece
        continue
      }
      commands = rest.slice(0, found.count)
      smaller = true
    }
    if (piece === 1 && !smaller) break
    if (!smaller || piece > commands.length) piece = Math.max(1, Math.floor(piece / 2))
  }
  return { commands, fault: faultOf(commands)?.fault ?? first.fault }
}

/** Timers that ran every millisecond up to the end are run anew by whoever looks for the fault. */
function withoutHurry(tape: readonly Applied[]): readonly Applied[] {
  let end = tape.length
  const at = (index: number) => tape[index]?.at ?? 0
  while (tape[end - 1]?.command.kind === 'run-timers' && at(end - 1) === at(end - 2) + 1) end -= 1
  return tape.slice(0, end)
}

/** The first fault, and how many commands it took. */
function faultOf(commands: readonly TimedCommand[]): { fault: string; count: number } | undefined {
  const watch = new Watch()
  const engine = new watch.engineClass(() => {})
  let count = 0
  for (const { command, at } of commands) {
    count += 1
    try {
      engine.apply(command, count, at)
    } catch (error) {
      return { fault: watch.faults[0] ?? String(error), count }
    }
    if (watch.faults[0] !== undefined) return { fault: watch.faults[0], count }
  }
  // Timers that hurry on and change nothing show only when they run.
  let at = commands.at(-1)?.at ?? 0
  for (let step = 0; step < 1000 && watch.faults.length === 0 && engine.nextTimerAt() === at + 1; step++) {
    at += 1
    engine.apply({ kind: 'run-timers' }, ++count, at)
  }
  count = commands.length
  if (watch.faults.length === 0) watch.checkAll()
  const [fault] = watch.faults
  return fault === undefined ? undefined : { fault, count }
}

function signature(fault: string): string {
  return fault.split('\n', 3).join(' ').replace(/\d+/g, '#')
}

function isKept({ kind }: Command): boolean {
  return kind === 'list-coin' || kind === 'list-instrument' || kind === 'create-account'
}
