/**
 * Commands as journal records, and back. One loop over the layout table for every kind; the hot kinds have it unrolled.
 *
 *   0  1  version of the record format
 *   1  1  number of the layout (command-layout.ts)
 *   2  8  `at`: when the command was sequenced, Unix milliseconds
 *  10     its fields, one after the other
 *
 * Holds     decoding what was encoded gives the same command and time, byte for byte on the way back
 *           · what is decoded shares nothing with the record, nor with the command that was encoded
 * Not here  the sequence number and the checksum, which are the journal's
 */
import type { Command } from '../engine/protocol/command.ts'
import { type CommandKind, commandKinds, earlierPlaceOrder, layouts } from './command-layout.ts'
import { readCancelOrder, readPlaceOrder, writeCancelOrder, writePlaceOrder } from './hot-records.ts'
import { RecordReader, RecordUnreadable, RecordUnwritable, RecordWriter } from './record-bytes.ts'
import type { Field } from './record-fields.ts'

const version = 2

/** One kind, with its types forgotten: the table has checked them. */
interface Plan {
  readonly kind: CommandKind
  readonly number: number
  readonly names: readonly string[]
  readonly fields: readonly Field<unknown>[]
}

const plans = new Map<CommandKind, Plan>(commandKinds.map((kind) => [kind, planOf(kind)]))
const plansByNumber: Plan[] = []
for (const plan of plans.values()) {
  if (plansByNumber[plan.number] !== undefined) throw new Error(`layout number ${plan.number} is given twice`)
  plansByNumber[plan.number] = plan
}
if (plansByNumber[earlierPlaceOrder.number] !== undefined)
  throw new Error('the number of an earlier layout is given again')

function planOf(kind: CommandKind): Plan {
  const { number, fields } = layouts[kind]
  return { kind, number, names: Object.keys(fields), fields: Object.values(fields) }
}

/** A record by itself. Throws RecordUnwritable. */
export function encodedCommand(command: Command, at: number): Buffer {
  single.rewind(0)
  encodeCommand(single, command, at)
  return Buffer.from(single.slice(0, single.position))
}

/** Written over by the next one that is encoded alone. */
const single = new RecordWriter()

/** Writes one record behind what the writer holds. Throws RecordUnwritable; the writer then holds what it held before. */
export function encodeCommand(to: RecordWriter, command: Command, at: number): void {
  const start = to.position
  try {
    const plan = plans.get(command.kind)
    if (plan === undefined) throw new RecordUnwritable(`no layout for the command ${String(command.kind)}`)
    to.u8(version)
    to.u8(plan.number)
    to.f64(at)
    if (command.kind === 'place-order') writePlaceOrder(to, command)
    else if (command.kind === 'cancel-order') writeCancelOrder(to, command)
    else writeFields(to, plan, command)
  } catch (error) {
    to.rewind(start)
    if (error instanceof RecordUnwritable) throw error
    throw new RecordUnwritable(`a command of the kind ${command.kind} lacks a field`, { cause: error })
  }
}

export interface DecodedCommand {
  readonly command: Command
  readonly at: number
}

const reader = new RecordReader()

/** Throws RecordUnreadable. */
export function decodeCommand(record: Uint8Array): DecodedCommand {
  reader.open(record)
  const found = reader.u8()
  if (found !== version) throw new RecordUnreadable(`record format ${found}; this program reads ${version}`)
  const number = reader.u8()
  const at = reader.f64()
  const command = readCommand(number)
  if (reader.rest !== 0) throw new RecordUnreadable(`${reader.rest} bytes behind the last field`)
  return { command, at }
}

function readCommand(number: number): Command {
  if (number === earlierPlaceOrder.number) return readPlaceOrder(reader, earlierPlaceOrder.loanType)
  const plan = plansByNumber[number]
  if (plan === undefined) throw new RecordUnreadable(`no layout has the number ${number}`)
  if (plan.kind === 'place-order') return readPlaceOrder(reader)
  if (plan.kind === 'cancel-order') return readCancelOrder(reader)
  return readFields(reader, plan)
}

function writeFields(to: RecordWriter, { names, fields }: Plan, command: object): void {
  const values = command as Readonly<Record<string, unknown>>
  names.forEach((name, index) => fields[index].write(to, values[name]))
}

function readFields(from: RecordReader, { kind, names, fields }: Plan): Command {
  const command: Record<string, unknown> = { kind }
  names.forEach((name, index) => {
    command[name] = fields[index].read(from)
  })
  return command as unknown as Command
}

/** The loop alone, for a test that holds the unrolled kinds against it. */
export const plain = {
  write: (to: RecordWriter, command: Command) => writeFields(to, plans.get(command.kind)!, command),
  read: (from: RecordReader, kind: CommandKind) => readFields(from, plans.get(kind)!),
}
