/** Lives of the simulated venue (test/simulation/), one after another, each with a seed of its own. */
import { runLives, type Total } from '../../test/simulation/runs.ts'
import { Pace } from './pace.ts'

interface LivesAsked {
  readonly seed: number
  readonly minutes: number
  readonly livesMax: number
  readonly kind: 'full' | 'busy'
}

/** Prints counts and speed now and then and at the end; rejects at the first fault. */
export async function soakLives({ seed, minutes, livesMax, kind }: LivesAsked): Promise<void> {
  const pace = new Pace(minutes)
  let last: Total | undefined
  console.log(`from seed ${seed}`)
  const total = await runLives(seed, {
    kind,
    until: (sofar) => {
      last = sofar
      return sofar.lives >= livesMax || pace.isOver
    },
    onLife: () => {
      if (last !== undefined && pace.isTimeToReport()) console.log(line(last))
    },
  })
  console.log(line(total))

  function line({ lives, commands, simulatedMs, ...counts }: Total): string {
    const { seconds } = pace
    const hours = simulatedMs / 3_600_000
    return [
      `seeds ${seed} to ${seed + lives - 1}: ${commands} commands in ${Math.round(seconds)} s`,
      `(${Math.round(commands / seconds)}/s)`,
      `${counts.fills} fills, ${counts.cuts} power cuts, ${counts.restarts} restarts, ${counts.diskFaults} disk faults`,
      `${counts.poisoned} poisoned, ${counts.replayed} replayed, ${counts.snapshots} snapshots`,
      `${hours.toFixed(0)} simulated hours, ${Math.round((hours * 3600) / seconds)} times as fast as real time`,
    ].join(', ')
  }
}
