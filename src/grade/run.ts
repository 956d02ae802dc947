/**
 * One run: a fork, a market around it, the bot, and the hazard if there is one. Its outcome is evidence, which others judge.
 *
 * Course    the bot trades for the first time → warms up → the hazard acts → the bot has its time to recover → it is stopped
 * Twin      the same without a hazard, for as long
 * Ends      whatever happens the bot is ended and the fork goes
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LabError, type Venue } from './laboratory.ts'
import { Bot, type Said } from './bot.ts'
import type { Configuration } from './config.ts'
import type { Evidence, Firing, Steps } from './evidence.ts'
import type { Hazard } from './hazards/hazards.ts'
import { Market } from './market.ts'
import { environmentOf } from './environment.ts'
import { type Note, type Rule, Scene } from './scene.ts'
import { Witness } from './witness.ts'

export interface RunOptions {
  /** What forks are made of. */
  readonly base: Venue
  readonly command: readonly string[]
  readonly configuration: Configuration
  readonly steps: Readonly<Record<string, Steps>>
  readonly seed: number
  readonly scale: number
  /** What the bot may keep from one start to the next. */
  readonly state: string
  readonly pace: Pace
}

/** Milliseconds that are not scaled. */
export interface Pace {
  /** However short the hazards are, a bot has so long to recover: it needs some rounds. */
  readonly recoverMsMin: number
  /** How long it is looked at after it has had its time to recover. */
  readonly lookMs: number
}

export const usualPace: Pace = { recoverMsMin: 8_000, lookMs: 3_500 }

export interface Run {
  readonly evidence: Evidence
  readonly isReached: boolean
  /** Why it is not, where that is known. */
  readonly reason: string | undefined
  readonly notes: readonly Note[]
  readonly said: readonly Said[]
}

/** The bot never placed an order: there is nothing to grade. */
export class NeverTraded extends Error {
  override name = 'NeverTraded'
}

/** For a bot that has to load first. */
const startMsMax = 30_000
/** How long is waited for what a hazard needs of the bot. */
const reachMsMin = 20_000
const reachWithin = 60_000
/** Sending one's rules again until a firing counts. */
const attemptsMax = 6

export function recoverMsOf({ recoverWithin }: Configuration, scale: number, pace: Pace): number {
  return Math.max(pace.recoverMsMin, Math.round(recoverWithin * scale))
}

/** `last` is called when the run is over and its venue still there. */
export async function runBot(
  options: RunOptions,
  hazard?: Hazard,
  last?: (run: Run, venue: Venue) => Promise<void>,
): Promise<Run> {
  const { base, command, configuration, steps, seed, scale, pace } = options
  const venue = await base.fork()
  await using opened = new AsyncDisposableStack()
  opened.defer(() => venue.stop())
  const { role, category } = configuration
  const witness = new Witness(venue, { role, steps })
  await witness.begin()
  opened.defer(() => witness.close())
  const market = new Market(venue, { category, symbols: steps, seed, now: witness.now })
  await market.open()
  opened.defer(() => market.close())
  const bot = new Bot(command, environmentOf(venue, options), witness.now)
  opened.defer(() => bot.kill())
  const reachMs = Math.max(reachMsMin, reachWithin * scale)
  const scene = new Scene({ venue, market, bot, witness, configuration, scale, reachMs })

  bot.start()
  const isTrading = () => (witness.placed > 0 || bot.exits.length > 0 ? true : undefined)
  if ((await witness.until(isTrading, startMsMax)) === undefined || witness.placed === 0) {
    throw new NeverTraded(neverTraded(bot))
  }
  await sleep(configuration.warmUp)
  const warm = witness.now()
  const { struck = warm, isReached, reason } = hazard === undefined ? twin(warm) : await strike(hazard, scene, witness)
  await scene.noFaults()
  const over = witness.now()
  // A twin shows what the bot does over some of its rounds; it has nothing to recover from.
  const recovered = over + recoverMsOf(configuration, scale, pace)
  await sleep(recovered + pace.lookMs - witness.now())
  const ended = witness.now()
  const exits = [...bot.exits]
  await bot.stop()
  const traffic = await witness.end()
  const evidence: Evidence = {
    uid: Number(venue.keys[role].uid),
    key: venue.keys[role].apiKey,
    steps,
    journal: witness.journal.filter(({ at }) => at <= ended),
    traffic,
    firings: witness.firings,
    prices: market.prices,
    exits,
    scale,
    outages: hazard?.isOutage === true && isReached ? [{ from: struck, until: over }] : [],
    warm,
    struck,
    over,
    recovered,
    ended,
  }
  const run: Run = { evidence, isReached, reason, notes: scene.notes, said: bot.said }
  await last?.(run, venue)
  return run
}

