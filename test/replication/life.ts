/**
 * One seed of the whole: three cores, three gateways and a history, which trade while everything goes wrong; then it heals, and
 * what must hold is looked at. Nothing in it is real but the code of src/replication, the sequencer, and where a core begins in the log.
 *
 * Removed  what is old, from the log, all the time: a core that was away for long, or lost its disk, begins with another one's state
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { LogBeginsLater, placeOf } from '../../src/cluster/log-place.ts'
import type { Command } from '../../src/engine/protocol/command.ts'
import { upgradeRules } from '../../src/cluster/rules-upgrade.ts'
import { RulesBeyond } from '../../src/engine/protocol/rules.ts'
import { MemoryJournal, MemorySnapshots } from '../../src/journal/journal.ts'
import {
  CoreLinks,
  decodeMessage,
  type FrameDown,
  type FrameUp,
  LogBroken,
  type LogEnd,
  type LogHolder,
  LogRemoval,
  logStart,
  type ProcessAbout,
  readNext,
  RemoteCore,
  ReplicaOdd,
  ReplicatedCore,
  ToldLog,
} from '../../src/replication/replication.ts'
import { CommandNotSequenced, OutcomeUnknown, type Trace } from '../../src/runtime/core.ts'
import { decodeCommand, EngineDriver, PoisonedCommands } from '../../src/runtime/parts.ts'
import { silentLog, type StateMachine, type StateMachineClass } from '../../src/runtime/ports.ts'
import { alice, brokenCoin, deposit } from '../runtime/small-engine.ts'
import {
  bitFlipped,
  earlierRelease,
  engineWith,
  type Flaw,
  idOf,
  laterRelease,
  seenIn,
  stateOf,
} from './chain-engine.ts'
import { SimulatedLog } from './simulated-log.ts'
import { Process, World } from './world.ts'

/** As the carrier of a real link does it. */
const pingMs = 150
const silenceMsMax = 500

/** In place of minutes and days. */
const keepMs = 400
const waitMs = 700
const removeEveryMs = 150
const snapshotEvery = 8
const placesMax = 60

const troubledMs = 3_000
const healingMs = 4_000

export interface LifeCounts {
  commands: number
  answered: number
  refused: number
  unknown: number
  claims: number
  skips: number
  kills: number
  resigned: number
  barriers: number
  /** Changes of the rules that stand, those that were refused, and processes that met rules beyond theirs. */
  upgrades: number
  upgradesRefused: number
  beyond: number
  /** Messages that were removed from the log. */
  removed: number
  /** Cores that began with the state of another. */
  begunAnew: number
}

/**
 * Throws what does not hold. `upgraded`: processes begin with releases of other rules, are started anew with the later one, and
 * somebody has the venue go by its rules, sometimes too early.
 */
export async function live(seed: number, { upgraded = false } = {}): Promise<LifeCounts> {
  const life = new Life(seed, upgraded)
  try {
    return await life.run()
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
  }
}

class Life {
  readonly world: World
  readonly log: SimulatedLog
  readonly cores: SimulatedCore[]
  readonly gateways: SimulatedGateway[]
  /** How often, of a hundred, a core does not hear what another one has stored. */
  readonly unheardPercent: number
  /** Pairs of a gateway and a core that cannot reach each other. */
  readonly apart = new Set<string>()
  readonly counts: LifeCounts = {
    commands: 0,
    answered: 0,
    refused: 0,
    unknown: 0,
    claims: 0,
    skips: 0,
    kills: 0,
    resigned: 0,
    barriers: 0,
    upgrades: 0,
    upgradesRefused: 0,
    beyond: 0,
    removed: 0,
    begunAnew: 0,
  }
  readonly answers: { readonly ids: readonly number[]; readonly seen: readonly (string | undefined)[] }[] = []
  readonly refusals: number[] = []
  readonly faults: string[] = []
  /** The highest sequence that anybody was answered. */
  answeredThrough = 0
  /** What the history has written for good. */
  written = 0
  id = 0
  readonly #upgraded: boolean

