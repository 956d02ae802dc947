/** A machine that is too slow for the set-up of the demo venue all at once gets the same venue, a little later. */
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import { openSimulatorAccounts, setUpDemoVenue } from '../../src/operator/demo/venue.ts'
import { type Core, VenueOverloaded } from '../../src/runtime/core.ts'
import { fakeVenue } from './fake-core.ts'

/** Takes so many commands in one turn of the event loop. */
async function setUp(roomPerTurn: number): Promise<{ readonly applied: readonly Command[]; readonly refused: number }> {
  const engine = new Engine(() => {})
  const applied: Command[] = []
  let taken = 0
  let refused = 0
  const core = {
    now: () => 1_700_000_000_000,
    query: (query: Parameters<Core['query']>[0]) => engine.query(query),
    async submit(command: Command) {
      if (taken === roomPerTurn) {
        refused += 1
        throw new VenueOverloaded('no room')
      }
      if (taken++ === 0) setImmediate(() => (taken = 0))
      // Keys are drawn, and differ.
      applied.push(command.kind === 'record-key-change' ? { ...command, apiKey: '' } : command)
      return engine.apply(command, applied.length, core.now())
    },
  }
  const { ports } = fakeVenue({ core: core as unknown as Core })
  await setUpDemoVenue(ports)
  await openSimulatorAccounts(ports)
  return { applied, refused }
}

test('every call that is refused for want of room is made again, and none twice', async () => {
  const roomy = await setUp(Infinity)
  expect(roomy.refused).toBe(0)
  const tight = await setUp(3)
  expect(tight.refused).toBeGreaterThan(20)
  expect(tight.applied).toEqual(roomy.applied)
})
