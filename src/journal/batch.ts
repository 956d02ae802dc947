/**
 * Assembles one batch of records in a buffer that is used again and again, ready for one write.
 *
 * Invariants  the assembled bytes are valid until the next assembly · nothing is allocated per record
 * Format      format.ts
 */
import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import {
  BATCH_HEADER_BYTES,
  BODY_BYTES_MAX,
  countBlankSectors,
  encodeBatchHeader,
  END_MARK,
  END_MARK_BYTES,
  RECORD_HEADER_BYTES,
} from './format.ts'

export interface BatchPlace {
  readonly firstSequence: number
  readonly previousChain: number
  /** Where in the file the batch will stand. */
  readonly position: number
}

export class BatchAssembly {
  #buffer = Buffer.allocUnsafeSlow(64 * 1024)
  #chain = 0

  /** The chain after the batch assembled last. */
  get chain(): number {
    return this.#chain
  }

  assemble(payloads: readonly Uint8Array[], place: BatchPlace): Buffer {
    assert(payloads.length > 0, 'a batch has at least one record')
    let bodyBytes = END_MARK_BYTES
    for (const payload of payloads) {
      assert(payload.length > 0, 'a record is never empty')
      bodyBytes += RECORD_HEADER_BYTES + payload.length
    }
    assert(bodyBytes <= BODY_BYTES_MAX, 'a batch stays far below the four gigabytes that its length field can hold')

    const bytes = this.#reserve(BATCH_HEADER_BYTES + bodyBytes)
    let at = BATCH_HEADER_BYTES
    for (const payload of payloads) {
      bytes.writeUInt32LE(payload.length, at)
      bytes.set(payload, at + RECORD_HEADER_BYTES)
      at += RECORD_HEADER_BYTES + payload.length
    }
    bytes.writeUInt32LE(END_MARK, at)

    const body = bytes.subarray(BATCH_HEADER_BYTES)
    this.#chain = encodeBatchHeader(bytes, {
      records: payloads.length,
      firstSequence: place.firstSequence,
      bodyBytes,
      blankSectors: countBlankSectors(body, place.position + BATCH_HEADER_BYTES),
      previousChain: place.previousChain,
      bodyCrc: crc32(body),
    })
    return bytes
  }

  #reserve(length: number): Buffer {
    if (this.#buffer.length < length) {
      this.#buffer = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)))
    }
    return this.#buffer.subarray(0, length)
  }
}
