/**
 * One venue of the laboratory: its time in somebody's hands, and the way back to whatever was saved of it.
 *
 * Whole     all that a client can observe is saved and goes back together: engine, history, market data, keys, limits, simulated
 *           agents, what ids are made of
 * In turn   one control call at a time: each begins when the one before has ended
 * Settled   a call that moves time answers when history is written and pushes have left: a read behind it sees all
 * Source    lab.md §4.3, §4.4
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Api, SeededRandom, V3Dialect } from '../api/api.ts'
import type { History } from '../history/history.ts'
import type { Market } from '../market/market.ts'
import type { Configuration, MemoryKeyStore, OperatorPorts } from '../operator/operator.ts'
import { type Runtime, stateHashOf } from '../runtime/runtime.ts'
import type { PastTerms, Simulator } from '../simulator/simulator.ts'
import type { Stream } from '../stream/stream.ts'
import type { Branches } from './branches.ts'
import { type Fired, FiredTimers } from './fired.ts'
import type { LabJournal } from './journal-ring.ts'
import { LabRefusal } from './refusals.ts'
import type { Recorder } from './recording/recorder.ts'
import type { SavedVenue } from './saved.ts'
import { Traffic } from './traffic.ts'
import { Agenda } from './way/agenda.ts'
import type { Way } from './way/way.ts'

/** What a venue in memory is made of. */
export interface VenueParts {
  readonly url: string
  readonly runtime: Runtime
  readonly history: History
  readonly market: Market
  /** What its past is made of; undefined: it has none. */
  readonly past: PastTerms | undefined
  readonly keys: MemoryKeyStore
  readonly random: SeededRandom
  readonly api: Pick<Api, 'catalog' | 'save' | 'restore' | 'shut' | 'drop' | 'serve' | 'serveBeside'>
  readonly stream: Pick<Stream, 'take' | 'beginAnew' | 'gather' | 'pushAll' | 'check' | 'save' | 'restore'>
  readonly simulator: Simulator | undefined
  readonly v3Dialect: V3Dialect
  /** What it was told of its interface, and the seed that ids come from. */
  readonly configuration: Configuration
  /** What operator calls act on. */
  readonly ports: OperatorPorts
  /** Keys of the demo accounts, by role. */
  readonly demoKeys: () => Readonly<Record<string, DemoKey>>
  stop(): Promise<void>
}

export interface DemoKey {
  readonly uid: string
  readonly apiKey: string
  readonly secret: string
  readonly passphrase: string
}

export interface Moved {
  readonly now: number
  readonly fired: readonly Fired[]
}

/** Where time stops that is on its way. */
export interface End {
  holds(): boolean
  /** When it holds by time alone, if nothing else happens; undefined: it does not. */
  dueAt(): number | undefined
}

const never: End = { holds: () => false, dueAt: () => undefined }

/** Of a fast clock, real milliseconds. */
const tickMs = 10
/** Simulated time passes in steps like the simulator's own, longer ones over a long time. */
const stepMs = 250
const stepsMax = 600
const stepMsMax = 20_000

export class LabVenue {
  readonly id: string
  readonly parts: VenueParts
  readonly #fired = new FiredTimers()
  /** What the newest commands came to. */
  readonly told: LabJournal
  /** What stands around its calls. */
  readonly way: Way
  readonly agenda: Agenda
  readonly traffic: Traffic
  /** Undefined where a recording is played. */
  readonly recorder: Recorder | undefined
  /** Where it is on disk; undefined: nowhere. */
  readonly kept: Branches | undefined
  readonly #ending = new AbortController()
  #turn: Promise<unknown> = Promise.resolve()
  #ticking: { readonly speed: number; readonly timer: NodeJS.Timeout } | undefined