  constructor(seed: number, upgraded: boolean) {
    this.world = new World(seed)
    this.#upgraded = upgraded
    this.log = new SimulatedLog(this.world)
    this.unheardPercent = this.world.random.pick([0, 10, 100])
    this.cores = [0, 1, 2].map((number) => new SimulatedCore(this, `core ${number}`))
    this.gateways = [0, 1, 2, 3].map(
      (number) => new SimulatedGateway(this, number === 3 ? 'history' : `gateway ${number}`),
    )
  }

  async run(): Promise<LifeCounts> {
    const { world } = this
    const { random } = world
    this.log.lossPerMille = random.pick([0, 0, 5, 30])
    const processes = [...this.cores, ...this.gateways]
    if (this.#upgraded) this.#upgradeAll(processes)
    for (const process of processes) process.start()
    for (const gateway of this.gateways) if (gateway.name !== 'history') gateway.trade()
    this.#write()
    const troubles = random.below(10)
    for (let trouble = 0; trouble < troubles; trouble++) world.after(random.below(troubledMs), () => this.#strike())
    await world.runUntil(troubledMs)
    this.#heal()
    await world.runUntil(troubledMs + healingMs)
    const last = this.gateways.filter(({ name }) => name !== 'history').map((gateway) => gateway.submit([this.sound()]))
    await world.runUntil(troubledMs + healingMs + 1_000)
    assert.deepEqual(this.faults, [])
    assert.equal(
      last.filter((submitted) => submitted.isAnswered).length,
      last.length,
      'a healed venue answers everybody',
    )
    await world.runUntil(troubledMs + healingMs + 1_100)
    this.#look()
    return this.counts
  }

  /** Some are of the later release from the start, others later; whoever leads is told now and then to go by its rules. */
  #upgradeAll(processes: readonly (SimulatedCore | SimulatedGateway)[]): void {
    const { world } = this
    const { random } = world
    for (const process of processes) {
      if (random.below(3) === 0) process.release = laterRelease
      else world.after(random.below(troubledMs), () => process.takeRelease())
    }
    for (let asked = 0; asked < 6; asked++) {
      world.after(random.below(troubledMs), () => this.cores.find(({ leads }) => leads)?.upgrade(random.below(4) === 0))
    }
    world.after(troubledMs + healingMs - 1_000, () => this.cores.find(({ leads }) => leads)?.upgrade(false))
  }

  /** Who needs something of the log. */
  holders(): LogHolder[] {
    const { written } = this
    return [
      ...this.cores.map(({ name, holds: told }) => ({ name, kind: 'core' as const, told })),
      { name: 'the database', kind: 'database', told: { through: written, reached: written } },
    ]
  }

  /** The database is away now and then. */
  #write(): void {
    const { world } = this
    const history = this.gateways.find(({ name }) => name === 'history')!
    const reached = Number(history.stateNow().split(' ')[0])
    if (!Number.isNaN(reached)) this.written = Math.max(this.written, reached)
    world.after(50 + world.random.below(300), () => this.#write())
  }

  next(): Command {
    const command = this.sound()
    if (this.world.random.below(400) > 0) return command
    return { kind: 'borrow', uid: alice, coin: brokenCoin, amount: BigInt(this.id) } as Command
  }

  sound(): Command {
    this.id += 1
    this.counts.commands += 1
    return deposit(alice, BigInt(this.id))
  }

  #strike(): void {
    const { world, log } = this
    const { random } = world
    const core = random.pick(this.cores)
    const gateway = random.pick(this.gateways)
    const forMs = 100 + random.below(2_500)
    const trouble = random.pick([
      'kill',
      'power',
      'gateway',
      'pause',
      'cut',
      'apart',
      'wall',
      'down',
      'flaw',
      'leader',
      'split',
      'resign',
      'lost',
    ])
    switch (trouble) {
      case 'kill':
        return core.restart(forMs, false)
      case 'leader':
        return (this.cores.find(({ leads }) => leads) ?? core).restart(forMs, false)
      case 'resign':
        return (this.cores.find(({ leads }) => leads) ?? core).resign()
      case 'power':
        return core.restart(forMs, true)
      case 'lost':
        return core.lose(forMs)
      case 'gateway':
        return gateway.restart(forMs)
      case 'pause':
        return random.pick([...this.cores, ...this.gateways]).process.pause(forMs)
      case 'cut':
        log.cutOff.add(core.name)
        return void world.after(forMs, () => log.cutOff.delete(core.name))
      case 'apart':
        this.apart.add(`${gateway.name} ${core.name}`)
        return void world.after(forMs, () => this.apart.delete(`${gateway.name} ${core.name}`))
      // Who led is cut off and does not know it; one gateway stays with it, the others find the next.
      case 'split': {
        const led = this.cores.find(({ leads }) => leads) ?? core
        log.cutOff.add(led.name)
        for (const other of this.gateways) if (other !== gateway) this.apart.add(`${other.name} ${led.name}`)
        return void world.after(1_500 + forMs, () => {
          log.cutOff.delete(led.name)
          for (const other of this.gateways) this.apart.delete(`${other.name} ${led.name}`)
        })
      }
      case 'wall':
        return core.process.setWall(random.pick([-3_600_000, 3_600_000, -5, 2_000]))
      case 'down':
        log.isDown = true
        return void world.after(forMs, () => (log.isDown = false))
      case 'flaw':
        // What breaks two engines is taken for the command's fault: two accidents with one command are beyond what is promised.
        if (core.isSound) core.flaw.breaksOnce = true
        return
    }
  }

