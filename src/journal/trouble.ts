/**
 * What can go wrong with the journal and its snapshots, by name.
 *
 * Damaged  what was read is not what was written: nothing is changed, a person has to look
 * Failed   the disk refused a call: what was being done is not done
 * Fenced   of a journal that several cores share: another one writes it now
 */

/** A place in a file that does not verify. */
export interface Damage {
  readonly file: string
  readonly offset: number
  readonly reason: string
}

/** Why a file of another release is none that this one reads, as `reason` begins. */
export const otherFormat = 'the format version is'

/** Whether the file is whole, as far as can be told, and of another release. */
export function isOtherFormat({ reason }: Pick<Damage, 'reason'>): boolean {
  return reason.startsWith(otherFormat)
}

/** A segment does not hold what was written, or a segment is missing. The journal refuses to open, or replay stops. */
export class JournalDamaged extends Error implements Damage {
  readonly file: string
  readonly offset: number
  readonly reason: string

  constructor(file: string, offset: number, reason: string) {
    super(`journal damaged: ${file} at offset ${offset}: ${reason}`)
    this.name = 'JournalDamaged'
    this.file = file
    this.offset = offset
    this.reason = reason
  }
}

/**
 * The disk refused the journal. From an append it is final: what the last batch left on disk is unknown until the
 * journal is opened again.
 */
export class JournalFailed extends Error {
  constructor(doing: string, cause: unknown) {
    super(`journal failed while ${doing}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'JournalFailed'
  }
}

/** Another core has taken the log that this journal is written to: the batch is not in it, and never will be. */
export class JournalFenced extends Error {
  constructor(options?: ErrorOptions) {
    super('another core leads now', options)
    this.name = 'JournalFenced'
  }
}

/** A snapshot that had verified does not any more, while its chunks are read. */
export class SnapshotDamaged extends Error implements Damage {
  readonly file: string
  readonly offset: number
  readonly reason: string

  constructor(file: string, offset: number, reason: string) {
    super(`snapshot damaged: ${file} at offset ${offset}: ${reason}`)
    this.name = 'SnapshotDamaged'
    this.file = file
    this.offset = offset
    this.reason = reason
  }
}

/** The disk refused a snapshot. The older ones stand; the next save starts afresh. */
export class SnapshotFailed extends Error {
  constructor(doing: string, cause: unknown) {
    super(`snapshot failed while ${doing}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'SnapshotFailed'
  }
}
