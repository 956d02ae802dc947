/**
 * What can go wrong with the history, by name.
 *
 * Failed   the database or its thread refused: nothing more is written until the history is opened again, and what is
 *          missing then comes from the journal. The venue itself goes on.
 * Away     of one that is read elsewhere: this read had no answer in time
 */
export class HistoryFailed extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`history failed: ${reason}`, { cause })
    this.name = 'HistoryFailed'
  }
}

/** The history is somewhere else, and not there or too far behind now: another try may be answered. */
export class HistoryAway extends HistoryFailed {
  constructor(reason: string, cause?: unknown) {
    super(reason, cause)
    this.name = 'HistoryAway'
  }
}
