/**
 * The number of the engine's rules changes with what the engine makes of commands (docs/decisions/0019-losses-are-said.md). When this
 * fails, a journal of before replays to something else: raise `Engine.rules`, and put its number and the new hash here.
 */
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { replayTraders, replayVectors } from './replay-hash.ts'

test('the rules have the number under which these hashes were made', () => {
  const found = [replayTraders({ seeds: 2, commands: 400 }), replayVectors()].map(({ heard, saved }) => ({
    heard,
    saved,
  }))
  expect({ rules: Engine.rules, found }).toEqual({
    rules: 1,
    found: [
      {
        heard: '195575ff82c6941ec494871c1029b3b3028e4caf931d05c48796794d72205625',
        saved: '11ad5d35fcbdfd9824f17a4bac0a505557ba47ed620b1e4b80beb93e1aa5ec59',
      },
      {
        heard: 'ffa6e6908b60dd637bbc1b9688e403e71ce872641660d7b10e53836993cdbe26',
        saved: 'be344acfdb44ae1ede1bf7a30ec7c6957a2c97f7dc06ec7c9548500d3716d7de',
      },
    ],
  })
})
