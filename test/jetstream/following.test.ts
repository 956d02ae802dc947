/** Who follows the log in JetStream: in order, several at once when far behind, and again whatever has no answer. */
import { expect, test } from 'vitest'
import { following } from '../../src/jetstream/following.ts'
import { LogBroken, LogDown } from '../../src/replication/replication.ts'

const bytes = (position: number) => Buffer.from(`${position}`)

/** A log of so many messages, each of which takes a turn to come; `under` and `most`: how many are asked for at once. */
class SlowLog {
  last: number
  under = 0
  most = 0
  asked = 0
  lasts = 0
  /** How many of the next reads have no answer. */
  failing = 0
  readonly holes = new Set<number>()
  isBroken = false

  constructor(last: number) {
    this.last = last
  }

  readonly ports = {
    read: (position: number) => this.#read(position, false),
    at: (position: number) => this.#read(position, true),
    last: () => {
      this.lasts += 1
      return Promise.resolve(this.last)
    },
  }

  async #read(position: number, fills: boolean): Promise<Uint8Array | undefined> {
    this.asked += 1
    this.most = Math.max(this.most, ++this.under)
    await new Promise((resolve) => setImmediate(resolve))
    this.under -= 1
    if (this.isBroken && fills) throw new LogBroken(position, 'nobody has it')
    if (this.failing > 0) {
      this.failing -= 1
      throw new LogDown('no answer')
    }
    if (this.holes.has(position) && !fills) return undefined
    return position <= this.last ? bytes(position) : undefined
  }
}

async function take(entries: ReturnType<typeof following>, count: number): Promise<number[]> {
  const taken: number[] = []
  while (taken.length < count) {
    const { value } = await entries.next()
    expect(Buffer.from(value.message).toString()).toBe(`${value.position}`)
    taken.push(value.position)
  }
  return taken
}

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)

test('who is far behind asks for sixteen at once, and hears all in order', async () => {
  const log = new SlowLog(500)
  expect(await take(following(1, log.ports), 500)).toEqual(from(1, 500))
  expect(log.most).toBe(16)
  expect(log.asked).toBeLessThan(520)
  expect(log.lasts).toBeLessThan(50)
})

test('who keeps up asks for one', async () => {
  const log = new SlowLog(0)
  const entries = following(1, log.ports)
  for (let position = 1; position <= 20; position++) {
    const next = take(entries, 1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    log.last = position
    expect(await next).toEqual([position])
  }
  expect(log.most).toBe(1)
})

test('what has no answer is asked for again, and nothing is left out', async () => {
  const log = new SlowLog(200)
  const entries = following(1, log.ports)
  expect(await take(entries, 50)).toEqual(from(1, 50))
  log.failing = 20
  expect(await take(entries, 150)).toEqual(from(51, 150))
})

test('a hole among those that were asked for ahead is filled from another server', async () => {
  const log = new SlowLog(100)
  log.holes.add(40).add(41)
  expect(await take(following(1, log.ports), 100)).toEqual(from(1, 100))
})

test('a log that is broken ends it', async () => {
  const log = new SlowLog(30)
  log.holes.add(20)
  const entries = following(1, log.ports)
  await take(entries, 19)
  log.isBroken = true
  await expect(entries.next()).rejects.toThrow(LogBroken)
})

test('who leaves hears nothing more', async () => {
  const log = new SlowLog(3)
  const entries = following(1, log.ports)
  await take(entries, 3)
  const waiting = entries.next()
  await entries.return?.()
  expect(await waiting).toEqual({ done: true, value: undefined })
})
