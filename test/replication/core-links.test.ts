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

test('who was away is told what is passed over, although what came since is told one by one', () => {
  const links = new CoreLinks({
    about: { process: 'core', release: '1', rules: { oldest: 1, newest: 1 } },
    rules: () => 1,
    submitAll: () => Promise.resolve([]),
    passedOver: [3],
    sequence: () => 28,
    committed: () => 28,
    fresh: () => Promise.resolve(28),
    save: () => ({ sequence: 28, lastAt: 0, chunks: [] }),
  })
  links.leads(2)
  links.skipped(25)
  // This core has begun behind command 26.
  const origins = [{ session: 0, counter: 0, records: 2 }]
  links.committed({ firstSequence: 27, records: [Uint8Array.of(1), Uint8Array.of(2)], origins })
  const told = (appliedThrough: number | undefined) => {
    const frames: FrameDown[] = []
    const ends = links.connect({ send: (frame) => void frames.push(frame), end: () => {} })
    const about = { process: 'gateway', release: '1', rules: { oldest: 1, newest: 1 } }
    ends.take({ kind: 'hello', session: 100 + (appliedThrough ?? 0), about, appliedThrough })
    return frames.map((frame) => (frame.kind === 'skip' ? `skip ${frame.sequence}` : frame.kind))
  }
  expect(told(26)).toEqual(['welcome', 'skip 3', 'skip 25', 'batch', 'applied'])
  // A state was made without them.
  expect(told(undefined)).toEqual(['welcome', 'applied'])
})
