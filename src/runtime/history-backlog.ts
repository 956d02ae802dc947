/**
 * Keeps what history has yet to write bounded where commands are made faster than it writes: replaying the journal, and moving
 * the manual clock. What waits is in memory, and beyond two million events history gives up.
 *
 * Not here  clients: they are slower, and nobody's order waits for records
 */
import type { HistoryConsumer } from './ports.ts'

/** A few megabytes of rows, and a fifth of a second's writing. */
const pendingMax = 20_000

/** Resolves when history has written what it was given; undefined: it has few events left to write. */
export function historyKeepsUp(history: HistoryConsumer | undefined): Promise<void> | undefined {
  return history !== undefined && history.pendingEvents > pendingMax ? history.flush() : undefined
}