  /** `told` is a consumer of the runtime's already. */
  constructor(
    id: string,
    parts: VenueParts,
    {
      told,
      way,
      recorder,
      kept,
    }: {
      readonly told: LabJournal
      readonly way: Way
      readonly recorder?: Recorder | undefined
      readonly kept?: Branches | undefined
    },
  ) {
    this.recorder = recorder
    this.id = id
    this.parts = parts
    this.told = told
    this.way = way
    this.agenda = new Agenda({
      now: () => parts.runtime.now(),
      isFrozen: () => parts.runtime.clock.steered?.isFrozen === true,
      carriedOut: () => this.carriedOut(),
      inTurn: (work) => this.inTurn(work),
    })
    this.traffic = new Traffic(() => parts.runtime.now())
    way.add(this.traffic)
    this.kept = kept
    kept?.saveBy(() => this.save())
    parts.runtime.addConsumer(this.#fired)
  }

  /** Aborted when the venue stops: whoever waits leaves. */
  get ending(): AbortSignal {
    return this.#ending.signal
  }

  get clock(): { readonly mode: 'system' | 'manual'; readonly speed: number } {
    const isFrozen = this.parts.runtime.clock.steered?.isFrozen === true
    return { mode: isFrozen ? 'manual' : 'system', speed: this.#ticking?.speed ?? (isFrozen ? 0 : 1) }
  }

  /** Runs when all that was asked before has ended. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work).finally(() => this.#noteClock())
    this.#turn = done.catch(() => {})
    return done
  }

  /** A clock that ticks fast is noted when it stops. */
  #noteClock(): void {
    const { steered } = this.parts.runtime.clock
    if (this.kept === undefined || steered === undefined || this.#ticking !== undefined) return
    const now = this.parts.runtime.now()
    this.kept.noteClock({ frozen: steered.isFrozen, now: steered.isFrozen ? now : 0, ahead: steered.ahead })
  }

  /** `onMoment` is called at the moment that is saved, between two commands. */
  async save(onMoment?: () => void): Promise<SavedVenue> {
    const { runtime, history, market, keys, random, api, stream, simulator } = this.parts
    await simulator?.stop()
    try {
      await this.agenda.settled()
      // All of it within one turn of the event loop; history takes what is recorded by now.
      const saved = runtime.save()
      onMoment?.()
      const place = this.kept?.placeAt(saved.sequence)
      const historySaved = history.save()
      const others = {
        market: market.save(),
        past: this.parts.past,
        keys: keys.save(),
        random: random.save(),
        api: api.save(),
        stream: stream.save(),
        simulator: simulator?.save(),
        told: this.told.mark(),
        way: this.way.save(),
        agenda: this.agenda.save(),
      }
      const stateHash = await stateHashOf(saved.state)
      const inHistory = await historySaved
      const bytes = saved.state.reduce((sum, chunk) => sum + chunk.length, inHistory.bytes.length)
      const whole = { runtime: saved, history: inHistory, ...others, stateHash, bytes }
      if (place !== undefined) this.kept?.remember(whole, place)
      return whole
    } finally {
      this.#resumeSimulator()
    }
  }

  /** Answers how many commands were under way: their senders are told that their outcome is unknown. */
  async goBack(saved: SavedVenue, sockets: 'close' | 'keep', keepRules = false): Promise<number> {
    const { runtime, history, market, keys, random, api, stream, simulator } = this.parts
    const branch = await this.kept?.branch(saved)
    await simulator?.stop()
    try {
      let waited = 0
      const unknown = await runtime.goBack(saved.runtime, async () => {
        await branch?.turn()
        await history.restore(saved.history)
        market.restoreFrom(saved.market)
        keys.goBackTo(saved.keys)
        random.restore(saved.random)
        api.restore(saved.api)
        stream.restore(saved.stream)
        if (saved.simulator !== undefined) simulator?.restore(saved.simulator)
        this.told.goBackTo(saved.told)
        this.agenda.clear()
        waited = this.way.restore(saved.way, keepRules)
        this.#fired.forget()
        this.agenda.restore(saved.agenda)
        await stream.beginAnew(sockets)
        this.recorder?.beganAnew({ ...saved, way: this.way.save() })
      })
      return unknown + waited
    } finally {
      this.agenda.arm()
      this.#resumeSimulator()
    }
  }

  /** Time stands still, and with it the simulated market. */
  async freeze(): Promise<void> {
    this.#stopTicking()
    await this.parts.simulator?.stop()
    this.parts.runtime.freeze()
    this.agenda.arm()
  }

  /** Time goes on as the system's does, from where it stands. */
  thaw(): void {
    this.#stopTicking()
    this.parts.runtime.thaw()
    this.agenda.arm()
    this.#resumeSimulator()
  }

  /** So many milliseconds of the venue pass in one real millisecond; zero freezes, one thaws. */
  async speed(speed: number): Promise<void> {
    if (speed === 1) return this.thaw()
    await this.freeze()
    if (speed === 0) return
    let lastMs = performance.now()
    let left = 0
    let isWalking = false
    const walk = async (ms: number) => {
      isWalking = true
      try {
        await this.inTurn(() => this.#walk(ms))
      } catch {
        // The runtime has said why a timer could not run; the next tick tries again.
      } finally {
        isWalking = false
      }
    }
    const tick = () => {
      const nowMs = performance.now()
      left += (nowMs - lastMs) * speed
      lastMs = nowMs
      // A venue that cannot keep up makes up for it with the next step, and nothing piles up meanwhile.
      if (isWalking || left < 1) return
      const whole = Math.floor(left)
      left -= whole
      void walk(whole)
    }
    this.#ticking = { speed, timer: setInterval(tick, tickMs).unref() }
  }

  /** On a frozen clock: so much time passes, with all that falls due on the way, until `end` holds: after a command, or by time. */
  async advance(ms: number, end?: End): Promise<Moved> {
    if (this.clock.mode === 'system') {
      throw new LabRefusal(409, 'clock-not-manual', 'the clock follows the system: freeze it first, {"freeze": true}')
    }
    this.#fired.begin()
    this.agenda.moveBy(ms)
    try {
      await this.#walk(ms, end)
    } finally {
      this.agenda.moveBy(0)
    }
    return { now: this.parts.runtime.now(), fired: this.#fired.take() }
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    this.recorder?.stop()
    this.#stopTicking()
    this.agenda.stop()
    // A port is closed when all that came is answered.
    this.way.close()
    await this.parts.stop()
  }

  async #walk(ms: number, end: End = never): Promise<void> {
    const { runtime, simulator } = this.parts
    const length = simulator === undefined ? ms : Math.min(stepMsMax, Math.max(stepMs, Math.ceil(ms / stepsMax)))
    const target = runtime.now() + ms
    do {
      const now = runtime.now()
      const dueAt = end.dueAt() ?? target
      const nextAt = this.agenda.nextAt ?? target
      const step = Math.min(target - now, length, dueAt > now ? dueAt - now : length, Math.max(0, nextAt - now))
      // On the way to what is planned the planned commands say how far time has come.
      const isPassing = now + step === nextAt && nextAt < target && nextAt !== dueAt
      await runtime.advance(step, () => end.holds(), isPassing)
      if (!end.holds()) await this.agenda.runDue(() => end.holds())
      const passed = runtime.now() - now
      if (simulator !== undefined && passed > 0 && !end.holds()) await simulator.step(passed)
    } while (runtime.now() < target && !end.holds())
    await this.settle()
  }

  /** What was sent is carried out, and what its senders sent behind it. */
  async carriedOut(): Promise<void> {
    const { runtime } = this.parts
    do {
      await runtime.idle()
      // Whoever was answered sends the next command in this turn.
      await nextTurn()
    } while (!runtime.isIdle)
  }

  /** History is written, and pushes have left. */
  async settle(): Promise<void> {
    const { history, stream } = this.parts
    await history.flush()
    // What was recorded in this turn leaves at its end.
    await nextTurn()
    stream.pushAll()
    await nextTurn()
    stream.check()
  }

  #resumeSimulator(): void {
    if (this.clock.mode === 'system' && !this.ending.aborted) this.parts.simulator?.run()
  }

  #stopTicking(): void {
    clearInterval(this.#ticking?.timer)
    this.#ticking = undefined
  }
}
