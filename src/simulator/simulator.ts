/**
 * A lively market for a demo venue: prices that wander, makers that quote every book, takers that trade with them. They
 * are ordinary accounts and speak through the core's two ports like everyone else. This is the door of the room.
 *
 *   world.ts    index prices (prices.ts), and what each instrument is worth
 *   quotes.ts   what makers change in a book      taker.ts   who trades with them
 *
 * Repeats   the same seed and the same answers of the venue give the same commands, step by step
 * Restart   begins by cancelling what an earlier run left, then quotes every book at once
 * Refusals  are counted and change nothing: the next visit looks at the book as it is
 * Stopping  leaves the quotes where they are; `withdrawQuotes` takes them away
 */
import type { Category, Instrument } from '../engine/catalog/catalog.ts'
import type { Command } from '../engine/command.ts'
import type { Reply } from '../engine/reply.ts'
import type { Core, RuntimeLog } from '../runtime/runtime.ts'
import { Chance } from './chance.ts'
import { cancelOf, orderFor } from './orders.ts'
import { defaultParameters, type SimulatorParameters } from './parameters.ts'
import { planQuotes } from './quotes.ts'
import { planTake, signedNotional } from './taker.ts'
import { World } from './world.ts'

export interface SimulatorOptions {
  readonly core: Core
  readonly seed: number
  /** Unified accounts with funds in every coin; makers and takers are different main accounts. */
  readonly makerUids: readonly number[]
  readonly takerUids: readonly number[]
  readonly parameters?: Partial<SimulatorParameters>
  readonly log?: Pick<RuntimeLog, 'warn'>
}

export interface SimulatorStats {
  readonly steps: number
  readonly commands: number
  readonly refused: number
  /** Steps whose commands the venue did not take. */
  readonly failures: number
}

interface Maker {
  readonly uid: number
  readonly chance: Chance
}

interface Taker extends Maker {
  /** Value traded net in each instrument by this run. */
  readonly inventory: Map<number, number>
}

export class Simulator {
  readonly #core: Core
  readonly #parameters: SimulatorParameters
  readonly #log: Pick<RuntimeLog, 'warn'> | undefined
  readonly #world: World
  readonly #makers: readonly Maker[]
  readonly #takers: readonly Taker[]
  readonly #arrivals: Chance
  #visits = 0
  #steps = 0
  #commands = 0
  #refused = 0
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor({ core, seed, makerUids, takerUids, parameters, log }: SimulatorOptions) {
    const chance = new Chance(seed)
    this.#core = core
    this.#parameters = { ...defaultParameters, ...parameters }
    this.#log = log
    this.#world = new World(core, chance.for('world'), this.#parameters)
    this.#makers = makerUids.map((uid, index) => ({ uid, chance: chance.for(`maker ${index}`) }))
    this.#takers = takerUids.map((uid, index) => ({ uid, chance: chance.for(`taker ${index}`), inventory: new Map() }))
    this.#arrivals = chance.for('arrivals')
  }

  /** Resolves when every book is quoted; from then on a timer makes the steps. */
  async start(): Promise<void> {
    await this.open()
    this.#timer = setInterval(() => this.#beat(), this.#parameters.stepMs).unref()
  }

  /** Resolves when the last step is done. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  stats(): SimulatorStats {
    return { steps: this.#steps, commands: this.#commands, refused: this.#refused, failures: this.#failures }
  }

  /** Clears away what an earlier run left, quotes every book, and trades once in each, so that each has a last price. */
  async open(): Promise<void> {
    await this.#submit(this.#makers.flatMap(({ uid }) => withdrawals(uid)))
    const instruments = this.#world.instruments()
    const quotes = instruments.flatMap((instrument) =>
      this.#makers.flatMap((maker) => this.#requote(maker, instrument, this.#parameters.levels)),
    )
    await this.#submit([this.#world.indexPrices(), ...quotes])
    const [taker] = this.#takers
    if (taker === undefined) return
    await this.#submit(instruments.flatMap((instrument) => this.#take(taker, instrument) ?? []))
  }

