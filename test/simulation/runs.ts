/**
 * Many lives, one after another: each from a seed of its own, until so many commands or so much time.
 *
 * Again   a failure is reported with its seed, the command it came to, the one command that repeats it, and the fewest
 *         commands that lead to the same fault in a lone engine, when a lone engine has it
 */
import { live, LifeFailed, type LifeOptions, type LifeReport } from './life.ts'
import { shrink } from './shrink.ts'
import { text } from './watch.ts'

/** Commands of one life: long enough for a venue to get old, short enough for a failure to be repeated soon. */
export const lifeCommands = 40_000

export interface Total {
  lives: number
  commands: number
  fills: number
  events: number
  restarts: number
  cuts: number
  diskFaults: number
  poisoned: number
  replayed: number
  snapshots: number
  simulatedMs: number
}

interface RunOptions {
  readonly kind?: LifeOptions['kind']
  readonly until: (total: Total) => boolean
  readonly onLife?: (seed: number, report: LifeReport) => void
}

export class RunFailed extends Error {
  override name = 'RunFailed'
}

export async function runLives(firstSeed: number, { kind, until, onLife = () => {} }: RunOptions): Promise<Total> {
  const total: Total = {
    lives: 0,
    commands: 0,
    fills: 0,
    events: 0,
    restarts: 0,
    cuts: 0,
    diskFaults: 0,
    poisoned: 0,
    replayed: 0,
    snapshots: 0,
    simulatedMs: 0,
  }
  for (let seed = firstSeed; !until(total); seed++) {
    let report: LifeReport
    try {
      report = await live({ seed, commands: lifeCommands, kind })
    } catch (error) {
      throw error instanceof LifeFailed
        ? new RunFailed(await reportOf(seed, kind, error), { cause: error.cause })
        : error
    }
    total.lives += 1
    for (const name of Object.keys(total) as (keyof Total)[]) if (name !== 'lives') total[name] += report[name]
    onLife(seed, report)
  }
  return total
}

async function reportOf(seed: number, kind: LifeOptions['kind'], failed: LifeFailed): Promise<string> {
  const lines = [failed.message, `again with: npm run soak -- --seed ${seed} --lives 1 --kind ${kind ?? 'full'}`]
  const tape = await live({ seed, commands: lifeCommands, kind, keepTape: true }).then(
    () => undefined,
    (error: unknown) => (error instanceof LifeFailed ? error.tape : undefined),
  )
  if (tape === undefined) return [...lines, 'it does not come again: something outside the seed decides'].join('\n')
  const small = shrink(tape)
  if (small === undefined) return [...lines, 'a lone engine that gets the same does not have it'].join('\n')
  lines.push(`the same in a lone engine, after ${small.commands.length} commands: ${small.fault}`)
  for (const { at, command } of small.commands) lines.push(`  ${at} ${text(command)}`)
  return lines.join('\n')
}
