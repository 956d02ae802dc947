/**
 * Frames as bytes on a connection of two processes of one machine: `length 4 · kind 1 · body`, little-endian.
 *
 * Hot    submissions, batches, barriers with their answers, and how far is applied have layouts of their own; commands and records are
 *        as the journal has them
 * Rest   is rare, and as node:v8 writes values. Releases are mixed while a cluster is upgraded: a later one adds fields and takes none away
 */
import { deserialize, serialize } from 'node:v8'
import { decodeCommand, encodedCommand } from '../runtime/runtime.ts'
import type { CommittedBatch, FrameDown, FrameUp } from './frames.ts'
import { decodeMessage, encodeMessage } from './message.ts'

/** What is asked beside the commands: history, keys, limits. Answered in any order, by number. */
interface Asked {
  readonly kind: 'ask'
  readonly number: number
  readonly what: string
  readonly args: readonly unknown[]
}

interface Answered {
  readonly kind: 'answer'
  readonly number: number
  /** Undefined: it went well. */
  readonly error: string | undefined
  readonly value: unknown
}

/** What a gateway is told unasked beside the batches. */
interface Told {
  readonly kind: 'told'
  readonly what: string
  readonly value: unknown
}

export type WireFrame = FrameUp | FrameDown | Asked | Answered | Told

const headerBytes = 5
const submitKind = 1
const batchKind = 2
const appliedKind = 3
const otherKind = 4
const barrierKind = 5
const freshKind = 6
const none = Buffer.alloc(0)

/** Of frames that go to every gateway. */
const encoded = new WeakMap<WireFrame, Buffer>()

export function encodeFrame(frame: WireFrame): Buffer {
  const known = encoded.get(frame)
  if (known !== undefined) return known
  const bytes = encodeAnew(frame)
  if (frame.kind === 'batch' || frame.kind === 'applied' || frame.kind === 'told') encoded.set(frame, bytes)
  return bytes
}

function encodeAnew(frame: WireFrame): Buffer {
  switch (frame.kind) {
    case 'submit':
      return encodeSubmit(frame)
    case 'batch':
      return withHeader(batchKind, encodeBatch(frame))
    case 'applied':
      return encodeNumbers(appliedKind, frame.sequence)
    case 'barrier':
      return encodeNumbers(barrierKind, frame.number)
    case 'fresh':
      return encodeNumbers(freshKind, frame.number, frame.sequence)
    default:
      return withHeader(otherKind, serialize(frame))
  }
}

/** A frame whose body is to be filled. */
function frameOf(kind: number, bodyBytes: number): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + bodyBytes)
  frame.writeUInt32LE(bodyBytes)
  frame.writeUInt8(kind, 4)
  return frame
}

function withHeader(kind: number, body: Uint8Array): Buffer {
  const frame = frameOf(kind, body.length)
  frame.set(body, headerBytes)
  return frame
}

function encodeNumbers(kind: number, ...numbers: readonly number[]): Buffer {
  const frame = frameOf(kind, 8 * numbers.length)
  numbers.forEach((number, place) => frame.writeDoubleLE(number, headerBytes + 8 * place))
  return frame
}

function encodeSubmit({ counter, commands }: Extract<FrameUp, { kind: 'submit' }>): Buffer {
  const records = commands.map((command) => encodedCommand(command, 0))
  const frame = frameOf(
    submitKind,
    records.reduce((sum, { length }) => sum + 4 + length, 8),
  )
  frame.writeUInt32LE(counter, headerBytes)
  frame.writeUInt32LE(commands.length, headerBytes + 4)
  let at = headerBytes + 8
  for (const record of records) {
    frame.writeUInt32LE(record.length, at)
    frame.set(record, at + 4)
    at += 4 + record.length
  }
  return frame
}

/** As a message of the log, of which the rest says nothing here. */
function encodeBatch({ firstSequence, records, origins }: CommittedBatch): Buffer {
  const rest = { stateVersion: 0, epoch: 0, appliedThrough: 0, at: 0, note: none, previousChain: 0 }
  return encodeMessage({ kind: 'batch', firstSequence, records, origins, ...rest })
}

function decodeFrame(kind: number, body: Buffer): WireFrame {
  if (kind === submitKind) return decodeSubmit(body)
  if (kind === appliedKind) return { kind: 'applied', sequence: body.readDoubleLE() }
  if (kind === barrierKind) return { kind: 'barrier', number: body.readDoubleLE() }
  if (kind === freshKind) return { kind: 'fresh', number: body.readDoubleLE(), sequence: body.readDoubleLE(8) }
  if (kind === otherKind) return deserialize(body) as WireFrame
  const message = decodeMessage(body)
  if (kind !== batchKind || typeof message === 'string') throw new Error(`a frame of kind ${kind} cannot be read`)
  const { firstSequence, records, origins } = message
  return { kind: 'batch', firstSequence, records, origins }
}

function decodeSubmit(body: Buffer): WireFrame {
  const commands = []
  let at = 8
  for (let left = body.readUInt32LE(4); left > 0; left--) {
    const end = at + 4 + body.readUInt32LE(at)
    commands.push(decodeCommand(body.subarray(at + 4, end)).command)
    at = end
  }
  return { kind: 'submit', counter: body.readUInt32LE(), commands }
}

/** Cuts what comes into frames. */
export class FrameReader {
  readonly #onFrame: (frame: WireFrame) => void
  #chunks: Buffer[] = []
  #bytes = 0
  /** Of the frame that is coming, header included. */
  #wanted = headerBytes

  constructor(onFrame: (frame: WireFrame) => void) {
    this.#onFrame = onFrame
  }

  /** Throws where a frame cannot be read. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes < this.#wanted) return
    const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    let at = 0
    this.#wanted = headerBytes
    while (all.length - at >= headerBytes) {
      const end = at + headerBytes + all.readUInt32LE(at)
      if (end > all.length) {
        this.#wanted = end - at
        break
      }
      this.#onFrame(decodeFrame(all.readUInt8(at + 4), all.subarray(at + headerBytes, end)))
      at = end
    }
    this.#chunks = at === all.length ? [] : [all.subarray(at)]
    this.#bytes = all.length - at
  }
}
