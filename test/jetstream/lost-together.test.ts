/** What waits for an answer over a connection is told when that is lost. */
import { expect, test } from 'vitest'
import { LostTogether } from '../../src/jetstream/connection.ts'

test('all that waits rejects at once, and what comes behind waits for its own answer', async () => {
  const asked = new LostTogether()
  const never = [0, 1].map(() => asked.add(new Promise(() => {})))
  const answered = asked.add(Promise.resolve('stored'))
  await expect(answered).resolves.toBe('stored')
  asked.lose(new Error('the connection was lost'))
  for (const waiting of never) await expect(waiting).rejects.toThrow('the connection was lost')
  const later = Promise.withResolvers<string>()
  const behind = asked.add(later.promise)
  later.resolve('stored behind it')
  await expect(behind).resolves.toBe('stored behind it')
  await expect(asked.add(Promise.reject(new Error('no such stream')))).rejects.toThrow('no such stream')
})
