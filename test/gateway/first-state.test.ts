/**
 * Which core a gateway goes to, on real sockets: one that follows for the state that it begins with, and the one that leads for all
 * that comes behind it.
 */
import { expect, onTestFinished, test } from 'vitest'
import { CoreConnection } from '../../src/gateway/gateway.ts'
import {
  CoreLinks,
  type Handshake,
  handshakeOf,
  LinkServer,
  type RemoteCore,
} from '../../src/replication/replication.ts'
import { encodedCommand } from '../../src/runtime/runtime.ts'
import { remoteCore } from '../replication/remote.ts'

const handshake = handshakeOf({ token: 'the token of a venue' })
const rules = { oldest: 1, newest: 1 }
const about = { process: 'core', release: '1', rules }
const record = encodedCommand({ kind: 'run-timers' }, 1)

/** A core whose engine stands at a command; where it leads, others came after. */
async function core(
  sequence: number,
  {
    leads = false,
    committed = sequence,
    canSave = true,
    passedOver = [] as readonly number[],
    leader,
  }: {
    leads?: boolean
    committed?: number
    canSave?: boolean
    passedOver?: readonly number[]
    leader?: () => string
  },
) {
  const given: number[] = []
  let dialled = 0
  const counting: Handshake = {
    ...handshake,
    dial: (...asked) => {
      dialled += 1
      return handshake.dial(...asked)
    },
  }
  const links = new CoreLinks({
    about,
    rules: () => 1,
    passedOver,
    ...(leader && { leader }),
    submitAll: () => Promise.resolve([]),
    sequence: () => committed,
    committed: () => committed,
    fresh: () => Promise.resolve(committed),
    save: () => {
      if (!canSave) throw new Error('the engine is being rebuilt')
      given.push(sequence)
      return { sequence, lastAt: 1, chunks: [Uint8Array.of(1)] }
    },
  })
  if (leads) links.leads(1)
  for (let first = 1; first <= committed; first++) {
    links.committed({ firstSequence: first, records: [record], origins: [{ session: 0, counter: 0, records: 1 }] })
  }
  const status = () => ({ role: leads ? 'leader' : 'follower', epoch: 1, sequence })
  const server = new LinkServer(links, { asks: { status }, greeting: () => ({}) }, handshake)
  onTestFinished(() => server.close())
  const port = (await server.listen({ host: '127.0.0.1', port: 0 }))!
  // To ask how a core stands takes a connection, too.
  const door = { host: '127.0.0.1', port, handshake: counting }
  return { links, given, door, name: `127.0.0.1:${port}`, dialled: () => dialled - 1 }
}

/** What a gateway without anything did when it has begun: the states it took, and the commands that it applied. */
async function begin(doors: readonly Awaited<ReturnType<typeof core>>['door'][]) {
  const took: number[] = []
  const applied: number[] = []
  let sequence: number | undefined
  const ready = Promise.withResolvers<void>()
  const { remote }: { remote: RemoteCore } = remoteCore(0, {
    about: { process: 'gateway', release: '1', rules },
    onReady: () => ready.resolve(),
    replica: {
      get sequence() {
        return sequence
      },
      prefetch: (commands) => commands.length,
      apply: (_command, at) => {
        applied.push((sequence = at))
        return { kind: 'done' } as never
      },
      skip: (at) => void (sequence = at),
      begin: (state) => void took.push((sequence = state.sequence)),
      applied: () => {},
    },
  })
  const connection = new CoreConnection(
    doors,
    remote,
    () => {},
    () => {},
  )
  onTestFinished(() => connection.close())
  connection.open()
  await ready.promise
  return { took, applied }
}

test('a core that follows gives it, and the one that leads tells the rest', async () => {
  const leader = await core(5, { leads: true })
  const behind = await core(2, {})
  const follower = await core(3, { committed: 4 })
  const { took, applied } = await begin([leader.door, behind.door, follower.door])
  expect({ took, applied }).toEqual({ took: [3], applied: [4, 5] })
  expect([leader.given, behind.given, follower.given]).toEqual([[], [], [3]])
})

test('a core that follows says which one leads: that is the next, wherever it is in the list', async () => {
  const leader = await core(5, { leads: true })
  const leads = { leader: () => leader.name }
  const others = [await core(5, leads), await core(4, leads), await core(4, leads)]
  const { took } = await begin([...others, leader].map(({ door }) => door))
  expect(took).toEqual([5])
  expect([...others, leader].map(({ dialled }) => dialled())).toEqual([1, 0, 0, 1])
})

test('what one core says of another is not gone by twice: it may be old', async () => {
  const names = ['', '']
  const one = await core(5, { leader: () => names[1] })
  const other = await core(5, { leader: () => names[0] })
  names.splice(0, 2, one.name, other.name)
  const leader = await core(5, { leads: true })
  await begin([one, other, leader].map(({ door }) => door))
  expect([one, other, leader].map(({ dialled }) => dialled())).toEqual([1, 1, 1])
})

test('where no other has one, the core that leads gives its own', async () => {
  const leader = await core(5, { leads: true })
  const follower = await core(3, { canSave: false })
  const { took } = await begin([leader.door, follower.door])
  expect(took).toEqual([5])
  expect(leader.given).toEqual([5])
})

test('what the core that leads passes over is not in the state that it goes on with', async () => {
  const leader = await core(5, { leads: true })
  const follower = await core(4, {})
  leader.links.skipped(4)
  const read = setInterval(() => {
    if (follower.given.length > 0) follower.links.skipped(4)
  }, 20)
  onTestFinished(() => clearInterval(read))
  const { took, applied } = await begin([leader.door, follower.door])
  // It had carried it out when it was asked first, and gives another state once it has read what became of it.
  expect(took.length).toBeGreaterThan(1)
  expect(new Set(took)).toEqual(new Set([4]))
  expect(applied).toEqual([5])
})

test('what both pass over is nothing to begin anew for', async () => {
  const leader = await core(5, { leads: true })
  const follower = await core(4, {})
  for (const { links } of [leader, follower]) links.skipped(2)
  const { took, applied } = await begin([leader.door, follower.door])
  expect({ took, applied }).toEqual({ took: [4], applied: [5] })
})

test('nor is what a core passed over before it began: of that the log says nothing to it any more', async () => {
  const leader = await core(5, { leads: true })
  const follower = await core(4, { passedOver: [2] })
  leader.links.skipped(2)
  const { took, applied } = await begin([leader.door, follower.door])
  expect({ took, applied }).toEqual({ took: [4], applied: [5] })
})

test('what a core is to pass over once it comes to it is no part of its state', async () => {
  const leader = await core(5, { leads: true })
  const follower = await core(3, { committed: 4 })
  for (const { links } of [leader, follower]) links.skipped(4)
  const { took, applied } = await begin([leader.door, follower.door])
  expect({ took, applied }).toEqual({ took: [3], applied: [5] })
})

test('who has a state, or applies other rules, is given none', async () => {
  const { links, given } = await core(3, {})
  const said: string[] = []
  for (const [appliedThrough, newest] of [
    [2, 1],
    [undefined, 0],
  ] as const) {
    const ends = links.connect({ send: ({ kind }) => void said.push(kind), end: () => {} })
    const who = { process: 'gateway', release: '1', rules: { oldest: 0, newest } }
    ends.take({ kind: 'hello', session: 1, about: who, appliedThrough })
  }
  expect(said).toEqual(['goodbye', 'goodbye'])
  expect(given).toEqual([])
})
