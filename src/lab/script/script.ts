/**
 * Scripted makers: quotes and steps that a file says, in the venue's time. The door of the room.
 *
 *   read.ts  the file      plan.ts  what is read of it      quotes.ts  what a maker wants in its book
 *
 * Accounts  one for the steps' orders, one for their trades, and one for each maker: `lab-script-NAME`, `lab-script-NAME-taker`,
 *           `lab-script-NAME-maker-1`. The journal names them
 * When      at its moment each, behind the engine's timers and the market faults of that millisecond, before the simulated agents. Of
 *           one script makers come before steps, and steps in the order in which they are written
 * Refused   what the engine refuses is counted and changes nothing; the newest are told
 * Long      a move of the clock has so many refreshes of a maker at most: in longer ones it refreshes less often
 * Ends      when its steps are through, unless it has makers; its orders rest until somebody ends it
 * Saved     with the venue; a fork of the past begins without scripts
 * Source    lab.md §4.10
 */
import type { Instrument } from '../../engine/catalog/catalog.ts'
import { ticks } from '../../engine/numbers/numbers.ts'
import type { Command } from '../../engine/protocol/command.ts'
import type { Uid } from '../../engine/vocabulary.ts'
import type { Planned } from '../way/agenda.ts'
import { marketFaultsOf } from '../market-faults/market-faults.ts'
import { deposits, inDollars, limitOrder, parts, restingOf } from '../../house-book/house-book.ts'
import { cancelOf, houseAccount } from '../market/house.ts'
import { play, reasonOf } from '../rehearsal.ts'
import { LabRefusal } from '../refusals.ts'
import type { LabVenue } from '../venue.ts'
import type { Action, Plan } from './plan.ts'
import { quotes } from './quotes.ts'
import { readScript, type ScriptFile } from './read.ts'

interface Script {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  readonly since: number
  /** Of the steps' orders, of their trades, and of each maker. */
  readonly uid: Uid
  readonly takerUid: Uid
  readonly makerUids: readonly Uid[]
  /** When each maker looks again, Unix milliseconds. */
  readonly looksAt: readonly number[]
  /** Steps that are done. */
  readonly done: number
  readonly commands: number
  readonly refused: number
  /** The newest, in words. */
  readonly refusals: readonly string[]
}

interface SavedScripts {
  readonly counted: number
  readonly scripts: readonly Script[]
}

const nothing: SavedScripts = { counted: 0, scripts: [] }
const scriptsMax = 16
const refusalsKept = 10
/** How far from the mark a trade without a price goes, as a share of it. */
const tradeBand = 0.05

const opened = new WeakMap<LabVenue, Scripts>()

/** To be called once, behind the market faults. */
export function openScripts(venue: LabVenue): void {
  const scripts = new Scripts(venue)
  opened.set(venue, scripts)
  venue.agenda.add(scripts)
}

export function scriptsOf(venue: LabVenue): Scripts {
  const found = opened.get(venue)
  if (found === undefined) throw new Error('the scripts of this venue were never opened')
  return found
}

class Scripts implements Planned {
  readonly name = 'scripts'
  readonly #venue: LabVenue
  #scripts: readonly Script[] = []
  #counted = 0
  #underWay: Promise<unknown> | undefined

  constructor(venue: LabVenue) {
    this.#venue = venue
  }

