/** Commands survive the way into the journal and back, whatever is in them; and their bytes are pinned. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Command } from '../../src/engine/protocol/command.ts'
import { decodeCommand, encodeCommand, plain } from '../../src/runtime/command-codec.ts'
import { commandKinds, layouts } from '../../src/runtime/command-layout.ts'
import { RecordReader, RecordUnreadable, RecordUnwritable, RecordWriter } from '../../src/runtime/record-bytes.ts'
import { commandOf } from './commands.ts'

const at = 1_700_000_000_000

function encoded(command: Command): Buffer {
  const writer = new RecordWriter()
  encodeCommand(writer, command, at)
  return Buffer.from(writer.slice(0, writer.position))
}

const cancel: Command = {
  kind: 'cancel-order',
  uid: 1001,
  order: { orderId: 7, clientOid: 'mine' },
  category: undefined,
  instrument: 3,
}

describe.each(commandKinds)('%s', (kind) => {
  test('reads back as it was written, and writes the same bytes again', () => {
    fc.assert(
      fc.property(commandOf(kind), (command) => {
        const bytes = encoded(command)
        const decoded = decodeCommand(bytes)
        expect(decoded).toEqual({ command, at })
        expect(encoded(decoded.command)).toEqual(bytes)
      }),
    )
  })
})

test.each(['place-order', 'cancel-order'] as const)('%s: the unrolled loop does what the plain one does', (kind) => {
  fc.assert(
    fc.property(commandOf(kind), (command) => {
      const writer = new RecordWriter()
      plain.write(writer, command)
      const fields = Buffer.from(writer.slice(0, writer.position))
      expect(encoded(command).subarray(10)).toEqual(fields)
      const reader = new RecordReader()
      reader.open(fields)
      const read = plain.read(reader, kind)
      expect(read).toEqual(command)
      expect(Object.keys(decodeCommand(encoded(command)).command)).toEqual(Object.keys(read))
    }),
  )
})

test('many commands stand behind one another in one writer, also when it has to grow', () => {
  const writer = new RecordWriter()
  const ends = [0]
  for (let index = 0; index < 5_000; index++) {
    encodeCommand(writer, { ...cancel, uid: index }, at)
    ends.push(writer.position)
  }
  for (let index = 0; index < 5_000; index++) {
    const { command } = decodeCommand(writer.slice(ends[index], ends[index + 1]))
    expect(command).toMatchObject({ uid: index })
  }
})

test('the bytes of a record are what they always were', () => {
  // version 2, layout 2, at, uid 1001, order id 7 given, 'mine', no category, instrument 3 given
  expect(encoded(cancel).toString('hex')).toBe(
    '0202' + '00008056febc7842' + '0000000000488f40' + '010000000000001c40' + '04006d696e65' + '00' + '0103000000',
  )
})

test('an order from before there were loan types borrows what it lacks and repays nothing', () => {
  const before = fc.sample(commandOf('place-order'), { numRuns: 1, seed: 1 })[0]
  const bytes = encoded({ ...before, loanType: 'normal', channelCode: '' })
  // The loan type stands before the channel code, which is two bytes of length.
  const earlier = Buffer.concat([Buffer.from([bytes[0], 1]), bytes.subarray(2, -3), bytes.subarray(-2)])
  expect(decodeCommand(earlier).command).toEqual({ ...before, loanType: 'autoLoan', channelCode: '' })
})

test('layout numbers are never given again', () => {
  expect(Object.fromEntries(commandKinds.map((kind) => [kind, layouts[kind].number]))).toEqual({
    'place-order': 100,
    'cancel-order': 2,
    'cancel-orders': 3,
    'create-account': 4,
    'set-account-mode': 5,
    'set-broker': 6,
    'set-copy-trader': 7,
    'list-coin': 8,
    'list-instrument': 9,
    'set-instrument': 10,
    'set-order-minimum': 32,
    deposit: 11,
    withdraw: 12,
    'fund-house': 13,
    'set-index-prices': 14,
    'set-given-prices': 33,
    'freeze-account': 34,
    transfer: 15,
    borrow: 16,
    repay: 17,
    'set-leverage': 18,
    'set-all-leverage': 19,
    'set-margin-mode': 20,
    'set-hold-mode': 21,
    'set-stp-mode': 22,
    'settle-funding': 23,
    'run-timers': 24,
    'configure-venue': 25,
    'record-key-change': 26,
    'set-position-margin': 27,
    'set-auto-margin': 28,
    deliver: 29,
    'set-side-leverages': 30,
    'bind-account': 31,
    'place-trigger': 40,
    'place-position-triggers': 41,
    'modify-trigger': 42,
    'place-trailing': 45,
    'place-position-trailing': 46,
    'modify-trailing': 47,
    'cancel-trigger': 43,
    'cancel-triggers': 44,
    'configure-pricing': 50,
    'repay-debts': 51,
    'flash-repay': 55,
    'set-coin-leverage': 52,
    'set-loan-terms': 53,
    'set-margin-levels': 54,
    'set-collateral': 60,
    'set-risk': 61,
    'amend-order': 70,
    'replace-order': 71,
    'close-positions': 72,
    'reverse-position': 73,
    'set-countdown': 74,
    'create-sub-account': 90,
    'set-sub-account': 91,
    'set-collateral-type': 92,
    'move-position': 93,
    'quote-conversion': 120,
    'convert-coins': 121,
    'set-conversion': 122,
    'request-withdrawal': 110,
    'cancel-withdrawal': 111,
    'reject-withdrawal': 112,
    'send-deposit': 113,
    'set-deposit-wallet': 114,
    'set-coin-chain': 115,
    'limit-withdrawals': 116,
    'upgrade-rules': 130,
  })
})

const wrong = (fields: object) => ({ ...cancel, ...fields }) as unknown as Command

test.each([
  ['a number that is not exact', wrong({ uid: 2 ** 53 })],
  ['a fraction', wrong({ uid: 1.5 })],
  ['no number', wrong({ uid: Number.NaN })],
  ['a handle below zero', wrong({ instrument: -1 })],
  ['a choice that does not exist', wrong({ category: 'spot' })],
  ['half a surrogate pair', wrong({ order: { orderId: undefined, clientOid: '\ud800' } })],
  ['a text beyond 65,535 bytes', wrong({ order: { orderId: undefined, clientOid: 'x'.repeat(65_536) } })],
  ['a field that is missing', wrong({ order: undefined })],
  ['a kind that does not exist', wrong({ kind: 'launch-rocket' })],
  ['money beyond 64 bits', { kind: 'borrow', uid: 1, coin: 1, amount: 2n ** 63n } as unknown as Command],
  ['a hole in nested data', { kind: 'list-coin', coin: { name: [undefined] } } as unknown as Command],
])('%s cannot be written, and leaves the writer as it was', (_what, command) => {
  const writer = new RecordWriter()
  encodeCommand(writer, cancel, at)
  const before = Buffer.from(writer.slice(0, writer.position))
  expect(() => encodeCommand(writer, command, at)).toThrow(RecordUnwritable)
  expect(Buffer.from(writer.slice(0, writer.position))).toEqual(before)
})

test('nested data is written the same way whoever built it', () => {
  const inOrder = { name: '#1', listingPriceE8: 5n }
  const shuffled = { listingPriceE8: 5n, borrowLimit: undefined, name: '#1' }
  const record = (coin: object) => encoded({ kind: 'list-coin', coin } as unknown as Command)
  expect(record(inOrder)).toEqual(record(shuffled))
  expect(decodeCommand(record(inOrder)).command).toEqual({ kind: 'list-coin', coin: inOrder })
})

test.each([
  ['of another format', (bytes: Buffer) => bytes.writeUInt8(1, 0)],
  ['of a kind that does not exist', (bytes: Buffer) => bytes.writeUInt8(200, 1)],
  ['with a choice that does not exist', (bytes: Buffer) => bytes.writeUInt8(9, bytes.length - 6)],
])('a record %s is not guessed at', (_what, change) => {
  const bytes = encoded({ ...cancel, category: 'SPOT' })
  // The category stands before the handle behind it: flag, choice, flag, four bytes.
  change(bytes)
  expect(() => decodeCommand(bytes)).toThrow(RecordUnreadable)
})

test('a record that was cut short or made longer is not guessed at', () => {
  const bytes = encoded(cancel)
  for (let length = 0; length < bytes.length; length++) {
    expect(() => decodeCommand(bytes.subarray(0, length))).toThrow(RecordUnreadable)
  }
  expect(() => decodeCommand(Buffer.concat([bytes, Buffer.alloc(1)]))).toThrow(RecordUnreadable)
})
