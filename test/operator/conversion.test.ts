/** Terms of conversions as the operator sends and sees them: what each body becomes, and what is said of a wrong one. */
import { expect, test } from 'vitest'
import { operatorCalls } from '../../src/operator/calls/calls.ts'
import { fakeVenue } from './fake-core.ts'

const call = (place: string) => operatorCalls.find(({ method, path }) => `${method} ${path}` === place)
const same = { kind: 'set-conversion', spread: undefined, quoteMs: undefined, leastUsd: undefined, mostUsd: undefined }

test.each([
  [{ spread: '0.002' }, { ...same, spread: 2_000_000_000n }],
  [{ quoteMs: 5000 }, { ...same, quoteMs: 5_000 }],
  [
    { minimum: '0.5', maximum: '10' },
    { ...same, leastUsd: 50_000_000n, mostUsd: 1_000_000_000n },
  ],
])('%o', async (body, command) => {
  const { ports, core } = fakeVenue()
  await call('POST /operator/conversion')?.run(body, ports)
  expect(core.commands).toEqual([command])
})

test.each([
  [{}, 'names nothing to change'],
  [{ spread: '1.1' }, 'spread'],
  [{ quoteMs: 0 }, 'quoteMs'],
  [{ minimum: '0' }, 'minimum'],
])('%o is refused', async (body, rule) => {
  const { ports } = fakeVenue()
  await expect((async () => call('POST /operator/conversion')?.run(body, ports))()).rejects.toThrow(rule)
})

test('what is in force', async () => {
  const { ports } = fakeVenue()
  const terms = { spread: '0.001', quoteMs: 8_000, minimum: '1', maximum: '100000' }
  expect(await call('GET /operator/conversion')?.run({}, ports)).toEqual(terms)
})
