/** What a process asks while it starts outlives the core that it asked. */
import { expect, test } from 'vitest'
import { whileCoresChange } from '../../src/gateway/while-cores-change.ts'
import { CommandNotSequenced } from '../../src/runtime/core.ts'

function answering(...outcomes: readonly (Error | string)[]) {
  const left = [...outcomes]
  const ask = async () => {
    const outcome = left.shift()
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  return { ask, left }
}

test('who went away is asked again, and so is whoever leads next', async () => {
  const gone = new CommandNotSequenced('the core went away')
  const { ask } = answering(gone, new Error('no rows', { cause: gone }), 'the venue')
  expect(await whileCoresChange(ask)).toBe('the venue')
})

test('what a core refuses is not asked again', async () => {
  const { ask, left } = answering(new Error('the venue is another one'), 'never asked')
  await expect(whileCoresChange(ask)).rejects.toThrow('the venue is another one')
  expect(left).toEqual(['never asked'])
})
