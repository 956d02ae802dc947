/**
 * What every reader of the log holds against each message before it believes it.
 *
 * Holds   positions, chain and sequences have no gap · the epoch rises with a claim alone, and only by one · stamps never fall
 * Fault   LogBroken, which names the position: who reads stops there and never skips
 */
import { LogBroken } from './log.ts'
import { decodeMessage, type ReadMessage } from './message.ts'

/** The log up to a position: what an append behind it has to fit. */
export interface LogEnd {
  readonly position: number
  readonly chain: number
  readonly epoch: number
  readonly lastSequence: number
  /** The stamp of the last message; zero: there is none. */
  readonly lastAt: number
}

export const logStart: LogEnd = { position: 0, chain: 0, epoch: 0, lastSequence: 0, lastAt: 0 }

/** The message that follows an end, and the end behind it. Throws LogBroken. */
export function readNext(end: LogEnd, position: number, bytes: Uint8Array): { message: ReadMessage; end: LogEnd } {
  const fault = (reason: string) => new LogBroken(position, reason)
  if (position !== end.position + 1) throw fault(`position ${end.position + 1} is missing before it`)
  const message = decodeMessage(bytes)
  if (typeof message === 'string') throw fault(message)
  const { kind, epoch, at, firstSequence, previousChain, records } = message
  if (previousChain !== end.chain) throw fault('it does not follow what stands before it')
  if (kind === 'claim' ? epoch !== end.epoch + 1 : epoch !== end.epoch) {
    throw fault(`a ${kind} of epoch ${epoch} stands in epoch ${end.epoch}`)
  }
  if (kind === 'skip' ? firstSequence > end.lastSequence : firstSequence !== end.lastSequence + 1) {
    throw fault(`a ${kind} names command ${firstSequence} behind ${end.lastSequence}`)
  }
  if (at < end.lastAt) throw fault(`its stamp ${at} is before ${end.lastAt}`)
  const lastSequence = end.lastSequence + records.length
  return { message, end: { position, chain: message.chain, epoch, lastSequence, lastAt: at } }
}