  #heal(): void {
    this.log.cutOff.clear()
    this.log.isDown = false
    this.log.lossPerMille = 0
    this.apart.clear()
    for (const { flaw } of this.cores) flaw.breaksOnce = false
  }

  /** What must hold, by a replay of the log in an engine that nothing happens to. */
  #look(): void {
    const { log, counts } = this
    for (const [position, bytes] of log.acknowledged) {
      assert.deepEqual(Buffer.from(log.messages[position - 1]), Buffer.from(bytes), 'one winner for each position')
    }
    const messages = log.messages.map((bytes) => decodeMessage(bytes))
    const skipped = new Set<number>()
    for (const message of messages) {
      assert(typeof message === 'object', 'what stands in the log is a message')
      if (message.kind === 'skip') skipped.add(message.firstSequence)
      if (message.kind === 'claim') counts.claims += 1
    }
    counts.skips = skipped.size
    counts.removed = log.first - 1
    let end = logStart
    const places = new Map<number, number>()
    const states: string[] = ['0 0']
    const engine = new (engineWith({ breaksOnce: false }, laterRelease))(() => {})
    let flawedFrom = Number.POSITIVE_INFINITY
    for (const [index, bytes] of log.messages.entries()) {
      const read = readNext(end, index + 1, bytes)
      end = read.end
      if (index + 1 < log.first) assert(read.end.lastSequence <= this.written, 'what is removed was written before')
      for (const [place, record] of read.message.records.entries()) {
        const sequence = read.message.firstSequence + place
        const { command, at } = decodeCommand(record)
        const { rules } = engine
        if (command.kind !== 'upgrade-rules') {
          assert(!places.has(idOf(command)), `command ${idOf(command)} stands in the log twice`)
          places.set(idOf(command), sequence)
        }
        if (skipped.has(sequence)) {
          if (command.kind !== 'borrow') flawedFrom = Math.min(flawedFrom, sequence)
          engine.skip(sequence, at)
        } else engine.apply(command, sequence, at)
        if (engine.rules > rules) counts.upgrades += 1
        states.push(stateOf(engine))
      }
    }
    for (const { ids, seen } of this.answers) {
      const first = places.get(ids[0])
      assert(first !== undefined, `command ${ids[0]} was answered, and is not in the log`)
      for (const [place, state] of seen.entries()) {
        assert.equal(places.get(ids[place]), first + place, 'what was submitted together stands together')
        const expected: string | undefined = skipped.has(first + place) ? undefined : states[first + place]
        assert.equal(state, expected, `the answer to command ${ids[place]} is what the log says`)
      }
    }
    for (const id of this.refusals) assert(!places.has(id), `command ${id} was refused for good, and is in the log`)
    for (const { name, seen } of [...this.cores, ...this.gateways]) {
      for (const [sequence, state] of seen) {
        if (sequence < flawedFrom) assert.equal(state, states[sequence], `${name} at ${sequence}`)
      }
    }
    for (const { name, stateNow } of [...this.cores, ...this.gateways]) {
      assert.equal(stateNow(), states.at(-1), `${name} at the end`)
    }
    assert.deepEqual(this.faults, [])
  }
}

