/**
 * The process of the bot: started with what it needs to know in its environment, killed and started again, and listened to.
 *
 * Group     it is the leader of a group of processes: what it starts ends with it
 * Output    the last of what it wrote, line by line, with the venue's time
 * Ends      that nobody has asked for are kept: it was not up
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exit } from './evidence.ts'

const linesMax = 2_000
const lineMax = 500
/** For a bot that is asked to end. */
const endMsMax = 1_500

export interface Said {
  readonly at: number
  readonly text: string
  readonly isError: boolean
}

export class Bot {
  readonly exits: Exit[] = []
  readonly said: Said[] = []
  readonly #command: readonly string[]
  readonly #environment: NodeJS.ProcessEnv
  readonly #now: () => number
  #child: ChildProcess | undefined
  #isWanted = false

  constructor(command: readonly string[], environment: NodeJS.ProcessEnv, now: () => number) {
    this.#command = command
    this.#environment = environment
    this.#now = now
  }

  start(): void {
    const [program = '', ...args] = this.#command
    const child = spawn(program, args, { env: this.#environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    this.#isWanted = true
    const ended = (code: number | null, signal: string | null) => {
      if (this.#child === child && this.#isWanted) this.exits.push({ at: this.#now(), code, signal })
    }
    child.once('exit', ended).once('error', (error) => {
      this.#hear(error.message, true)
      ended(null, 'error')
    })
    this.#listen(child.stdout, false)
    this.#listen(child.stderr, true)
  }

  /** At once, without a word to it. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#isWanted = false
    const child = this.#child
    if (child?.pid === undefined) return
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit')
      signalGroup(child.pid, signal)
      await Promise.race([exited, sleep(endMsMax, undefined, { ref: false })])
    }
    // Whatever it has left behind.
    signalGroup(child.pid, 'SIGKILL')
  }

  #listen(stream: Readable, isError: boolean): void {
    createInterface({ input: stream }).on('line', (line) => this.#hear(line, isError))
  }

  #hear(text: string, isError: boolean): void {
    this.said.push({ at: this.#now(), text: text.slice(0, lineMax), isError })
    if (this.said.length > linesMax) this.said.shift()
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