  /** One step of `stepMs`: prices when it is their turn, a few visits of makers, takers as they come. */
  async step(): Promise<void> {
    const { stepMs, stepsPerPrice, visitsPerStep, quotesPerVisit } = this.#parameters
    const instruments = this.#world.instruments()
    const commands: Command[] = []
    this.#steps += 1
    this.#world.move(stepMs / 1000)
    if (this.#steps % stepsPerPrice === 0) commands.push(this.#world.indexPrices())
    const rounds = instruments.length * this.#makers.length
    for (let visit = 0; visit < Math.min(visitsPerStep, rounds); visit++) {
      const turn = this.#visits++ % rounds
      const maker = this.#makers[Math.floor(turn / instruments.length)]
      commands.push(...this.#requote(maker, instruments[turn % instruments.length], quotesPerVisit))
    }
    for (const taker of this.#takers) commands.push(...this.#takesOf(taker, instruments))
    await this.#submit(commands)
  }

  /** A step that is not done when the next is due takes its place. */
  #beat(): void {
    if (this.#running !== undefined) return
    const step = async () => {
      try {
        await this.step()
      } catch (error) {
        this.#noteFailure(error)
      } finally {
        this.#running = undefined
      }
    }
    this.#running = step()
  }

  #requote({ uid, chance }: Maker, instrument: Instrument, quotesMax: number): Command[] {
    const { category, id } = instrument
    const resting = this.#core.query({ kind: 'open-orders', uid, interface: 'v3', category, instrument: id })
    const { cancel, place } = planQuotes(
      {
        instrument,
        fair: this.#world.fair(instrument),
        nervousness: this.#world.nervousness(instrument),
        resting: resting.map(({ orderId, bookSide, price }) => ({ orderId, side: bookSide, price })),
        quotesMax,
      },
      chance,
      this.#parameters,
    )
    const orders = place.map(({ side, price, quantity: lots }) =>
      orderFor(uid, instrument, {
        side,
        orderType: 'limit',
        price,
        quantity: { unit: 'lots', lots },
        timeInForce: 'post_only',
      }),
    )
    return [...cancel.map((orderId) => cancelOf(uid, orderId)), ...orders]
  }

  #takesOf(taker: Taker, instruments: readonly Instrument[]): Command[] {
    const { takesPerS, stepMs, popularity } = this.#parameters
    const { coins } = this.#core.query({ kind: 'catalog' })
    const weightOf = (one: Instrument) =>
      (popularity[coins[one.base].name] ?? 1) * Math.min(3, this.#world.nervousness(one))
    const takes: Command[] = []
    const count = this.#arrivals.count((takesPerS * stepMs) / 1000 / this.#takers.length)
    for (let arrival = 0; arrival < count; arrival++) {
      const instrument = taker.chance.pick(instruments, weightOf)
      const order = instrument && this.#take(taker, instrument)
      if (order !== undefined) takes.push(order)
    }
    return takes
  }

  #take({ uid, chance, inventory }: Taker, instrument: Instrument): Command | undefined {
    const depth = this.#core.query({ kind: 'depth', instrument: instrument.id, limit: 1 })
    const held = inventory.get(instrument.id) ?? 0
    const order = planTake({ uid, instrument, depth, inventory: held }, chance, this.#parameters)
    if (order === undefined) return undefined
    inventory.set(instrument.id, held + signedNotional(order, instrument, this.#world.fair(instrument)))
    return order
  }

  async #submit(commands: readonly Command[]): Promise<void> {
    if (commands.length === 0) return
    this.#commands += commands.length
    try {
      const replies = await this.#core.submitAll(commands)
      this.#refused += replies.filter((reply: Reply) => reply.kind === 'refused').length
    } catch (error) {
      this.#noteFailure(error)
    }
  }

  /** The venue may be stopping or overloaded; the next step tries again. Said once, counted always. */
  #noteFailure(error: unknown): void {
    this.#failures += 1
    if (this.#failures === 1) this.#log?.warn({ err: error }, 'the simulated market could not act')
  }
}

/** Takes away whatever the agents left in the books, for a venue that goes on without them. */
export async function withdrawQuotes(core: Core, uids: readonly number[]): Promise<void> {
  await core.submitAll(uids.flatMap(withdrawals))
}

const categories: readonly Category[] = ['SPOT', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']

function withdrawals(uid: number): Command[] {
  return categories.map((category) => ({
    kind: 'cancel-orders',
    uid,
    interface: 'v3',
    category,
    instrument: undefined,
  }))
}

export { defaultParameters, type SimulatorParameters } from './parameters.ts'