function isRemoved(error: unknown): boolean {
  return error instanceof LogBroken && error.message.includes('removed')
}

/** A core with its disk, over its lives. */
class SimulatedCore {
  readonly name: string
  readonly #life: Life
  readonly seen: [number, string][] = []
  readonly flaw: Flaw = { breaksOnce: false }
  release = earlierRelease
  process: Process
  #journal = new MemoryJournal()
  #snapshots = new MemorySnapshots()
  /** Where in the log its file and its engine stood. */
  #places: readonly LogEnd[] = []
  #poisoned = PoisonedCommands.inMemory()
  #core: ReplicatedCore | undefined
  #links: CoreLinks | undefined
  #told: ToldLog | undefined
  #driver: EngineDriver | undefined
  /** What it has on its disk is all that it should have. */
  #isWhole = true

  constructor(life: Life, name: string) {
    this.#life = life
    this.name = name
    this.process = new Process(life.world, name)
  }

  get leads(): boolean {
    return this.#core?.leads !== undefined
  }

  /** What others hear of it. */
  get about(): ProcessAbout {
    return { process: this.name, release: `r${this.release.newest}`, rules: this.release }
  }

  /** The venue is to go by the newest rules of this core's release; `anyway`: without asking who could. */
  upgrade(anyway: boolean): void {
    const life = this.#life
    const core = this.#core!
    const others = life.cores.filter((other) => other !== this)
    const submit = async (command: Command, trace?: Trace) => (await core.submitAll([command], trace))[0]
    const { newest } = this.release
    if (anyway) return void submit({ kind: 'upgrade-rules', rules: newest, release: 'r' }).catch(() => {})
    upgradeRules({
      own: this.about,
      leads: () => this.leads,
      rules: () => this.#driver!.rules,
      peers: others.map(({ name }) => name),
      heard: new Map(others.filter(({ process }) => process.isAlive).map(({ name, about }) => [name, about])),
      followers: () => this.#links!.processes,
      submit,
    }).catch((error: unknown) => {
      if ((error as Error).message.startsWith('the venue stays at rules 1: ')) life.counts.upgradesRefused += 1
    })
  }

  /** Started anew with the later release. */
  takeRelease(): void {
    if (this.release === laterRelease) return
    this.release = laterRelease
    this.restart(100, false)
  }

  /** What it cannot write it will hear of, as everybody does. */
  resign(): void {
    this.#life.counts.resigned += 1
    void this.#core?.resign().catch(() => {})
  }

  stateNow = () => (this.#driver?.hasEngine ? stateOf(this.#driver.engine) : `none, ${this.name}`)

  restart(forMs: number, losesPower: boolean): void {
    this.#life.counts.kills += 1
    this.process.kill()
    this.#core = undefined
    this.#links = undefined
    if (losesPower) {
      const { lastSequence } = this.#journal
      const lost = this.#life.world.random.below(20)
      // Less than is kept of the log.
      const kept = this.#placeKept?.lastSequence ?? lastSequence
      const least = Math.max(kept, this.#snapshots.mark()[0]?.sequence ?? 0)
      this.#journal.goBackTo(this.#journal.mark(Math.max(least, lastSequence - lost)))
    }
    const process = this.process
    this.#life.world.after(forMs, () => {
      if (process === this.process) this.start()
    })
  }

  /** With all that it has, unless nobody else could go on from what he has. */
  lose(forMs: number): void {
    if (this.#others.some((other) => other.#canGoOn)) this.#empty()
    this.restart(forMs, false)
  }

  /** Its engine is beyond what broke one here. */
  get isSound(): boolean {
    const driver = this.#driver
    return driver !== undefined && driver.hasEngine && driver.sequence >= (this.flaw.brokeOn ?? 0)
  }

  get #canGoOn(): boolean {
    return this.#isWhole && (this.#life.log.first === 1 || this.#placeKept !== undefined)
  }

