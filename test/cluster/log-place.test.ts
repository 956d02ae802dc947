/** Where a core's file stands in the log, and the files that the log does not bear out. */
import { describe, expect, test } from 'vitest'
import { type BoundedLog, LogBeginsLater, placeOf } from '../../src/cluster/log-place.ts'
import { MemoryJournal } from '../../src/journal/journal.ts'
import { encodeMessage, type LogEnd, logStart, type Message, readNext } from '../../src/replication/replication.ts'

const none = Buffer.alloc(0)
const message = { stateVersion: 1, epoch: 1, appliedThrough: 0, at: 5, origins: [], records: [], note: none } as const

/** A claim, then one batch for each list of records, and the ends behind each. */
function logOf(...batches: readonly (readonly string[])[]) {
  const messages: Uint8Array[] = []
  const ends: LogEnd[] = [logStart]
  const write = (change: Partial<Message> & Pick<Message, 'kind'>) => {
    const end = ends.at(-1)!
    const bytes = encodeMessage({
      ...message,
      firstSequence: end.lastSequence + 1,
      previousChain: end.chain,
      ...change,
    })
    messages.push(bytes)
    ends.push(readNext(end, messages.length, bytes).end)
  }
  write({ kind: 'claim' })
  for (const records of batches) write({ kind: 'batch', records: records.map((text) => Buffer.from(text)) })
  return { messages, ends }
}

function bounded(messages: readonly Uint8Array[], first = 1): BoundedLog & { seen: number } {
  return {
    seen: 0,
    at: async (position) => messages[position - 1],
    bounds: async () => ({ first, last: messages.length }),
    noteSeen(position) {
      this.seen = Math.max(this.seen, position)
    },
  }
}

async function fileOf(...records: readonly string[]): Promise<MemoryJournal> {
  const journal = new MemoryJournal()
  if (records.length > 0)
    await journal.append(
      1,
      records.map((text) => Buffer.from(text)),
    )
  return journal
}

describe('a core goes on', () => {
  const { messages, ends } = logOf(['a', 'b'], ['c'], ['d'])

  test('from the beginning when it has nothing', async () => {
    expect(await placeOf(bounded(messages), await fileOf(), [])).toEqual(logStart)
  })

  test('from the newest place that its file reaches', async () => {
    const log = bounded(messages)
    const places = [ends[1], ends[2], ends[3], ends[4]]
    expect(await placeOf(log, await fileOf('a', 'b', 'c'), places)).toEqual(ends[3])
    expect(log.seen).toBe(3)
  })

  test('from the first message that is left, without a place', async () => {
    expect(await placeOf(bounded(messages, 3), await fileOf('a', 'b', 'c'), [])).toMatchObject({
      position: 2,
      chain: ends[2].chain,
      epoch: 1,
      lastSequence: 2,
    })
  })
})

describe('a core whose file begins later than the log', () => {
  test('goes on, when what both have is the same', async () => {
    const { messages } = logOf(['a', 'b'], ['c'], ['d'])
    const journal = new MemoryJournal()
    journal.goBackTo({ firstSequence: 3, lastSequence: 3, chunks: [[Buffer.from('c')]] })
    expect(await placeOf(bounded(messages), journal, [])).toEqual(logStart)
    journal.goBackTo({ firstSequence: 3, lastSequence: 3, chunks: [[Buffer.from('x')]] })
    await expect(placeOf(bounded(messages), journal, [])).rejects.toThrow(
      "command 3 of this core's file is another one",
    )
  })
})

describe('a core does not go on', () => {
  const { messages, ends } = logOf(['a', 'b'], ['c'])

  test.each([
    ['when its file has another record than the log', ['a', 'x'], [], 'command 2 of this core’s file is another one'],
    [
      'when its file has more than the log',
      ['a', 'b', 'c', 'd'],
      [],
      'records were lost: this core’s file has commands up to 4',
    ],
  ])('%s', async (_name, records, places, text) => {
    const placed = placeOf(bounded(messages), await fileOf(...records), places)
    await expect(placed).rejects.toThrow(text.replaceAll('’', "'"))
  })

  test('when the log ends before what it has read', async () => {
    const placed = placeOf(bounded(messages.slice(0, 2)), await fileOf('a', 'b', 'c'), [ends[3]])
    await expect(placed).rejects.toThrow(
      "position 3 of the log: records were lost: this core's file has commands up to 3, and the log ends with 2",
    )
  })

  test('when another message stands where it has read', async () => {
    const other = logOf(['a', 'x'])
    const placed = placeOf(bounded(other.messages), await fileOf('a', 'b'), [ends[2]])
    await expect(placed).rejects.toThrow(
      "position 2 of the log: command 2 of this core's file is another one than the log's",
    )
  })

  test('when what it lacks is gone: it begins with the state of another', async () => {
    const placed = placeOf(bounded(messages, 3), await fileOf('a'), [])
    await expect(placed).rejects.toThrow(LogBeginsLater)
    await expect(placed).rejects.toThrow('the log begins behind command 2, and this core has 1')
  })

  test('when what it has not read is gone, though its file reaches: a command may have been passed over', async () => {
    const placed = placeOf(bounded(messages, 3), await fileOf('a', 'b'), [ends[1]])
    await expect(placed).rejects.toThrow('the log begins with it, and this core has read up to 1')
  })
})
