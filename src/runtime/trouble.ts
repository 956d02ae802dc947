/** What can go wrong between the journal and the engine, for the files of this room. */
import type { CommandKind } from './command-layout.ts'

/** The venue cannot start from what is in its directory. Nothing was changed; a person has to look. */
export class RecoveryFailed extends Error {
  override name = 'RecoveryFailed'
}

/** A snapshot is whole, and its state is none that this release reads. */
export class StateUnreadable extends RecoveryFailed {
  override name = 'StateUnreadable'
}

/** The engine threw while it applied this command: its state is lost, the command is to be taken back. */
export class CommandPoisoned extends Error {
  override name = 'CommandPoisoned'
  readonly kind: CommandKind
  readonly sequence: number
  readonly at: number

  constructor(command: { readonly kind: CommandKind }, sequence: number, at: number, options: ErrorOptions) {
    super(`command ${sequence} (${command.kind}) broke the engine`, options)
    this.kind = command.kind
    this.sequence = sequence
    this.at = at
  }
}
