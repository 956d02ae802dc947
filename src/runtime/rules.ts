/**
 * By which rules commands were carried out. A replay by others may end otherwise: balances would not be those that people were
 * told, and history would have its rows twice, under other numbers.
 *
 * Number   of the engine (`Engine.rules`), raised with every change of what it makes of a command
 * Noted    from the first command that was carried out by them, in history and in venue.json; the later note counts
 * Replay   of commands by the very rules that they were carried out by, and by no others. After a clean stop nothing is
 *          replayed, and other rules begin
 * Range    a core of several replays by each rules that it applies: its journal says where others begin (protocol/rules.ts)
 */
import { RulesBeyond } from '../engine/protocol/rules.ts'
import { RecoveryFailed } from './trouble.ts'

export interface RulesNote {
  readonly rules: number
  /** The first command that was carried out by them. */
  readonly from: number
  /** The release that had them. */
  readonly release: string
}

export interface RulesKnown {
  readonly current: Pick<RulesNote, 'rules' | 'release'> & {
    /** The oldest that are applied too, where the journal says by which rules each command goes; absent: it does not. */
    readonly oldest?: number
  }
  /** Undefined: no command was taken yet, or by a release that noted none. */
  readonly noted: RulesNote | undefined
}

export function newerNote(one: RulesNote | undefined, other: RulesNote | undefined): RulesNote | undefined {
  return one === undefined || (other !== undefined && other.from > one.from) ? other : one
}

/** Whether commands from one on can be replayed. */
export function mayReplay({ current, noted }: RulesKnown, from: number): boolean {
  return noted !== undefined && isApplied(noted.rules, current) && noted.from <= from
}

function isApplied(rules: number, { rules: newest, oldest = newest }: RulesKnown['current']): boolean {
  return rules >= oldest && rules <= newest
}

/** Throws RecoveryFailed where commands from one on to the last would be replayed by other rules. */
export function assertMayReplay(known: RulesKnown, from: number, last: number): void {
  if (from > last || mayReplay(known, from)) return
  const { current, noted } = known
  if (current.oldest !== undefined && noted !== undefined && !isApplied(noted.rules, current)) {
    const range = { oldest: current.oldest, newest: current.rules }
    throw new RecoveryFailed(new RulesBeyond(noted.rules, range, noted.release).message)
  }
  const which = from === last ? `command ${from} was` : `commands ${from} to ${last} were`
  throw new RecoveryFailed(
    `${which} carried out by ${earlierRules(known)}, and this is release ${named(known.current)}: replayed by other rules ` +
      `they may end otherwise, and history would have them twice; ${wayOn(known)}`,
  )
}

function wayOn({ current, noted }: RulesKnown): string {
  if (noted?.rules === current.rules) return 'restore a backup of the whole directory'
  return 'start the release that ran last on this directory, stop it cleanly (SIGTERM), then start this one'
}

/** What is noted once commands up to `last` stand, behind which the state stands at some rules. */
export function noteAfter({ current, noted }: RulesKnown, last: number, stands: number): RulesNote {
  const { release, oldest } = current
  const rules = oldest === undefined ? current.rules : stands
  if (noted === undefined || !isApplied(noted.rules, current)) return { rules, release, from: last + 1 }
  // What was carried out by others that are applied here can be replayed as well.
  return noted.rules === rules ? noted : { rules, release, from: noted.from }
}

/** Which release can read what this one cannot. */
export function readableBy({ current, noted }: RulesKnown): string {
  const last = noted === undefined || noted.rules === current.rules ? '' : `, ${named(noted)},`
  return `start the release that ran last on this directory${last} or restore a backup of this one`
}

function earlierRules({ current, noted }: RulesKnown): string {
  if (noted === undefined) return 'a release that did not note its rules'
  if (noted.rules === current.rules) return `other rules than those that hold from command ${noted.from} on`
  return `release ${named(noted)}`
}

function named({ release, rules }: Pick<RulesNote, 'rules' | 'release'>): string {
  return `${release} with rules ${rules}`
}