  /** To be called in turn. What is due at once is done before it answers. Throws LabRefusal. */
  async begin(file: ScriptFile, called: string | undefined) {
    const plan = readScript(this.#venue, file)
    const running = this.#scripts.filter(isRunning)
    if (running.length >= scriptsMax) {
      throw new LabRefusal(409, 'scripts-max', `there are ${scriptsMax} scripts already: end one`)
    }
    const id = `p${this.#counted + 1}`
    const name = called ?? plan.name ?? id
    if (this.#scripts.some((script) => script.name === name)) {
      throw new LabRefusal(409, 'name-taken', `name: there is a script ${name}`, { field: 'name' })
    }
    const { instruments } = this.#venue.parts.runtime.query({ kind: 'catalog' })
    const ofSteps = [...new Set(plan.steps.flatMap(({ action }) => (action.kind === 'index' ? [] : action.instrument)))]
    const { sequences, facts } = await play(this.#venue, (rehearsal) => {
      const account = (label: string, of: readonly number[]) => {
        const uids = of.map((instrument) => houseAccount(rehearsal, label, instruments[instrument]))
        return uids[0] ?? 0
      }
      return {
        uid: account(`lab-script-${name}`, ofSteps),
        takerUid: account(`lab-script-${name}-taker`, ofSteps),
        makerUids: plan.makers.map(({ instrument }, at) => account(`lab-script-${name}-maker-${at + 1}`, [instrument])),
      }
    })
    this.#counted += 1
    const since = this.#venue.parts.runtime.now()
    const counts = { done: 0, commands: 0, refused: 0, refusals: [] }
    const script = { id, name, plan, since, ...facts, looksAt: plan.makers.map(() => since), ...counts }
    this.#scripts = [...this.#scripts, script]
    await this.#venue.agenda.runDue()
    this.#venue.agenda.arm()
    return { sequences, ...this.#shown(this.#find(id)) }
  }

  list() {
    return this.#scripts.map((script) => this.#shown(script))
  }

  /** Takes what rests of it away, too: of one by its id or name, or of all. To be called in turn. Throws LabRefusal. */
  async end(which?: string) {
    const ended = which === undefined ? this.#scripts : [this.#find(which)]
    const { runtime } = this.#venue.parts
    const { instruments } = runtime.query({ kind: 'catalog' })
    const commands = ended.flatMap((script) => {
      const pairs = [
        ...script.plan.steps.flatMap(({ action }) =>
          action.kind === 'index' ? [] : [[script.uid, action.instrument] as const],
        ),
        ...script.plan.makers.map(({ instrument }, at) => [script.makerUids[at], instrument] as const),
      ]
      const unique = new Map(pairs.map((pair) => [pair.join(' '), pair]))
      return [...unique.values()].flatMap(([uid, id]) => restingOf(runtime, uid, instruments[id]).map(cancelOf))
    })
    if (commands.length > 0) await runtime.submitAll(commands)
    await this.#venue.settle()
    this.#scripts = this.#scripts.filter((script) => !ended.includes(script))
    this.#venue.agenda.arm()
    return { ended: ended.map(({ id }) => id), cancelled: commands.length }
  }

  nextAt(leastMs: number): number | undefined {
    const now = this.#venue.parts.runtime.now()
    const moments = this.#scripts.flatMap(({ plan, since, looksAt, done }) => {
      const step = plan.steps[done]
      const looks = looksAt.map((at, place) => Math.max(at, at - plan.makers[place].refreshMs + leastMs))
      return [...looks, ...(step === undefined ? [] : [since + step.atMs])]
    })
    return moments.length === 0 ? undefined : Math.max(now, Math.min(...moments))
  }

  async runDue(now: number, leastMs: number): Promise<void> {
    const run = this.#runDue(now, leastMs)
    this.#underWay = run
    try {
      await run
    } catch {
      // The venue is stopping or going back, or it has said why it takes no commands.
    } finally {
      this.#underWay = undefined
    }
  }

  async settled(): Promise<void> {
    await this.#underWay?.catch(() => {})
  }

  save(): SavedScripts {
    return { counted: this.#counted, scripts: this.#scripts }
  }

  restore(saved: unknown, dueBefore: number): void {
    const { counted, scripts } = (saved ?? nothing) as SavedScripts
    this.#counted = counted
    this.#scripts = dueBefore > 0 ? [] : scripts
  }

  async #runDue(now: number, leastMs: number): Promise<void> {
    for (const { id } of this.#scripts) {
      await this.#look(id, now, leastMs)
      for (;;) {
        const script = this.#scripts.find((one) => one.id === id)
        const step = script?.plan.steps[script.done]
        if (script === undefined || step === undefined || script.since + step.atMs > now) break
        this.#change(id, (one) => ({ ...one, done: one.done + 1 }))
        await this.#submit(id, this.#commandsOf(step.action, script), step.text)
      }
    }
  }

  async #look(id: string, now: number, leastMs: number): Promise<void> {
    const { runtime } = this.#venue.parts
    const { instruments } = runtime.query({ kind: 'catalog' })
    const script = this.#scripts.find((one) => one.id === id)
    for (const [place, maker] of (script?.plan.makers ?? []).entries()) {
      if (
        script === undefined ||
        Math.max(script.looksAt[place], script.looksAt[place] - maker.refreshMs + leastMs) > now
      )
        continue
      const next = now + maker.refreshMs
      this.#change(id, (one) => ({ ...one, looksAt: one.looksAt.map((at, other) => (other === place ? next : at)) }))
      // A book that a fault has to itself, and one that takes no orders, is left alone.
      const instrument = instruments[maker.instrument]
      if (marketFaultsOf(this.#venue).hasBook(instrument.id) || instrument.status !== 'online') continue
      await this.#submit(id, quotes(runtime, maker, script.makerUids[place], instrument), `maker ${place + 1}`)
    }
  }

  #commandsOf(action: Action, { uid, takerUid }: Script): Command[] {
    const { runtime } = this.#venue.parts
    if (action.kind === 'index') {
      const { coin, priceE8 } = action
      return [{ kind: 'set-index-prices', prices: [[coin, inDollars(runtime, action, priceE8)]] }]
    }
    const instrument = runtime.query({ kind: 'catalog' }).instruments[action.instrument]
    if (action.kind === 'cancel') {
      const own = restingOf(runtime, uid, instrument)
      return own.filter(({ bookSide }) => action.side === undefined || bookSide === action.side).map(cancelOf)
    }
    const price = action.price ?? furthest(this.#venue, instrument, action.side)
    const orders = parts(instrument, action.size).map((quantity) => ({ side: action.side, price, quantity }))
    const by = action.kind === 'rest' ? uid : takerUid
    const force = action.kind === 'rest' ? 'gtc' : 'ioc'
    return [
      ...deposits(runtime, by, instrument, orders),
      ...orders.map((order) => limitOrder(by, instrument, order, force)),
    ]
  }

  async #submit(id: string, commands: readonly Command[], what: string): Promise<void> {
    if (commands.length === 0) return
    const { runtime } = this.#venue.parts
    const replies = await runtime.submitAll(commands)
    // An index that jumps too far is confirmed by the same one once more.
    if (replies[0].kind === 'prices-held-back') await runtime.submitAll(commands)
    const refusals = replies.flatMap((reply, at) => {
      return reply.kind === 'refused' ? [`${what}: ${reasonOf(reply, commands[at])}`] : []
    })
    this.#change(id, (script) => ({
      ...script,
      commands: script.commands + commands.length,
      refused: script.refused + refusals.length,
      refusals: [...script.refusals, ...refusals].slice(-refusalsKept),
    }))
  }

  #change(id: string, change: (script: Script) => Script): void {
    this.#scripts = this.#scripts.map((script) => (script.id === id ? change(script) : script))
  }

  #find(which: string): Script {
    const found = this.#scripts.find(({ id, name }) => id === which || name === which)
    if (found === undefined)
      throw new LabRefusal(404, 'unknown-script', `there is no script ${which}`, { field: 'script' })
    return found
  }

  #shown(script: Script) {
    const { id, name, plan, since, done, commands, refused, refusals } = script
    const next = plan.steps[done]
    return {
      script: id,
      name,
      state: isRunning(script) ? 'running' : 'done',
      since,
      makers: plan.makers.length,
      steps: plan.steps.length,
      done,
      next: next === undefined ? null : { at: since + next.atMs, step: next.text },
      commands,
      refused,
      refusals,
    }
  }
}

function isRunning({ plan, done }: Script): boolean {
  return plan.makers.length > 0 || done < plan.steps.length
}

/** Where a trade without a price stops. */
function furthest(venue: LabVenue, instrument: Instrument, side: 'buy' | 'sell') {
  const { markPrice } = venue.parts.runtime.query({ kind: 'prices', instrument: instrument.id })
  const band = instrument.limitBand === 0n ? tradeBand : Math.min(tradeBand, Number(instrument.limitBand) / 1e12)
  const exact = markPrice * (side === 'buy' ? 1 + band : 1 - band)
  return ticks(Math.max(1, side === 'buy' ? Math.floor(exact) : Math.ceil(exact)))
}
