/** What is removed from the log, what is not, and who is said to hold it (scale.md §3 L8). */
import { beforeEach, describe, expect, test } from 'vitest'
import {
  encodeMessage,
  type HolderTold,
  type LogEnd,
  LogRemoval,
  logStart,
  type Message,
  readNext,
} from '../../src/replication/replication.ts'

const keepMs = 600_000
const waitMs = 86_400_000
const hourMs = 3_600_000
const message = { stateVersion: 1, epoch: 1, appliedThrough: 0, at: 5, origins: [], records: [] } as const

let nowMs: number
let leads: boolean
let first: number
let messages: Uint8Array[]
let end: LogEnd
let cores: Record<string, HolderTold | undefined>
let database: Record<string, HolderTold | undefined>
let removals: number[]
let removal: LogRemoval

function write(kind: Message['kind'], count = 0): void {
  const records = Array.from({ length: count }, (_, place) => Buffer.from(`${end.lastSequence + place + 1}`))
  const firstSequence = kind === 'skip' ? end.lastSequence : end.lastSequence + 1
  const bytes = encodeMessage({
    ...message,
    kind,
    records,
    firstSequence,
    note: Buffer.alloc(0),
    previousChain: end.chain,
  })
  messages.push(bytes)
  ;({ end } = readNext(end, messages.length, bytes))
}

/** All have everything, and a snapshot of this command. */
function everybody(through: number): void {
  const told = { through, reached: end.lastSequence }
  cores = { one: told, two: told, three: told }
}

/** One look now, and one when what is there now is old. */
async function looked(): Promise<void> {
  await removal.look()
  nowMs += keepMs
  await removal.look()
}

beforeEach(() => {
  nowMs = 0
  leads = true
  first = 1
  messages = []
  end = logStart
  database = {}
  removals = []
  const timers = {
    now: () => nowMs,
    after: (_ms: number, call: () => void) => {
      queueMicrotask(call)
      return () => {}
    },
  }
  const log = {
    at: async (position: number) => messages[position - 1],
    bounds: async () => ({ first }),
    removeBefore: async (position: number) => {
      removals.push(position)
      first = position
    },
  }
  const holders = async () => [
    ...Object.entries(cores).map(([name, told]) => ({ name, kind: 'core' as const, told })),
    ...Object.entries(database).map(([name, told]) => ({ name, kind: 'database' as const, told })),
  ]
  removal = new LogRemoval({ log, timers, leads: () => leads, end: () => end, holders, keepMs, waitMs })
  // 1 claim · 2 commands 1 to 3 · 3 command 4 · 4 heartbeat · 5 command 5 · 6 skip of 5 · 7 command 6
  write('claim')
  write('batch', 3)
  write('batch', 1)
  write('heartbeat')
  write('batch', 1)
  write('skip')
  write('batch', 1)
  everybody(6)
})

describe('the oldest position that is left', () => {
  test.each([
    ['no core has a snapshot', 0, 1],
    ['a snapshot in the middle of a message', 2, 2],
    ['a snapshot at its end', 3, 3],
    ['what has no command goes too', 4, 5],
    ['what passes over a command goes with that', 5, 7],
    ['the end stays', 6, 7],
  ])('%s: through command %d it is %d', async (_what, through, position) => {
    everybody(through)
    await looked()
    expect(first).toBe(position)
  })

  test('is that of the core with the oldest snapshot', async () => {
    cores = { ...cores, two: { through: 3, reached: 6 } }
    await looked()
    expect(first).toBe(3)
  })

  test('is what the database lacks', async () => {
    database = { PostgreSQL: { through: 4, reached: 4 } }
    await looked()
    expect(first).toBe(5)
  })

  test('is never of the last ten minutes', async () => {
    await removal.look()
    nowMs += keepMs - 1
    write('batch', 1)
    everybody(7)
    await removal.look()
    expect(removals).toEqual([])
    nowMs += 1
    await removal.look()
    expect(first).toBe(7)
  })

  test('is what it was while this core does not lead', async () => {
    leads = false
    await looked()
    expect(removals).toEqual([])
    expect(removal.held).toEqual([])
    // It has looked on meanwhile.
    leads = true
    await removal.look()
    expect(first).toBe(7)
  })

  test('is reached in steps', async () => {
    for (let count = 0; count < 12_000; count++) write('heartbeat')
    await looked()
    expect(removals).toEqual([5_001, 10_001, 12_007])
  })
})

describe('a core that does not answer', () => {
  test('holds what it would need, and is named', async () => {
    cores = { ...cores, two: { through: 3, reached: 6 } }
    await removal.look()
    cores = { ...cores, two: undefined }
    nowMs += keepMs
    await removal.look()
    expect(first).toBe(3)
    expect(removal.held).toEqual(['two does not answer'])
    nowMs += hourMs
    expect(removal.heldMs).toBe(hourMs)
  })

  test('is named by the core that leads alone', async () => {
    cores = { ...cores, two: undefined }
    await looked()
    expect(removal.held).toEqual(['two does not answer'])
    leads = false
    nowMs += hourMs
    expect([removal.held, removal.heldMs]).toEqual([[], 0])
  })

  test('that nobody has heard holds everything', async () => {
    cores = { ...cores, two: undefined }
    await looked()
    expect(removals).toEqual([])
  })

  test('is waited for, and then no more', async () => {
    cores = { ...cores, two: undefined }
    await looked()
    nowMs = waitMs - 1
    await removal.look()
    expect(removals).toEqual([])
    nowMs = waitMs
    await removal.look()
    expect(first).toBe(7)
    expect(removal.held).toEqual([])
    expect(removal.heldMs).toBe(0)
  })

  test('a database is waited for without end', async () => {
    database = { PostgreSQL: undefined }
    await looked()
    nowMs = 10 * waitMs
    await removal.look()
    expect(removals).toEqual([])
    expect(removal.held).toEqual(['PostgreSQL does not answer'])
  })
})

describe('who answers holds the log', () => {
  test('when it lacks what is ten minutes old', async () => {
    cores = { ...cores, two: { through: 3, reached: 5 } }
    await looked()
    expect(removal.held).toEqual(['two is behind: it has commands up to 5'])
  })

  test('when it gets commands and takes no snapshot for three hours', async () => {
    cores = { ...cores, two: { through: 3, reached: 6 } }
    await looked()
    expect(removal.held).toEqual([])
    nowMs += 3 * hourMs + 1
    write('batch', 1)
    cores = { ...cores, two: { through: 3, reached: 7 } }
    await removal.look()
    expect(removal.held).toEqual(['two needs what is behind command 3 since long'])
    cores = { ...cores, two: { through: 5, reached: 7 } }
    await removal.look()
    expect(removal.held).toEqual([])
  })
})
