/**
 * The set-up of the demo venue: a machine that is too slow for all at once gets the same venue, a little later, and who sets it up again
 * refills nothing.
 */
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import { openSimulatorAccounts, setUpDemoVenue } from '../../src/operator/demo/venue.ts'
import { type Core, VenueOverloaded } from '../../src/runtime/core.ts'
import { fakeVenue } from './fake-core.ts'

/** Takes so many commands in one turn of the event loop. */
async function setUp(roomPerTurn: number) {
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
  return { applied, refused, core: core as unknown as Core, ports }
}

test('every call that is refused for want of room is made again, and none twice', async () => {
  const roomy = await setUp(Infinity)
  expect(roomy.refused).toBe(0)
  const tight = await setUp(3)
  expect(tight.refused).toBeGreaterThan(20)
  expect(tight.applied).toEqual(roomy.applied)
})

test('a core that leads for the first time leaves an emptied wallet empty', async () => {
  const { applied, core, ports } = await setUp(Infinity)
  const { uid } = core.query({ kind: 'accounts' }).find(({ name }) => name === 'classic-main')!
  const balancesOf = () => core.query({ kind: 'balances', uid, wallet: 'spot' })
  for (const { coin, balance } of balancesOf()) {
    if (balance > 0n) await core.submit({ kind: 'withdraw', uid, wallet: 'spot', coin, amount: balance })
  }
  const before = applied.length
  // It knows nothing of what another one has done, but for the engine and the keys.
  await setUpDemoVenue(ports)
  expect(applied.length).toBe(before)
  expect(balancesOf().filter(({ balance }) => balance > 0n)).toEqual([])
})
