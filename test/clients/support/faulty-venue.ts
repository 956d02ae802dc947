/**
 * A whole venue in this process, on a disk that can be made slow or broken and with an engine that can be made to throw:
 * the two ports at which main.ts lets tests in. Everything else is the venue as it is, spoken to over HTTP.
 *
 * Faults   are over at the next start, which finds a sound disk and a sound engine
 * Time     stands still, so that no timer mixes its commands with those of a test
 * Gather   while the disk is held, commands wait behind the batch that is being written, and then share the next one
 */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import type { Command } from '../../../src/engine/protocol/command.ts'
import { startVenue } from '../../../src/main.ts'
import { readConfiguration } from '../../../src/operator/config/configuration.ts'
import type { MetricRead } from '../../../src/operator/metric-registry.ts'
import { openLog } from '../../../src/operator/log.ts'
import { FaultyDisk } from '../../runtime/faulty-disk.ts'
import { Venue } from '../../support/venue.ts'

/** An index price that nobody looks at, sequenced before what a test is about. */
const filler = { prices: { DOGE: '0.15' } }

export class FaultyVenue extends Venue {
  disk = new FaultyDisk()
  /** The engine throws on the commands that this picks. */
  breaksOn: (command: Command) => boolean = () => false
  #running: Awaited<ReturnType<typeof startVenue>> | undefined
  readonly #replyTimeoutMs: number
  /** Of a disk that is held. */
  #release = () => {}

  private constructor(directory: string, replyTimeoutMs: number) {
    super(directory, { clock: 'manual' })
    this.#replyTimeoutMs = replyTimeoutMs
  }

  static async open(replyTimeoutMs = 10_000): Promise<FaultyVenue> {
    const venue = new FaultyVenue(await mkdtemp(join(tmpdir(), 'tidemark-faulty-')), replyTimeoutMs)
    await venue.start()
    return venue
  }

  protected override async launch(): Promise<void> {
    this.disk = new FaultyDisk()
    this.breaksOn = () => false
    const { configuration } = readConfiguration({
      environment: {},
      options: {
        port: '0',
        operatorPort: '0',
        data: this.directory,
        simulator: 'off',
        clock: 'manual',
        noRateLimits: 'true',
        replyTimeoutMs: String(this.#replyTimeoutMs),
        logLevel: 'silent',
      },
    })
    const breaks = (command: Command) => this.breaksOn(command)
    class BreakableEngine extends Engine {
      override apply(...given: Parameters<Engine['apply']>) {
        if (breaks(given[0])) throw new Error('a defect of the engine')
        return super.apply(...given)
      }
    }
    const faults = { disk: this.disk, engineClass: BreakableEngine }
    this.#running = await startVenue(configuration, { log: openLog('silent').log, onFatal() {}, faults })
  }

  protected override async end(): Promise<null> {
    const running = this.#running
    this.#running = undefined
    this.#release()
    await running?.stop()
    return null
  }

  /**
   * Holds the disk with one batch on it, sends, and waits until that many commands stand behind the batch. Answers how to
   * let go, or to let that batch fail, and what was sent.
   */
  async gather<Sent>(commands: number, send: () => Promise<Sent>): Promise<Gathered<Sent>> {
    const { disk } = this
    const reached = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    this.#release = held.resolve
    disk.beforeSync = () => {
      disk.beforeSync = async () => {}
      reached.resolve()
      return held.promise
    }
    // Refused or left in the dark itself, when the test says so.
    void this.operator('prices', filler).catch(() => {})
    await reached.promise
    const sent = send()
    await vi.waitFor(async () => {
      const metrics = await this.operator<readonly MetricRead[]>('metrics')
      const waiting = metrics.find(({ name }) => name === 'tidemark_commands_waiting')?.values[0]?.value
      if (waiting !== commands) throw new Error(`${waiting} commands wait, not ${commands}`)
    }, 10_000)
    return { sent, release: held.resolve, fail: held.reject }
  }
}

interface Gathered<Sent> {
  readonly sent: Promise<Sent>
  readonly release: () => void
  readonly fail: (error: Error) => void
}
