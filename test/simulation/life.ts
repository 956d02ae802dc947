/**
 * One life of a simulated venue, from its first listing to its last restart; everything in it comes from one seed.
 *
 *   round     a handful of submissions at once: people, the feed, the operator → replies
 *   between   time passes, snapshots are taken, the venue is stopped, the power goes, the disk fails
 *   restart   the state is that of a twin that lived through the same commands without a crash, to the byte
 *
 * Checked   watch.ts after each command; the whole books and the auditor now and then, after every restart and at the end
 * Acknowledged   what was answered is there after every restart; of what was not, whole submissions or nothing
 * Retried   what a crash left unanswered is sent again, several times over: there is one order for a client order id
 * End       everything is canceled: nothing is held any more; contracts are delivered: nothing is owed to positions
 */
import { isFutures } from '../../src/engine/catalog/catalog.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import { walletTypes } from '../../src/engine/vocabulary.ts'
import { coinListings } from '../engine/support/listings.ts'
import { Computer } from './computer.ts'
import { Floor } from './floor.ts'
import { IndexPrices } from './index-prices.ts'
import { Operators } from './operators.ts'
import { admit, openMarkets } from './people.ts'
import { type Habit, habits, RandomTraders } from './random-traders.ts'
import { Random } from './random.ts'
import { RememberedHistory } from './remembered-history.ts'
import { type Applied, same, text, Watch } from './watch.ts'

export interface LifeOptions {
  readonly seed: number
  readonly commands: number
  /** `busy`: a few traders who do little but trade, for volume; else everybody does everything. */
  readonly kind?: 'full' | 'busy' | undefined
  /** Gets the state's hash at every so many commands. */
  readonly onHash?: ((sequence: number, hash: string) => void) | undefined
  /** Everything that was applied is kept, and a failure has it. */
  readonly keepTape?: boolean
}

export interface LifeReport {
  readonly commands: number
  readonly fills: number
  readonly events: number
  /** Starts after the first. */
  readonly restarts: number
  readonly cuts: number
  readonly diskFaults: number
  readonly poisoned: number
  readonly replayed: number
  readonly snapshots: number
  /** How long it took by the venue's clock. */
  readonly simulatedMs: number
  readonly counts: ReadonlyMap<string, number>
}

/** What was on its way when the machine went down, and the last command before it. */
interface Sent {
  readonly from: number
  readonly submissions: readonly Command[][]
}

export class LifeFailed extends Error {
  override name = 'LifeFailed'
  /** The last command that was applied, or the one that broke the engine. */
  readonly sequence: number
  readonly tape: readonly Applied[]

  constructor(seed: number, { last, tape, brokenBy }: Watch, faults: readonly string[], cause?: unknown) {
    const sequence = brokenBy?.sequence ?? last
    super([`seed ${seed}, after ${sequence} commands:`, ...faults].join('\n'), { cause })
    this.sequence = sequence
    this.tape = brokenBy === undefined ? tape : [...tape.filter((command) => command.sequence < sequence), brokenBy]
  }
}

/** Midnight of 1 January 2026, UTC. */
const firstDay = 1_767_225_600_000
const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 3_600_000
const hashEvery = 1000
const checkEvery = 5000

export async function live(options: LifeOptions): Promise<LifeReport> {
  const life = new Life(options)
  try {
    return await life.run()
  } catch (error) {
    if (error instanceof LifeFailed) throw error
    throw new LifeFailed(options.seed, life.watch, [String(error)], error)
  }
}

class Life {
  readonly #options: LifeOptions
  readonly #random: Random
  readonly #watch = new Watch()
  readonly #computer: Computer
  readonly #floor: Floor
  readonly #randomTraders: RandomTraders
  readonly #operators: Operators
  readonly #indexPrices: IndexPrices
  #history = new RememberedHistory()
  #snapshots = 0
  #hashedAt = 0
  #checkedAt = 0
  /** Where journal and snapshots may make a replay begin. */
  #snapshotSequences: number[] = []
  /** Since the venue was last seen whole, when something is planned: its state then. */
  #base: { readonly sequence: number; readonly state: Buffer } | undefined
  #retries: Command[] = []

