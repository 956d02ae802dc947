/**
 * Keys that were revoked while their database did not know it yet: in the directory of the core, so that no gateway that begins takes
 * them for good, whatever died in between.
 *
 * Noted     on disk before the command that revokes is sequenced, and taken back if it never was: a note says that a key is or was to
 *           be revoked. By a core that follows another: before the command is in its own file
 * Gone      once the database says it
 */
import { existsSync, readFileSync } from 'node:fs'
import type { Command, RecordKeyChange } from '../../engine/protocol/command.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import { type Core, OutcomeUnknown, type Trace } from '../../runtime/core.ts'
import { writeWholeFile } from '../data-directory.ts'

export const revokedKeysFile = 'revoked-keys.json'

export class RevokedKeys {
  readonly #file: string
  readonly #noted: Set<string>

  constructor(file: string) {
    this.#file = file
    this.#noted = new Set(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [])
  }

  list(): readonly string[] {
    return [...this.#noted]
  }

  drop(apiKey: string): void {
    if (this.#noted.delete(apiKey)) this.#write()
  }

  /** Those that these commands revoke. */
  note(commands: readonly Command[]): readonly RecordKeyChange[] {
    const revoked = commands.filter(
      (command): command is RecordKeyChange =>
        command.kind === 'record-key-change' && command.change === 'revoked' && !this.#noted.has(command.apiKey),
    )
    for (const { apiKey } of revoked) this.#noted.add(apiKey)
    if (revoked.length > 0) this.#write()
    return revoked
  }

  /** For a core that others lead: what it hears of the log. `heard` gets what was recorded of keys. */
  hearer(heard: (command: RecordKeyChange, at: number) => void) {
    return {
      stand: (commands: readonly Command[]) => void this.note(commands),
      carriedOut: (command: Command, at: number, { kind }: Reply) => {
        if (command.kind !== 'record-key-change') return
        if (kind !== 'refused') heard(command, at)
        else if (command.change === 'revoked') this.drop(command.apiKey)
      },
    }
  }

  /** The same core. `heard` gets what was recorded of keys. */
  noting(core: Core, heard: (command: RecordKeyChange, at: number) => void): Core {
    const submitAll = async (commands: readonly Command[], trace?: Trace) => {
      if (!commands.some(({ kind }) => kind === 'record-key-change')) return core.submitAll(commands, trace)
      const revoked = this.note(commands)
      try {
        const replies = await core.submitAll(commands, trace)
        commands.forEach((command, place) => {
          if (command.kind !== 'record-key-change') return
          if (replies[place].kind !== 'refused') heard(command, core.now())
          else if (revoked.includes(command)) this.drop(command.apiKey)
        })
        return replies
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) for (const { apiKey } of revoked) this.drop(apiKey)
        throw error
      }
    }
    return {
      submit: async (command, trace) => (await submitAll([command], trace))[0],
      submitAll,
      query: (query) => core.query(query),
      now: () => core.now(),
      get rebuilt() {
        return core.rebuilt
      },
    }
  }

  #write(): void {
    writeWholeFile(this.#file, `${JSON.stringify(this.list())}\n`)
  }
}
