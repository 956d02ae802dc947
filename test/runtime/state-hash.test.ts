/** The hash of a state is that of its bytes, however they come and whoever makes it. */
import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashOf, StateHashing } from '../../src/runtime/state-hash.ts'

test.each([
  ['nothing', []],
  ['a little', [10, 0, 300]],
  // The last chunks belong to the one who made them again, while a thread still hashes.
  ['much, by a thread', [100, 9_000_000, 0, 5_000_000, 7]],
])('of %s', async (_much, lengths) => {
  const chunks = lengths.map((length) => randomBytes(length))
  const expected = createHash('sha256').update(Buffer.concat(chunks)).digest('hex')
  expect(await hashOf(chunks)).toBe(expected)
  const hashing = new StateHashing()
  for (const chunk of chunks) hashing.add(chunk)
  hashing.finish()
  for (const chunk of chunks) chunk.fill(0)
  expect(await hashing.hash).toBe(expected)
  await hashing.end()
})

test('of a state that could not be read to its end there is none', async () => {
  const hashing = new StateHashing()
  hashing.add(randomBytes(9_000_000))
  await hashing.end()
  await expect(hashing.hash).rejects.toThrow('ended')
})