  constructor(options: LifeOptions) {
    this.#options = options
    const random = new Random(options.seed)
    this.#random = random.fork()
    const indexPrices = new IndexPrices(
      random.fork(),
      coinListings.map(({ listingPriceE8 }) => listingPriceE8),
    )
    this.#indexPrices = indexPrices
    this.#computer = new Computer({
      watch: this.#watch,
      random: random.fork(),
      histories: { open: async () => this.#history, lose: async () => this.#loseHistory() },
      startAt: firstDay,
      segmentBytesMax: this.#random.pick([3_000, 12_000, 40_000]),
    })
    this.#floor = new Floor(random.fork(), indexPrices, (query) => this.#computer.runtime.query(query))
    this.#randomTraders = new RandomTraders(this.#floor, this.#random.pick(Object.keys(habits) as Habit[]))
    this.#operators = new Operators(this.#floor)
  }

  get watch(): Watch {
    return this.#watch
  }

  async run(): Promise<LifeReport> {
    await this.#computer.start()
    await this.#open()
    const pace = this.#random.pick([secondMs, 10 * secondMs, 60 * secondMs])
    while (this.#watch.last < this.#options.commands) {
      await this.#pass(pace)
      this.#failOnFaults()
      await this.#round()
      await this.#disturb()
      if (this.#computer.down) await this.#restart()
      await this.#look()
    }
    await this.#end()
    const { starts, cuts, faults } = this.#computer
    const { last: commands, fills, events, poisoned, replayed, counts } = this.#watch
    return {
      commands,
      fills,
      events,
      restarts: starts - 1,
      cuts,
      diskFaults: faults,
      poisoned,
      replayed,
      snapshots: this.#snapshots,
      simulatedMs: this.#computer.runtime.now() - firstDay,
      counts,
    }
  }

  async #open(): Promise<void> {
    const must = async (command: Command): Promise<Reply> => {
      const [reply] = await this.#computer.submit([command])
      if (reply === undefined || reply.kind === 'refused') throw new Error(`refused: ${text(command)} ${text(reply)}`)
      this.#floor.heed(command, reply)
      return reply
    }
    await openMarkets(must)
    await admit(this.#floor, must, this.#isBusy ? 6 : 8 + this.#random.below(14), this.#isBusy)
    if (this.#random.happens(0.7)) {
      for (let coin = 0; coin < coinListings.length; coin++) {
        await must({ kind: 'fund-house', account: 'insurance', coin, amount: (10n ** 14n) as never })
      }
    }
  }

  /** Time passes; timers run on the way. */
  async #pass(pace: number): Promise<void> {
    const random = this.#random
    if (random.happens(0.4)) return
    const ms = random.happens(0.02) ? random.below(3 * hourMs) : random.below(pace)
    await this.#moveClock(ms)
  }

  async #moveClock(ms: number): Promise<void> {
    try {
      // In steps, so that timers that do not end are found.
      for (let left = ms; left > 0 && this.#watch.faults.length === 0; left -= minuteMs) {
        await this.#computer.runtime.advance(Math.min(left, minuteMs))
      }
    } catch (error) {
      if (!this.#computer.down) throw error
      await this.#restart({ from: this.#watch.last, submissions: [[{ kind: 'run-timers' }]] })
    }
  }

  /** Several who do something at once. */
  async #round(): Promise<void> {
    const floor = this.#floor
    const random = this.#random
    floor.look((query) => this.#computer.runtime.query(query))
    const submissions: Command[][] = []
    if (this.#retries.length > 0) {
      const retries = this.#retries.splice(0)
      for (let times = 1 + random.below(random.happens(0.1) ? 100 : 5); times > 0; times--) submissions.push(retries)
    }
    let poisons = false
    for (let count = 1 + random.below(6); count > 0; count--) {
      const commands: Command[] = []
      for (let length = 1 + random.below(random.pick(this.#isBusy ? [100, 200] : [2, 10, 30])); length > 0; length--) {
        commands.push(this.#command())
        if (random.happens(this.#isBusy ? 0.00001 : 0.00015)) {
          poisons = true
          commands.push(this.#poison())
        }
      }
      submissions.push(commands)
    }
    if (poisons) this.#keepBase()
    await this.#submit(submissions)
    if (poisons && !this.#computer.down) this.#compareWithTwin('after a command that broke the engine')
  }

  #command(): Command {
    const random = this.#random
    const kind = random.below(1000)
    if (this.#isBusy) {
      if (kind < 4) return this.#indexPrices.next()
      return kind < 5 ? this.#operators.next() : this.#randomTraders.nextBusy()
    }
    if (kind < 35) return this.#indexPrices.next()
    if (kind < 42) return this.#operators.next()
    return this.#randomTraders.next()
  }

  #poison(): Command {
    let command = this.#randomTraders.next()
    while (command.kind !== 'place-order') command = this.#randomTraders.next()
    return { ...command, clientOid: this.#floor.newId(`poison-${this.#random.below(8)}`) }
  }

  async #submit(submissions: readonly Command[][]): Promise<void> {
    const from = this.#watch.last
    const answers = await Promise.allSettled(submissions.map((commands) => this.#computer.submit(commands)))
    const unanswered: Command[][] = []
    answers.forEach((answer, index) => {
      const commands = submissions[index]
      if (answer.status === 'rejected') {
        if (!this.#computer.down) throw answer.reason
        unanswered.push(commands)
        return
      }
      if (unanswered.length > 0) this.#watch.fault('a submission was answered, and one before it was not')
      commands.forEach((command, place) => this.#floor.heed(command, answer.value[place]))
    })
    if (this.#computer.down) {
      await this.#restart({ from, submissions })
      this.#retries = unanswered.flat().filter(({ kind }) => kind === 'place-order' || kind === 'transfer')
    }
  }

  get #isBusy(): boolean {
    return this.#options.kind === 'busy'
  }

  /** Now and then something happens to a machine. */
  async #disturb(): Promise<void> {
    const random = this.#random
    const computer = this.#computer
    if (computer.down) return
    switch (random.weighed({ nothing: 3000, snapshot: 60, stop: 3, cut: 14, cutInSnapshot: 4, fault: 6 })) {
      case 'snapshot':
        return this.#snapshot()
      case 'stop':
        return this.#stop()
      case 'cut':
        if (computer.planned) return
        this.#keepBase()
        return computer.plan(1 + random.below(12), computer.anyEnd())
      case 'cutInSnapshot':
        if (computer.planned) return
        this.#keepBase()
        computer.plan(1 + random.below(25), computer.anyEnd())
        return this.#snapshot()
      case 'fault':
        if (computer.planned) return
        this.#keepBase()
        computer.plan(1 + random.below(20), random.pick(['EIO', 'ENOSPC', 'EMFILE', 'short']))
        return random.happens(0.4) ? this.#snapshot() : undefined
      default:
    }
  }

  async #snapshot(): Promise<void> {
    const { runtime } = this.#computer
    try {
      const { sequence } = await runtime.snapshot()
      this.#snapshots += 1
      this.#snapshotSequences.push(sequence)
      // Two are kept, and a replay never begins before the older one.
      const older = this.#snapshotSequences.at(-3)
      if (older !== undefined && this.#options.keepTape !== true)
        this.#watch.forget(Math.min(older, this.#base?.sequence ?? older))
    } catch {
      // The venue goes on without it.
    }
    if (this.#computer.down) await this.#restart()
  }

  /** An orderly end, which may meet a power cut as well. */
  async #stop(): Promise<void> {
    this.#keepBase()
    await this.#computer.runtime.stop().catch(() => {})
    await this.#restart()
  }

  #keepBase(): void {
    if (this.#base !== undefined) return
    const engine = this.#watch.current
    if (engine === undefined) return
    this.#base = { sequence: engine.sequence, state: Buffer.concat(engine.save()) }
  }

  async #restart(sent: Sent = { from: this.#watch.last, submissions: [] }): Promise<void> {
    const applied = this.#watch.last
    await this.#computer.lost()
    await this.#computer.start()
    this.#compareWhatIsThere(applied, sent)
    this.#compareWithTwin('after a restart')
    for (const fault of this.#computer.runtime.query({ kind: 'verify' }).faults) this.#watch.fault(fault)
    this.#floor.look((query) => this.#computer.runtime.query(query))
    this.#failOnFaults()
    if (this.#random.happens(0.3)) await this.#moveClock(this.#random.below(6 * hourMs))
  }

  /** What was sent is there from its beginning on, up to the end of a submission, and nothing else is. */
  #compareWhatIsThere(applied: number, { from, submissions }: Sent): void {
    const { sequence } = this.#computer.runtime
    const watch = this.#watch
    if (sequence < applied) watch.fault(`${applied} commands were applied, and ${sequence} are there`)
    const sent = submissions.flat()
    watch.since(from).forEach(({ command, reply }, index) => {
      if (reply !== undefined && !same(command, sent[index]))
        watch.fault(`command ${from + 1 + index} is not what was sent: ${text(command)} ${text(sent[index])}`)
    })
    const ends = new Set([0])
    let total = 0
    for (const commands of submissions) ends.add((total += commands.length))
    if (!ends.has(sequence - from))
      watch.fault(`half of a submission is there: ${sequence - from} of ${[...ends].join(', ')}`)
  }

  /** The state as it was kept, and all that was applied since then, without the crash. */
  #compareWithTwin(when: string): void {
    const base = this.#base
    this.#base = undefined
    const engine = this.#watch.current
    if (base === undefined || engine === undefined) return
    const twin = Engine.load([base.state], () => {})
    for (const { sequence, at, command, reply } of this.#watch.since(base.sequence)) {
      if (reply === undefined) twin.skip(sequence, at)
      else twin.apply(command, sequence, at)
    }
    if (!Buffer.concat(twin.save()).equals(Buffer.concat(engine.save())))
      this.#watch.fault(`${when} the state is not that of a twin`)
  }

  #loseHistory(): void {
    for (const fault of this.#history.faults) this.#watch.fault(fault)
    this.#history = this.#history.afterPowerLoss(this.#random)
  }

  async #look(): Promise<void> {
    const watch = this.#watch
    if (watch.last - this.#checkedAt >= checkEvery) {
      this.#checkedAt = watch.last
      watch.checkAll()
    }
    const { onHash } = this.#options
    if (onHash !== undefined && watch.last - this.#hashedAt >= hashEvery) {
      this.#hashedAt = watch.last
      onHash(watch.last, await this.#computer.runtime.stateHash())
    }
    this.#failOnFaults()
  }

  #failOnFaults(): void {
    const { faults } = this.#watch
    if (faults.length > 0) throw new LifeFailed(this.#options.seed, this.#watch, faults)
  }

  async #end(): Promise<void> {
    await this.#drain()
    this.#watch.checkAll()
    for (const fault of this.#history.faults) this.#watch.fault(fault)
    if (this.#history.events !== this.#watch.events || this.#history.recordedSequence !== this.#watch.last) {
      this.#watch.fault(
        `history has ${this.#history.events} events up to ${this.#history.recordedSequence}, the engine emitted ${this.#watch.events} up to ${this.#watch.last}`,
      )
    }
    this.#options.onHash?.(this.#watch.last, await this.#computer.runtime.stateHash())
    this.#failOnFaults()
  }

  async #drain(): Promise<void> {
    const { runtime } = this.#computer
    const { instruments } = runtime.query({ kind: 'catalog' })
    const categories = new Set(['MARGIN', ...instruments.map(({ category }) => category)] as const)
    // Whoever is in the middle of a change of mode is through with it.
    await this.#moveClock(2 * 60_000)
    for (const uid of this.#floor.uids) {
      for (const category of categories) {
        for (const speaks of ['v2', 'v3'] as const) {
          const all = { uid, interface: speaks, category, instrument: undefined } as const
          await this.#submit([
            [
              { kind: 'cancel-orders', ...all },
              { kind: 'cancel-triggers', ...all, kinds: [] },
            ],
          ])
        }
      }
    }
    for (const { uid } of this.#computer.runtime.query({ kind: 'accounts' })) {
      for (const wallet of walletTypes) {
        for (const { coin, held } of this.#computer.runtime.query({ kind: 'balances', uid, wallet })) {
          if (held !== 0n)
            this.#watch.fault(`everything is canceled, and ${uid} holds ${held} of coin ${coin} in ${wallet}`)
        }
      }
    }
    for (const { id } of instruments.filter(isFutures)) {
      const { markPrice } = this.#computer.runtime.query({ kind: 'prices', instrument: id })
      await this.#submit([[{ kind: 'deliver', instrument: id, price: markPrice }]])
    }
    for (const { coin, house } of this.#computer.runtime.query({ kind: 'verify' }).coins) {
      if (house['clearing'] !== 0n || house['isolatedMargin'] !== 0n) {
        this.#watch.fault(
          `every contract is delivered, and ${coin} has ${house['clearing']} in clearing and ${house['isolatedMargin']} in margins`,
        )
      }
    }
  }
}
