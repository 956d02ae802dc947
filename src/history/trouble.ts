/**
 * What can go wrong with the history, by name.
 *
 * Failed   the database or its thread refused: nothing more is written until the history is opened again, and what is
 *          missing then comes from the journal. The venue itself goes on.
 */
export class HistoryFailed extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`history failed: ${reason}`, { cause })
    this.name = 'HistoryFailed'
  }
}