interface Struck {
  readonly struck?: number | undefined
  readonly isReached: boolean
  readonly reason: string | undefined
}

function twin(struck: number): Struck {
  return { struck, isReached: true, reason: undefined }
}

async function strike(hazard: Hazard, scene: Scene, witness: Witness): Promise<Struck> {
  try {
    if (hazard.act !== undefined) {
      if (hazard.rules !== undefined) await scene.fault(...hazard.rules(scene))
      const isReached = await hazard.act(scene)
      return { struck: scene.struckAt, isReached, reason: undefined }
    }
    const firing = await met(hazard, scene)
    if (firing === undefined) return { isReached: false, reason: undefined }
    const isReached = (await hazard.follow?.(scene, firing)) !== false
    const left = firing.at + scene.ms(hazard.lasts ?? 0) - witness.now()
    if (hazard.lasts !== undefined && left > 0) await sleep(left)
    return { struck: firing.at, isReached, reason: undefined }
  } catch (error) {
    if (!(error instanceof LabError)) throw error
    return { struck: scene.struckAt, isReached: false, reason: `the laboratory refused it: ${error.message}` }
  }
}

/**
 * The first firing that counts. A rule that met something else is sent once more when the bot has gone on, and passes over one call
 * more each time: a bot that goes round would else be met at the same place for ever.
 */
async function met(hazard: Hazard, scene: Scene): Promise<Firing | undefined> {
  const counts = (firing: Firing) => hazard.counts?.(firing) !== false
  const seen = new Set<number>()
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    await scene.fault(...(hazard.rules?.(scene) ?? []).map((rule) => passingOver(rule, attempt)))
    const firing = await scene.fired((one) => !seen.has(one.firing))
    if (firing === undefined) return undefined
    // What became of an order that comes later is known later.
    const known = (await scene.fired((one) => one.firing === firing.firing)) ?? firing
    if (counts(known)) return known
    await scene.placesAgain()
    const other = scene.firings.find((one) => !seen.has(one.firing) && counts(one))
    if (other !== undefined) return other
    for (const one of scene.firings) seen.add(one.firing)
  }
  return undefined
}

function passingOver(rule: Rule, calls: number): Rule {
  const { when } = rule as { readonly when?: { readonly nth?: unknown } }
  return typeof when?.nth === 'number' ? { ...rule, when: { ...when, nth: when.nth + calls } } : rule
}

function neverTraded({ exits, said }: Bot): string {
  const [exit] = exits
  const end =
    exit === undefined ? `within ${startMsMax / 1_000} s` : `and ended (${exit.signal ?? `code ${exit.code}`})`
  const why = tellingLine(said.map(({ text }) => text))
  return `the bot placed no order ${end}${why === undefined ? '' : `; it said: ${why}`}`
}

/** The last error that begins a line: Node says its version behind it. Without one the last line. */
function tellingLine(lines: readonly string[]): string | undefined {
  return (
    lines.findLast((line) => /^(?:\w+\.)*\w*(?:Error|Exception)\b/.test(line)) ?? lines.findLast((line) => line !== '')
  )
}
