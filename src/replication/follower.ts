/**
 * A core that does not lead: what the log has goes into its file, and into its engine.
 *
 *   message → file journal → engine, command by command → consumers
 *
 * Same       as live and in recovery: the same records give the same state
 * Poison     an engine that breaks on N stands still before it, while the file goes on. The log says what became of N:
 *            skip(N): it is passed over everywhere, the engine is rebuilt and catches up
 *            a later message of a leader that has applied N: this engine is the odd one. ReplicaOdd: the process ends,
 *            and begins anew from the state of another
 * Too late   who applied N and then reads skip(N) takes it back: the engine is rebuilt without it
 */
import assert from 'node:assert/strict'
import {
  CommandPoisoned,
  decodeCommand,
  type EngineDriver,
  type RebuildPorts,
  rebuiltThrough,
} from '../runtime/parts.ts'
import type { Command } from '../engine/protocol/command.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { ReadMessage } from './message.ts'

/** This engine broke on a command that others have carried out: its state is not to be trusted. */
export class ReplicaOdd extends Error {
  override name = 'ReplicaOdd'
}

/** Who hears the commands themselves: of what is kept elsewhere, the log says alone that it changed. */
export interface CommandHearer {
  /** They stand in the log; told before they are in the file of this core, when another one leads. */
  stand(commands: readonly Command[]): void
  /** One was carried out here. */
  carriedOut(command: Command, at: number, reply: Reply): void
}

export interface FollowerPorts extends RebuildPorts {
  readonly driver: EngineDriver
  /** Absent: nobody does. */
  readonly hearer?: CommandHearer | undefined
  /** A command that was applied here is passed over: what was told of it and of all behind it does not hold. */
  readonly onTakenBack: (sequence: number) => void
}

export class Follower {
  readonly #ports: FollowerPorts
  /** The command that broke the engine; undefined: it is sound. */
  #broken: CommandPoisoned | undefined

  constructor(ports: FollowerPorts) {
    this.#ports = ports
  }

  /** The command that broke the engine here, of which the log has not said yet what becomes of it. */
  get broken(): CommandPoisoned | undefined {
    return this.#broken
  }

  /** One message, in the order of the log. Rejects with ReplicaOdd, and with what the file says. */
  async take(message: ReadMessage): Promise<void> {
    const { kind, firstSequence, appliedThrough, records } = message
    const broken = this.#broken
    if (broken !== undefined && appliedThrough >= broken.sequence) {
      throw new ReplicaOdd(`${broken.message} here, and not where it was carried out`, { cause: broken.cause })
    }
    if (kind === 'skip') return this.passOver(firstSequence)
    if (kind !== 'batch') return
    const { journal, hearer } = this.#ports
    const commands = records.map(decodeCommand)
    hearer?.stand(commands.map(({ command }) => command))
    // A file may be ahead of where its position in the log is known.
    const known = journal.lastSequence - firstSequence + 1
    if (known < records.length) {
      const missing = records.slice(Math.max(0, known))
      await journal.append(firstSequence + records.length - missing.length, missing)
    }
    this.#applyAll(firstSequence, commands)
  }

  /** A command that broke the engine while this core led, or read its file: the log is to say what becomes of it. */
  noteBroken(poison: CommandPoisoned): void {
    this.#broken = poison
  }

  /** It is passed over, and the engine rebuilt without it. */
  noteSound(): void {
    this.#broken = undefined
  }

  /**
   * Carries the command that broke the engine out once more, in a new engine: what was wrong with the old one is gone. So with
   * each further one that breaks: if the engine is broken in the end, the same command broke two of them.
   */
  async tryAgain(): Promise<void> {
    let tried: number | undefined
    while (this.#broken !== undefined && this.#broken.sequence !== tried) {
      tried = this.#broken.sequence
      await this.#rebuild(this.#ports.driver.sequence)
    }
  }

  /** Skip(N) is in the log: N changes nothing, here and everywhere. */
  async passOver(sequence: number): Promise<void> {
    const { driver, poisoned, onTakenBack } = this.#ports
    if (poisoned.list().some((noted) => noted.sequence === sequence)) return
    const broken = this.#broken
    await poisoned.add(broken?.sequence === sequence ? broken : await this.#asPoisoned(sequence))
    const isApplied = driver.sequence >= sequence
    await this.#rebuild(driver.sequence)
    if (isApplied) onTakenBack(sequence)
  }

  /** A new engine that stands where this one stood, and goes on with what the file has. */
  async #rebuild(reached: number): Promise<void> {
    const { driver, journal } = this.#ports
    driver.takeOut()
    await driver.install(async (emit) => (await rebuiltThrough(reached, emit, this.#ports)).engine)
    this.#broken = undefined
    if (reached < journal.lastSequence)
      await journal.replay(reached + 1, (at, payload) => this.#applyAll(at, [decodeCommand(payload)]))
  }

  #applyAll(firstSequence: number, commands: readonly ReturnType<typeof decodeCommand>[]): void {
    const { driver, poisoned, hearer } = this.#ports
    if (this.#broken !== undefined) return
    const bare = commands.map(({ command }) => command)
    let prefetched = 0
    for (const [place, { command, at }] of commands.entries()) {
      const sequence = firstSequence + place
      if (sequence <= driver.sequence) continue
      assert.equal(sequence, driver.sequence + 1, 'commands are applied without gap or repetition')
      if (place >= prefetched) prefetched = driver.prefetch(bare, place)
      try {
        if (poisoned.has(sequence, command.kind, at)) driver.skip(sequence, at)
        else {
          const reply = driver.apply(command, sequence, at)
          hearer?.carriedOut(command, at, reply)
        }
      } catch (error) {
        if (!(error instanceof CommandPoisoned)) throw error
        this.#broken = error
        return
      }
    }
  }

  /** A command that broke the engine of another, as the list of those notes it. */
  async #asPoisoned(sequence: number): Promise<CommandPoisoned> {
    let poison: CommandPoisoned | undefined
    await this.#ports.journal.replay(sequence, (at, payload) => {
      if (at !== sequence) return
      const { command, at: stamp } = decodeCommand(payload)
      poison = new CommandPoisoned(command, sequence, stamp, { cause: 'it broke the engine of the core that led' })
    })
    assert(poison !== undefined, 'what is passed over is in the file')
    return poison
  }
}
