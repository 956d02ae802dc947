/**
 * The simulated market as a gateway of several cores runs it: while it is this gateway's turn, as the core that leads says.
 *
 * Turn       is asked for twice a second. It counts for four seconds from when it was asked for, and the core's for five: two
 *            gateways never have it at once
 * Failover   takes less. Who had the market says so to the next core, and goes on
 * Stands by  who does not have the turn. A turn that begins makes a simulator of its own, which goes on from the venue's prices
 * Commands   go like everybody's. Those that no core took are given up: the next step looks at the books as they are
 * Source     scale.md §9
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import { type Core, CommandNotSequenced } from '../runtime/core.ts'
import type { RuntimeLog } from '../runtime/runtime.ts'

interface RunningMarket {
  start(): Promise<void>
  stop(): Promise<void>
}

interface MarketInTurnPorts {
  /** The core that leads. */
  readonly ask: (what: string, ...args: readonly unknown[]) => Promise<unknown>
  readonly session: number
  readonly core: Core
  /** A market that has not begun; its commands go to the core that it is given. */
  readonly open: (core: Core) => RunningMarket
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly log: RuntimeLog
}

const askEveryMs = 500
const turnMs = 4_000

export class MarketInTurn {
  readonly #ports: MarketInTurnPorts
  readonly #asks: NodeJS.Timeout
  #untilMs = Number.NEGATIVE_INFINITY
  #market: RunningMarket | undefined
  #asking: Promise<void> | undefined
  #isStandingBy = false
  #isOver = false

  constructor(ports: MarketInTurnPorts) {
    this.#ports = ports
    this.#asks = setInterval(() => this.look(), askEveryMs).unref()
    this.look()
  }

  get state(): 'running' | 'standby' {
    return this.#market === undefined ? 'standby' : 'running'
  }

  /** Asks for the turn, unless an answer is awaited. */
  look(): void {
    this.#asking ??= this.#look()
      .catch((error: unknown) => this.#ports.log.warn({ err: error }, 'the simulated market did not end as it should'))
      .finally(() => (this.#asking = undefined))
  }

  /** Resolves when the last step is done; another gateway may have the market then. */
  async stop(): Promise<void> {
    this.#isOver = true
    clearInterval(this.#asks)
    await this.#asking
    const had = this.#market !== undefined
    await this.#end()
    // A core that is away lets it go by itself.
    if (had) await this.#ports.ask('marketOver', this.#ports.session).catch(() => undefined)
  }

  get #hasTurn(): boolean {
    return this.#ports.now() < this.#untilMs
  }

  async #look(): Promise<void> {
    const { ask, session, now, log } = this.#ports
    const askedMs = now()
    const has = this.#market !== undefined && this.#hasTurn
    const turn = await ask('market', session, has).catch(() => undefined)
    if (this.#isOver) return
    if (turn === 'yours' && has) this.#untilMs = askedMs + turnMs
    else if (turn === 'yours') {
      await this.#end()
      await this.#begin(askedMs)
    } else if (turn !== undefined || !this.#hasTurn) {
      if (this.#market !== undefined)
        log.warn({}, 'the simulated market stops here: no core says that it is the turn of this gateway')
      else if (turn === 'others' && !this.#isStandingBy) {
        log.info({}, 'another gateway runs the simulated market: this one stands by')
      }
      this.#isStandingBy = turn === 'others'
      this.#untilMs = Number.NEGATIVE_INFINITY
      await this.#end()
    }
  }

  async #begin(askedMs: number): Promise<void> {
    const { core, open, log } = this.#ports
    // The accounts of the agents are to be here, too.
    const isFresh = await Promise.resolve(core.fresh?.()).then(
      () => true,
      () => false,
    )
    if (!isFresh || this.#isOver) return
    this.#untilMs = askedMs + turnMs
    this.#isStandingBy = false
    log.info({}, 'this gateway runs the simulated market')
    const inTurn: Core = {
      submit: async (command, trace) => (await inTurn.submitAll([command], trace))[0],
      submitAll: (commands: readonly Command[], trace): Promise<readonly Reply[]> => {
        if (this.#hasTurn) return core.submitAll(commands, trace)
        return Promise.reject(new CommandNotSequenced('it is not the turn of this gateway'))
      },
      query: (query) => core.query(query),
      now: () => core.now(),
    }
    const market = (this.#market = open(inTurn))
    market
      .start()
      // Who ended it meanwhile had no timer to stop.
      .then(() => (this.#market === market ? undefined : market.stop()))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'the simulated market could not begin: it is tried again')
        this.#untilMs = Number.NEGATIVE_INFINITY
      })
  }

  async #end(): Promise<void> {
    const market = this.#market
    this.#market = undefined
    await market?.stop()
  }
}
