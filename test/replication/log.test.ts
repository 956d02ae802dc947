/** A message of the log, byte for byte; what a reader refuses; what the writer makes of answers that did not come. */
import { describe, expect, test } from 'vitest'
import { JournalFenced, MemoryJournal } from '../../src/journal/journal.ts'
import {
  decodeMessage,
  encodeMessage,
  Fenced,
  type Log,
  LogBroken,
  LogUnknown,
  logStart,
  LogWriter,
  type Message,
  readNext,
} from '../../src/replication/replication.ts'
import { CommandNotSequenced } from '../../src/runtime/core.ts'
import { Counters, Sequencer } from '../../src/runtime/parts.ts'
import { alice, deposit } from '../runtime/small-engine.ts'

const claim: Message = {
  kind: 'claim',
  stateVersion: 3,
  epoch: 1,
  appliedThrough: 0,
  at: 1_767_225_600_000,
  firstSequence: 1,
  origins: [],
  records: [],
  note: Buffer.from('core a'),
  previousChain: 0,
}

function batchAfter(chain: number, change: Partial<Message> = {}): Message {
  const records = [Buffer.from('first'), Buffer.from('second')]
  const origins = [{ session: 2 ** 53 - 1, counter: 7, records: 2 }]
  const none = Buffer.alloc(0)
  return { ...claim, kind: 'batch', origins, records, note: none, previousChain: chain, ...change }
}

function chainOf(bytes: Uint8Array): number {
  const message = decodeMessage(bytes)
  if (typeof message === 'string') throw new Error(message)
  return message.chain
}

test('a message reads back as it was written', () => {
  const message = batchAfter(5)
  const read = decodeMessage(encodeMessage(message))
  expect(read).toMatchObject({ ...message, note: expect.anything() })
})

test('a byte that changed anywhere is noticed', () => {
  const bytes = encodeMessage(batchAfter(5))
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] ^= 1
    expect(decodeMessage(changed), `byte ${at}`).toBeTypeOf('string')
  }
  for (let length = 0; length < bytes.length; length++)
    expect(decodeMessage(bytes.subarray(0, length))).toBeTypeOf('string')
})

describe('a reader stops at what does not follow', () => {
  const first = encodeMessage(claim)
  const { end } = readNext(logStart, 1, first)
  const chain = chainOf(first)

  test('what follows is believed', () => {
    expect(readNext(end, 2, encodeMessage(batchAfter(chain))).end).toMatchObject({
      position: 2,
      lastSequence: 2,
      epoch: 1,
    })
  })

  test.each([
    ['another chain', {}, 2, chain + 1],
    ['an earlier epoch', { epoch: 0 }, 2, chain],
    ['a later epoch without a claim', { epoch: 2 }, 2, chain],
    ['a gap of sequences', { firstSequence: 2 }, 2, chain],
    ['a stamp that falls', { at: claim.at - 1 }, 2, chain],
    ['a gap of positions', {}, 3, chain],
  ] as const)('%s', (_name, change, position, previous) => {
    expect(() => readNext(end, position, encodeMessage(batchAfter(previous, change)))).toThrow(LogBroken)
  })
})

/** A log that answers as it is told, one answer for each append. */
function scripted(...answers: ('stores' | 'stored, no answer' | 'lost' | 'fenced')[]) {
  const messages: Uint8Array[] = []
  const log: Log = {
    async append(expected, message) {
      const answer = answers.shift() ?? 'stores'
      const fits = expected === messages.length
      if (fits && answer.startsWith('stor')) messages.push(Uint8Array.from(message))
      if (answer === 'fenced' || (!fits && answer === 'stores')) throw new Fenced()
      if (answer !== 'stores') throw new LogUnknown()
      return messages.length
    },
    at: async (position) => messages[position - 1],
    follow: () => {
      throw new Error('nobody follows here')
    },
    removeBefore: async () => {},
  }
  const timers = { now: () => 0, after: (_ms: number, call: () => void) => (setImmediate(call), () => {}) }
  const writer = new LogWriter(logStart, {
    log,
    timers,
    stateVersion: () => 1,
    appliedThrough: () => 0,
    onStored: () => {},
  })
  return { messages, writer }
}

describe('an append without an answer', () => {
  test('that was stored is done, and not stored twice', async () => {
    const { writer, messages } = scripted('stored, no answer')
    await writer.claim(Buffer.from('a'))
    expect(messages).toHaveLength(1)
    expect(writer.end).toMatchObject({ position: 1, epoch: 1 })
  })

  test('that was lost is sent again', async () => {
    const { writer, messages } = scripted('lost', 'lost')
    await writer.claim(Buffer.from('a'))
    expect(messages).toHaveLength(1)
  })

  test('whose place another has taken is fenced for good', async () => {
    const { writer, messages } = scripted('lost')
    messages.push(encodeMessage(claim))
    await expect(writer.claim(Buffer.from('a'))).rejects.toThrow(JournalFenced)
    await expect(writer.append({ kind: 'heartbeat' })).rejects.toThrow(JournalFenced)
    expect(messages).toHaveLength(1)
  })

  test('a refusal after it is no proof: own bytes are', async () => {
    const { writer, messages } = scripted('stored, no answer', 'fenced')
    await writer.claim(Buffer.from('a'))
    expect(messages).toHaveLength(1)
  })
})

test('a sequencer that is fenced refuses its batch as never sequenced, and answers what stands before it', async () => {
  let appends = 0
  const journal = new (class extends MemoryJournal {
    override async append(first: number, payloads: readonly Uint8Array[]): Promise<void> {
      appends += 1
      if (appends === 2) throw new JournalFenced()
      await super.append(first, payloads)
    }
  })()
  const sequencer = new Sequencer({
    journal,
    prefetch: (commands) => commands.length,
    apply: () => ({ kind: 'done' }),
    passOver: async () => {},
    now: () => 1,
    lastAt: 0,
    counters: new Counters(),
    waitingMax: 10,
    waitMsMax: 1_000,
    batchLengthMax: 1,
    replyTimeoutMs: 0,
    onApplied: () => {},
    onFailure: () => {},
  })
  const submitted = [1n, 2n, 3n].map((amount) => sequencer.submit(deposit(alice, amount)))
  const [first, second, third] = await Promise.allSettled(submitted)
  expect(first).toMatchObject({ status: 'fulfilled' })
  for (const later of [second, third]) {
    expect(later).toMatchObject({ status: 'rejected', reason: expect.any(CommandNotSequenced) })
  }
  expect(sequencer.failure?.kind).toBe('fenced')
})
