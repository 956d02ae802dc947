/**
 * One core, its gateways and who writes its history elsewhere, each a process: started in their order, started anew when they die, ended together.
 *
 * Port      every gateway listens on the same one, and the kernel deals out connections (SO_REUSEPORT: Linux). It is seen to be
 *           free before, as gateways would share it with anybody of the same user
 * Order     the core first, then the history that gateways read. At the end the gateways, so that what they accepted is answered, then
 *           the others
 * Orphans   a child ends when this process is gone: their channel closes
 * Anew      after 100 ms at first, after 5 s at most while it does not come up. A start that fails at once ends all
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'

type Role = 'core' | 'history' | 'gateway'

interface SupervisorOptions {
  /** The program with its options: what comes behind `node`. */
  readonly command: (role: Role) => readonly string[]
  readonly gateways: number
  /** History is written elsewhere, by a process of its own. */
  readonly hasHistory: boolean
  readonly log: { warn(facts: object, text: string): void; info(facts: object, text: string): void }
}

/** A process of the venue ended before it was ready; it has said why. */
export class ChildFailed extends Error {
  override name = 'ChildFailed'
}

const againMsFirst = 100
const againMsMost = 5_000
const endMsMax = 40_000

/**
 * Resolves when the core and all gateways are ready; answers what the core said of itself, one line of JSON, and how to end and
 * hang up on them all. Rejects with ChildFailed, and all are ended then.
 */
export async function supervise(options: SupervisorOptions) {
  const core = new Child('core', options)
  const doors: Child[] = []
  let history: Child | undefined
  const end = async () => {
    await Promise.all(doors.map((door) => door.end()))
    await history?.end()
    await core.end()
  }
  try {
    const ready = await core.ready
    if (options.hasHistory) history = new Child('history', options)
    await history?.ready
    for (let door = 0; door < options.gateways; door++) doors.push(new Child('gateway', options))
    await Promise.all(doors.map((door) => door.ready))
    /** SIGHUP: gateways read the certificate again. */
    const hangUp = () => doors.forEach((door) => door.signal('SIGHUP'))
    return { ready, hangUp, end }
  } catch (error) {
    await end()
    throw error
  }
}

/** A port that nobody listens on now; `port` itself unless that is 0. Rejects as listening does. */
export async function freePort(host: string, port: number): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, resolve)
  })
  const { port: found } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return found
}

class Child {
  readonly #role: Role
  readonly #options: SupervisorOptions
  /** What it said when it was ready for the first time. */
  readonly ready: Promise<string>
  readonly #tellReady: (line: string) => void
  readonly #tellFailed: (error: Error) => void
  #process: ChildProcess | undefined
  #hasBeenReady = false
  #againMs = againMsFirst
  #again: NodeJS.Timeout | undefined
  #isEnding = false

  constructor(role: Role, options: SupervisorOptions) {
    this.#role = role
    this.#options = options
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.ready = promise
    this.#tellReady = resolve
    this.#tellFailed = reject
    this.#start()
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  async end(): Promise<void> {
    this.#isEnding = true
    clearTimeout(this.#again)
    const process = this.#process
    if (process === undefined) return
    const over = new Promise((resolve) => process.once('exit', resolve))
    process.kill('SIGTERM')
    const hard = setTimeout(() => process.kill('SIGKILL'), endMsMax)
    await over
    clearTimeout(hard)
  }

  #start(): void {
    const { command, log } = this.#options
    // Of its own group: a Ctrl-C at the terminal reaches this process alone, which ends all in their order.
    const child = spawn(process.execPath, [...process.execArgv, ...command(this.#role)], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      detached: true,
    })
    this.#process = child
    let said = ''
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const end = said.indexOf('\n')
      if (end < 0 || this.#hasBeenReady) return
      this.#hasBeenReady = true
      this.#againMs = againMsFirst
      this.#tellReady(said.slice(0, end))
    })
    child.once('exit', (code, signal) => {
      this.#process = undefined
      if (this.#isEnding) return
      const role = this.#role
      if (!this.#hasBeenReady) return this.#tellFailed(new ChildFailed(`the ${role} did not start`))
      log.warn({ role, code, signal }, 'a process of the venue died; it is started anew')
      this.#again = setTimeout(() => this.#start(), this.#againMs)
      this.#againMs = Math.min(this.#againMs * 2, againMsMost)
    })
    log.info({ role: this.#role, pid: child.pid }, 'a process of the venue starts')
  }
}
