/**
 * Large answers leave in slices, each within the share of a turn (turn-share.ts): the system copies what it is given at once, and
 * of a megabyte for each of many readers that is a turn in which nobody else is served.
 *
 * Next    a slice follows when the one before has been taken; a reader who stops stops its own answer alone
 */
import type { Socket } from 'node:net'
import type { TurnShare } from './turn-share.ts'

/** What is no larger leaves at once. */
export const sliceBytes = 64 * 1024

/** `written` is told when the last slice has been taken, or that the socket is gone. */
export function writeInSlices(
  socket: Socket,
  bytes: Buffer,
  share: TurnShare,
  written: (error?: Error | null) => void,
): void {
  const writeFrom = (at: number) => {
    if (at >= bytes.length || socket.destroyed) return written()
    socket.write(bytes.subarray(at, at + sliceBytes), (error) => {
      if (error) return written(error)
      share.enter(() => writeFrom(at + sliceBytes))
    })
  }
  writeFrom(0)
}
