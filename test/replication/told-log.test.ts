/** What a core is told of the log counts where it follows what was read, and the log is asked for the rest. */
import { describe, expect, test } from 'vitest'
import { encodeMessage, type LogEntry, readNext, logStart, ToldLog } from '../../src/replication/replication.ts'
import { testLog } from './log-contract.ts'
import { SimulatedLog } from './simulated-log.ts'
import { Process, World } from './world.ts'

describe('it is a log like the one behind it', () => {
  testLog(async () => {
    const world = new World(1)
    const log = new SimulatedLog(world)
    const open = (name: string) => {
      const process = new Process(world, name)
      return new ToldLog(log.for(process), process)
    }
    const run = async <T>(doing: Promise<T>) => {
      let isOver = false
      const over = () => void (isOver = true)
      doing.then(over, over)
      while (!isOver) await world.runUntil(world.now + 4)
      return doing
    }
    return { logs: [open('one'), open('other')], run }
  })
})

/** Heartbeats behind a claim, as they stand behind one another. */
function messages(count: number): Uint8Array[] {
  const all: Uint8Array[] = []
  let end = logStart
  for (let place = 0; place < count; place++) {
    const bytes = encodeMessage({
      kind: place === 0 ? 'claim' : 'heartbeat',
      stateVersion: 1,
      epoch: 1,
      appliedThrough: 0,
      at: 0,
      firstSequence: 1,
      origins: [],
      records: [],
      note: Buffer.from(`${place}`),
      previousChain: end.chain,
    })
    ;({ end } = readNext(end, place + 1, bytes))
    all.push(bytes)
  }
  return all
}

/** Messages of which the log has the first ones; `read` answers the positions that came until then. */
async function follower(stored: number) {
  const world = new World(1)
  const process = new Process(world, 'core')
  const shared = new SimulatedLog(world)
  const all = messages(9)
  const log = shared.for(process)
  let asked = 0
  const counting = { ...log, follow: (from: number) => ((asked += 1), log.follow(from)) }
  const told = new ToldLog(counting, process)
  const store = async (count: number) => {
    for (const message of all.slice(shared.messages.length, count)) {
      const appended = log.append(shared.messages.length, message)
      await world.runUntil(world.now + 20)
      await appended
    }
  }
  await store(stored)
  const positions: number[] = []
  const entries: LogEntry[] = []
  const reading = told.follow(1)
  void (async () => {
    for await (const entry of { [Symbol.asyncIterator]: () => reading }) {
      positions.push(entry.position)
      entries.push(entry)
    }
  })()
  const run = async (ms: number) => {
    await world.runUntil(world.now + ms)
    await new Promise(setImmediate)
    for (const [index, { message }] of entries.entries()) expect(message).toEqual(new Uint8Array(all[index]))
    return positions
  }
  return { told, all, run, store, reading, asked: () => asked }
}

test('what comes next is taken from who leads, without asking the log', async () => {
  const { told, all, run, store, asked } = await follower(1)
  told.tell(1, all[0])
  expect(await run(20)).toEqual([1])
  const before = asked()
  for (const position of [2, 3, 4]) {
    await store(position)
    told.tell(position, all[position - 1])
    expect((await run(100)).length).toBe(position)
  }
  expect(asked()).toBe(before)
})

test('what was not heard, or does not follow what was read, is asked for', async () => {
  const { told, all, run, store } = await follower(1)
  await run(20)
  await store(5)
  told.tell(5, all[4])
  expect(await run(60)).toEqual([1, 2, 3, 4, 5])
  await store(6)
  told.tell(6, all[7])
  expect(await run(60)).toEqual([1, 2, 3, 4, 5, 6])
  told.tell(7, Buffer.from('no message at all'))
  await store(7)
  expect(await run(60)).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('when nothing is told for 400 ms the log is asked', async () => {
  const { told, all, run, store } = await follower(1)
  told.tell(1, all[0])
  await run(20)
  await store(3)
  told.tell(2, all[1])
  expect(await run(300)).toEqual([1, 2])
  expect(await run(200)).toEqual([1, 2, 3])
})

test('who follows no more is answered so', async () => {
  const { reading, run } = await follower(1)
  expect(await run(20)).toEqual([1])
  await reading.return?.()
  await run(20)
  expect(await reading.next()).toEqual({ done: true, value: undefined })
})
