/**
 * `cluster upgrade`, at the core that leads: the venue goes by the newest rules that this release applies, from one command on.
 *
 * Refused  while a process that is connected does not apply them: each is named. Who is away is not asked
 * Safe     whatever is asked here: whoever does not apply them ends at the command (engine/protocol/rules.ts)
 * Source   scale.md §9
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import { isWithin, rangeText } from '../engine/protocol/rules.ts'
import type { ProcessAbout } from '../replication/replication.ts'

export interface RulesUpgraded {
  readonly from: number
  readonly to: number
  /** The command from which on they hold. */
  readonly sequence: number
  readonly release: string
  /** Cores that were not heard, and so not asked. */
  readonly away: readonly string[]
}

export interface RulesUpgradePorts {
  readonly own: ProcessAbout
  readonly leads: () => boolean
  /** By which rules the next command is applied here. */
  readonly rules: () => number
  /** The other cores, by where they listen. */
  readonly peers: readonly string[]
  /** Of those that are heard; undefined: it does not say what it applies. */
  readonly heard: ReadonlyMap<string, ProcessAbout | undefined>
  /** Gateways, and whoever writes the history. */
  readonly followers: () => readonly ProcessAbout[]
  readonly submit: (command: Command, trace: { sequence: number | undefined }) => Promise<Reply>
}

/** Rejects with the reason where the venue stays at the rules that it has. */
export async function upgradeRules(ports: RulesUpgradePorts): Promise<RulesUpgraded> {
  const { own, leads, rules, peers, heard, submit } = ports
  if (!leads()) throw new Error('this core does not lead')
  const from = rules()
  const to = own.rules.newest
  const { release } = own
  if (to <= from) {
    throw new Error(
      `the venue stands at rules ${from} already, the newest that release ${release} of ${own.process} applies`,
    )
  }
  const unable = processesUnable(to, ports)
  if (unable.length > 0) throw new Error(`the venue stays at rules ${from}: ${unable.join('; ')}`)
  const trace = { sequence: undefined as number | undefined }
  await submit({ kind: 'upgrade-rules', rules: to, release }, trace)
  if (rules() !== to || trace.sequence === undefined) {
    throw new Error(`the command broke the engine and is passed over: the venue stays at rules ${from}`)
  }
  const away = peers.filter((peer) => !heard.has(peer))
  return { from, to, sequence: trace.sequence, release, away }
}

function processesUnable(rules: number, { heard, followers }: RulesUpgradePorts): string[] {
  const silent = [...heard].flatMap(([core, about]) =>
    about === undefined ? [`core ${core} is of a release that does not say what it applies`] : [],
  )
  const known = [...heard.values(), ...followers()].filter((about) => about !== undefined)
  const others = known
    .filter((about) => !isWithin(rules, about.rules))
    .map(({ process, release, rules: applied }) => `${process} is release ${release} and applies ${rangeText(applied)}`)
  return [...silent, ...others]
}
