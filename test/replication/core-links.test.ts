/** What a core says on a link, and what it does not say any more once that is over. */
import { expect, test } from 'vitest'
import { CoreLinks, type FrameDown } from '../../src/replication/replication.ts'

test('who went away while a barrier was answered hears nothing more', async () => {
  const fresh = Promise.withResolvers<number>()
  const links = new CoreLinks({
    about: { process: 'core', release: '1', rules: { oldest: 1, newest: 1 } },
    rules: () => 1,
    submitAll: () => Promise.resolve([]),
    sequence: () => 0,
    committed: () => 0,
    fresh: () => fresh.promise,
    save: () => ({ sequence: 0, lastAt: 0, chunks: [] }),
  })
  links.leads(1)
  const said: FrameDown['kind'][] = []
  const ends = links.connect({ send: ({ kind }) => void said.push(kind), end: () => {} })
  const about = { process: 'gateway', release: '1', rules: { oldest: 1, newest: 1 } }
  ends.take({ kind: 'hello', session: 1, about, appliedThrough: 0 })
  expect(said).toEqual(['welcome', 'applied'])
  ends.take({ kind: 'barrier', number: 1 })
  links.follows()
  fresh.resolve(0)
  await new Promise((resolve) => setImmediate(resolve))
  expect(said).toEqual(['welcome', 'applied', 'goodbye'])
})
