/**
 * Lives of a scene as a test: all from one seed, which a failure names with the command that repeats it. The short form lives a third
 * of them, and more where the scene has too little of what it is for.
 */
import { expect, test } from 'vitest'
import { tries } from '../support/depth.ts'
import type { Scene } from './random-traders.ts'
import { Life, type Tally } from './run.ts'

/** As in test/setup.ts: one seed unless another is asked for. */
const asked = process.env['FC_SEED'] ?? '20261121'
const seed = asked === 'random' ? Math.floor(Math.random() * 1_000_000_000) : Number(asked)

export function agrees(file: string, scenes: readonly Scene[]): void {
  for (const scene of scenes) {
    test(scene.name, () => {
      const tally: Tally = new Map()
      const wanted = Object.entries(scene.atLeast).map(([what, times]) => ({ what, least: tries(times) }))
      const isMet = () => wanted.every(({ what, least }) => (tally.get(what) ?? 0) >= least)
      for (let number = 1; number <= scene.lives; number++) {
        if (number > tries(scene.lives) && isMet()) break
        try {
          new Life(scene, seed + number, tally).live(scene.commands)
        } catch (error) {
          const again = `FC_SEED=${seed} node scripts/run.js vitest run ${file} -t '${scene.name}'`
          throw new Error(`seed ${seed}, life ${number}; again with: ${again}`, { cause: error })
        }
      }
      // Of other seeds nobody has looked at what happens in them.
      if (process.env['FC_SEED'] !== undefined) return
      for (const { what, least } of wanted) {
        expect(tally.get(what) ?? 0, `${what} in ${scene.name}, seed ${seed}`).toBeGreaterThanOrEqual(least)
      }
    }, 180_000)
  }
}
