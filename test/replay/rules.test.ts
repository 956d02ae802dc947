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
    rules: 3,
    found: [
      {
        heard: '12f1c8195917a4ac89a9f5f55daf0492c79ac59915c0ac9936acf885bb8b2827',
        saved: '03cf4c5ca5300fd981cda75cc1dea84c0cfd532668e51cb9ade93e14c333812d',
      },
      {
        heard: 'a6d337f9016b431aa2d75a50adb7f177f48719b0b7786b8fee2794acf0cbe9ba',
        saved: 'be344acfdb44ae1ede1bf7a30ec7c6957a2c97f7dc06ec7c9548500d3716d7de',
      },
    ],
  })
})