  /** The first place that is left of the log and that its file reaches; what the file lost may have been further. */
  get #placeKept(): LogEnd | undefined {
    const { first } = this.#life.log
    const { lastSequence } = this.#journal
    return this.#places.find((place) => place.position >= first && place.lastSequence <= lastSequence)
  }

  get #others(): readonly SimulatedCore[] {
    return this.#life.cores.filter((other) => other !== this)
  }

  #empty(): void {
    this.#isWhole = false
    this.#journal = new MemoryJournal()
    this.#snapshots = new MemorySnapshots()
    this.#places = []
    this.#poisoned = PoisonedCommands.inMemory()
  }

  /** What of the log it needs, as others ask it; undefined: it does not answer. */
  get holds() {
    if (!this.process.isAlive || this.#core === undefined) return undefined
    return { through: this.#snapshots.mark().at(-1)?.sequence ?? 0, reached: this.#core.sequence }
  }

  /** From another core that is there. */
  #beginAnew(): boolean {
    const other = this.#others.find((core) => core.#isWhole && core.#core !== undefined && core.process.isAlive)
    if (other === undefined) return false
    this.#life.counts.begunAnew += 1
    this.#empty()
    this.#journal.goBackTo(other.#journal.mark(other.#journal.lastSequence))
    this.#snapshots.goBackTo(other.#snapshots.mark())
    this.#places = other.#places
    this.#poisoned.goBackTo(other.#poisoned.list())
    return true
  }

  start(): void {
    const { world, log } = this.#life
    const process = (this.process = new Process(world, this.name))
    const reached = log.for(process)
    const again = () =>
      void process.after(100, () => {
        if (process === this.process) this.start()
      })
    placeOf(reached, this.#journal, this.#places).then(
      (end) => {
        if (!process.isAlive) return
        this.#isWhole = true
        this.#open(end)
      },
      (error: unknown) => {
        if (!process.isAlive) return
        if (error instanceof LogBeginsLater) this.#beginAnew()
        // The log could not be reached, or what it was asked for was removed meanwhile.
        else if (error instanceof LogBroken && !isRemoved(error)) this.#life.faults.push(String(error.stack))
        again()
      },
    )
  }

  #stand(driver: EngineDriver, end: LogEnd, appliedThrough: number): void {
    if (!driver.hasEngine || driver.sequence !== end.lastSequence || this.#journal.lastSequence < end.lastSequence)
      return
    this.#places = [...this.#places, end].slice(-placesMax)
    if (appliedThrough === driver.sequence) this.#keep(driver, end)
  }

  /** Of the state after a command that the core that leads has carried out: nobody passes over it any more. */
  #keep(driver: EngineDriver, end: LogEnd): void {
    const newest = this.#snapshots.mark()[0]?.sequence ?? 0
    if (end.lastSequence < newest + snapshotEvery) return
    const saved = driver.engine.save()
    const hash = createHash('sha256')
    for (const chunk of saved) hash.update(chunk)
    const head = Buffer.alloc(8)
    head.writeDoubleLE(end.lastAt)
    const snapshots = this.#snapshots
    void snapshots.save(end.lastSequence, hash.digest('hex'), [head, ...saved])
  }

  /** The newest snapshot, and what the file has behind it. */
  async #stateAt(sequence: number, engineClass: StateMachineClass, emit: () => void): Promise<StateMachine> {
    const snapshot = this.#snapshots.mark().find((kept) => kept.sequence <= sequence)
    const chunks = snapshot === undefined ? [] : await Array.fromAsync(snapshot.chunks())
    const engine = snapshot === undefined ? new engineClass(emit) : engineClass.load(chunks.slice(1), emit)
    const { breaksOnce } = this.flaw
    this.flaw.breaksOnce = false
    while (engine.sequence < sequence) {
      const next = engine.sequence + 1
      const { command, at } = decodeCommand(this.#journal.at(next)!)
      if (this.#poisoned.has(next, command.kind, at)) engine.skip(next, at)
      else engine.apply(command, next, at)
    }
    this.flaw.breaksOnce = breaksOnce
    return engine
  }

  #open(begin: LogEnd): void {
    const { world, log } = this.#life
    const { process } = this
    const engineClass = engineWith(this.flaw, this.release)
    const record = (sequence: number) => this.seen.push([sequence, stateOf(driver.engine)])
    const driver = new EngineDriver([{ record }])
    this.#driver = driver
    const snapshots = this.#snapshots
    driver
      .install((emit) => this.#stateAt(begin.lastSequence, engineClass, emit as () => void))
      .catch((error: unknown) => {
        if (process !== this.process) return
        if (error instanceof RulesBeyond) this.#endBeyond()
        // Its file breaks an engine, and the log says nothing of that any more: it begins anew, as an odd one does.
        else this.lose(100)
      })
    const journal = this.#journal
    const shared = log.for(process)
    const told = new ToldLog(shared, process)
    this.#told = told
    const removal = new LogRemoval({
      log: shared,
      timers: process,
      leads: () => core.leads !== undefined,
      end: () => core.end,
      holders: () => process.reach(3, () => this.#life.holders()),
      keepMs,
      waitMs,
    })
    const remove = () => {
      if (process !== this.process) return
      removal.look().catch((error: unknown) => {
        if (error instanceof LogBroken && !isRemoved(error)) this.#life.faults.push(String(error.stack))
      })
      process.after(removeEveryMs, remove)
    }
    process.after(removeEveryMs, remove)
    const links = new CoreLinks({
      about: this.about,
      rules: () => driver.rules,
      submitAll: (commands, trace) => core.submitAll(commands, trace),
      passedOver: this.#poisoned.list().map(({ sequence }) => sequence),
      sequence: () => driver.sequence,
      committed: () => core.end.lastSequence,
      fresh: () => core.fresh(),
      save: () => ({ sequence: driver.sequence, lastAt: core.end.lastAt, chunks: driver.engine.save() }),
    })
    let leaderApplied = 0
    const core = new ReplicatedCore(begin, {
      engineClass,
      snapshots,
      poisoned: this.#poisoned,
      driver,
      log: silentLog,
      journal: new Proxy(journal, {
        get: (of, name) => {
          if (name === 'append') {
            return (first: number, payloads: readonly Uint8Array[]) =>
              process.reach(world.random.below(3), () => of.append(first, payloads))
          }
          const value = Reflect.get(of, name, of) as unknown
          return typeof value === 'function' ? value.bind(of) : value
        },
      }),
      shared: told,
      timers: process,
      rules: this.release,
      name: this.name,
      wallNow: () => process.wallNow(),
      random: (bound) => world.random.below(bound),
      originsOf: (first, records) => links.originsOf(first, records),
      told: {
        stored: (position, bytes) => {
          if (process.isAlive)
            for (const other of this.#life.cores) if (other !== this) this.#tell(other, position, bytes)
        },
        committed: ({ kind, firstSequence, records, origins, appliedThrough }) => {
          if (!process.isAlive) return
          if (kind === 'batch') links.committed({ firstSequence, records, origins })
          if (kind === 'skip') links.skipped(firstSequence)
          leaderApplied = appliedThrough
        },
        taken: (end) => {
          if (process.isAlive) this.#stand(driver, end, leaderApplied)
        },
        applied: (sequence) => {
          links.applied(sequence)
          if (process.isAlive && core.leads !== undefined) this.#stand(driver, core.end, sequence)
        },
        leads: (epoch) => links.leads(epoch),
        follows: () => links.follows(),
        takenBack: () => {},
      },
    })
    core.ended.catch((error: unknown) => {
      if (!process.isAlive) return
      // An engine that breaks while it is rebuilt ends the process, which reads its disk again.
      if ((error as Error).message === bitFlipped) return this.restart(100, false)
      // It was away for longer than the log is kept.
      if (isRemoved(error)) return this.restart(100, false)
      // Begins anew from what others have: its own is not to be trusted.
      if (error instanceof ReplicaOdd) this.lose(100)
      else if (error instanceof RulesBeyond) this.#endBeyond()
      else this.#life.faults.push(`${this.name} ended: ${String((error as Error).stack)}`)
    })
    this.#core = core
    this.#links = links
  }

  /** Late, twice, out of order or not at all. */
  #tell(other: SimulatedCore, position: number, bytes: Uint8Array): void {
    const { world, unheardPercent } = this.#life
    const { random } = world
    const message = Uint8Array.from(bytes)
    for (let times = random.below(50) === 0 ? 2 : 1; times > 0; times--) {
      if (random.below(100) < unheardPercent) continue
      const { process } = other
      world.after(random.below(random.below(20) === 0 ? 2_000 : 6), () =>
        process.enter(() => other.#told?.tell(position, message)),
      )
    }
  }

  /** Its release does not apply what the venue goes by: somebody starts the later one. */
  #endBeyond(): void {
    this.#life.counts.beyond += 1
    if (this.release === laterRelease) this.#life.faults.push(`${this.name} met rules beyond the later release`)
    this.takeRelease()
  }

  /** A gateway connects: the two ends of a connection, on which frames come in order, some twice. */
  connect(
    gateway: SimulatedGateway,
    take: (frame: FrameDown) => void,
    over: () => void,
    tellLog: (silentMs: number) => void,
  ) {
    const { world, apart } = this.#life
    const [up, down] = [gateway.process, this.process]
    const links = this.#links
    const isApart = () => apart.has(`${gateway.name} ${this.name}`)
    let isBroken = !down.isAlive || links === undefined || isApart()
    const breakIt = () => {
      if (isBroken) return
      isBroken = true
      up.after(world.random.below(600), over)
      down.after(world.random.below(600), () => ends?.over())
    }
    const carrier = () => {
      let free = 0
      return (to: Process, call: () => void) => {
        if (isApart() || !to.isAlive) return breakIt()
        const times = world.random.below(50) === 0 ? 2 : 1
        for (let time = 0; time < times; time++) {
          free = Math.max(free, world.now + world.random.below(4))
          world.after(free - world.now, () => {
            if (isApart() || !to.isAlive || !up.isAlive || !down.isAlive) breakIt()
            else to.enter(call)
          })
        }
      }
    }
    const [carryUp, carryDown] = [carrier(), carrier()]
    const ends = isBroken
      ? undefined
      : links!.connect({
          send: (frame) => carryDown(up, () => take(frame)),
          end: () => void up.after(5, over),
        })
    if (isBroken) up.after(world.random.below(300), over)
    let heardMs = world.now
    const ping = () => {
      if (isBroken) return
      if (!isApart()) {
        down.enter(() => {
          const silentMs = this.#core?.silentMs
          up.enter(() => {
            heardMs = world.now
            if (silentMs !== undefined) tellLog(silentMs)
          })
        })
      }
      if (world.now - heardMs > silenceMsMax) breakIt()
      else world.after(pingMs, ping)
    }
    world.after(0, ping)
    return {
      send: (frame: FrameUp) => (ends === undefined ? undefined : carryUp(down, () => ends.take(frame))),
      end: breakIt,
    }
  }
}

/** A gateway over its lives; nothing of it survives one. */
class SimulatedGateway {
  readonly name: string
  readonly #life: Life
  readonly seen: [number, string][] = []
  release = earlierRelease
  process: Process
  #core: RemoteCore | undefined
  #next = 0
  stateNow = () => ''

  constructor(life: Life, name: string) {
    this.#life = life
    this.name = name
    this.process = new Process(life.world, name)
  }

  restart(forMs: number): void {
    this.#life.counts.kills += 1
    const process = this.process
    process.kill()
    this.#core = undefined
    this.#life.world.after(forMs, () => {
      if (process === this.process) this.start()
    })
  }

  start(): void {
    const life = this.#life
    const process = (this.process = new Process(life.world, this.name))
    const engineClass = engineWith({ breaksOnce: false }, this.release)
    let driver: EngineDriver | undefined
    let told = 0
    const record = (sequence: number) => {
      if (sequence !== told + 1) life.faults.push(`${this.name} was told ${sequence} behind ${told}`)
      told = sequence
      this.seen.push([sequence, this.stateNow()])
    }
    this.stateNow = () => (driver?.hasEngine ? stateOf(driver.engine) : 'none')
    const core = new RemoteCore({
      session: life.world.random.below(2 ** 31) + 1,
      about: { process: this.name, release: `r${this.release.newest}`, rules: this.release },
      onUnfit: () => {
        if (!process.isAlive) return
        life.counts.beyond += 1
        if (this.release === laterRelease) life.faults.push(`${this.name} met rules beyond the later release`)
        this.takeRelease()
      },
      timers: process,
      leaderWaitMs: 2_500,
      replyTimeoutMs: 10_000,
      onUseless: () => void process.after(50, () => this.#connect(core)),
      replica: {
        get sequence() {
          return driver?.sequence
        },
        prefetch: (commands, from) => driver!.prefetch(commands, from),
        apply: (command, sequence, at) => driver!.apply(command, sequence, at),
        skip: (sequence, at) => driver!.skip(sequence, at),
        begin: ({ sequence, chunks }) => {
          told = sequence
          driver = new EngineDriver([{ record }])
          driver.replace((emit) => engineClass.load(chunks, emit))
        },
        applied: () => {},
      },
    })
    this.#core = core
    this.#connect(core)
  }

  /** Started anew with the later release. */
  takeRelease(): void {
    if (this.release === laterRelease) return
    this.release = laterRelease
    this.restart(100)
  }

  #connect(core: RemoteCore): void {
    const process = this.process
    if (core !== this.#core) return
    const to = this.#life.cores[this.#next++ % this.#life.cores.length]
    const link = to.connect(
      this,
      (frame) => core.take(link, frame),
      () => {
        const wasUsed = core.disconnected(link)
        if (wasUsed) process.after(20 + this.#life.world.random.below(100), () => this.#connect(core))
      },
      (silentMs) => core.tellLog(link, silentMs),
    )
    core.connected(link)
  }

  trade(): void {
    const { world } = this.#life
    const { random } = world
    world.after(20 + random.below(220), () => {
      if (world.now > troubledMs) return
      if (random.below(4) === 0) this.#read()
      else this.submit(random.below(8) === 0 ? [this.#life.next(), this.#life.next()] : [this.#life.next()])
      this.trade()
    })
  }

  submit(commands: readonly Command[]): { isAnswered: boolean } {
    const life = this.#life
    const { process } = this
    const ids = commands.map(idOf)
    const submitted = { isAnswered: false }
    if (this.#core === undefined || !process.isAlive) return submitted
    this.#core.submitAll(commands).then(
      (replies) => {
        if (!process.isAlive) return
        submitted.isAnswered = true
        life.counts.answered += 1
        const seen = replies.map(seenIn)
        life.answers.push({ ids, seen })
        for (const state of seen) {
          if (state !== undefined) life.answeredThrough = Math.max(life.answeredThrough, Number(state.split(' ')[0]))
        }
      },
      (error: unknown) => {
        if (!process.isAlive) return
        if (error instanceof CommandNotSequenced) {
          life.counts.refused += 1
          life.refusals.push(...ids)
        } else if (error instanceof OutcomeUnknown) life.counts.unknown += 1
        else life.faults.push(String((error as Error).stack))
      },
    )
    return submitted
  }

  #read(): void {
    const life = this.#life
    const { process } = this
    const core = this.#core
    if (core === undefined || !process.isAlive) return
    const before = life.answeredThrough
    core.fresh().then(
      () => {
        const reached = Number(this.stateNow().split(' ')[0])
        // While the engine is being replaced questions are refused.
        if (!process.isAlive || Number.isNaN(reached)) return
        life.counts.barriers += 1
        if (reached < before) life.faults.push(`${this.name} reads at ${reached} what was answered at ${before}`)
      },
      () => {},
    )
  }
}
