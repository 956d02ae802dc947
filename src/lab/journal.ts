/**
 * The journal as text: a line of JSON for each command with what came of it, for what a test asserts.
 *
 * Numbers   money is units of 1e-8 and rates are units of 1e-12, as texts; prices are ticks and quantities lots, as numbers. A command
 *           and an event of an instrument have its symbol, too
 * Source    lab.md §4.2
 */
import { decodeCommand } from '../runtime/runtime.ts'
import type { Told } from './journal-ring.ts'
import { accountOf, type Who } from './things.ts'
import type { LabVenue } from './venue.ts'

export const journalMax = 10_000
const linesDefault = 1_000

interface Asked {
  /** Only what it sent or what concerned it. */
  readonly uid?: Who | undefined
  readonly after?: number | undefined
  readonly limit?: number | undefined
}

/** Oldest first. Throws LabRefusal. */
export function journalLines(venue: LabVenue, { uid: named, after = 0, limit = linesDefault }: Asked): string {
  const uid = named === undefined ? undefined : accountOf(venue, named, 'uid').uid
  const { instruments } = venue.parts.runtime.query({ kind: 'catalog' })
  const lines: string[] = []
  for (const told of venue.told.after(after)) {
    if (lines.length >= limit) break
    const command = commandOf(venue, told)
    if (uid !== undefined && ![command, ...told.events].some((part) => concerns(part, uid))) continue
    const withSymbol = (part: object) => {
      const instrument = (part as { readonly instrument?: number }).instrument
      return instrument === undefined ? part : { ...part, symbol: instruments[instrument]?.symbol }
    }
    const { sequence, at, reply } = told
    const line = { sequence, at, command: withSymbol(command), reply, events: told.events.map(withSymbol) }
    lines.push(`${JSON.stringify(line, plain)}\n`)
  }
  return lines.join('')
}

/** A record that is no longer there leaves the kind. */
function commandOf(venue: LabVenue, { sequence, kind }: Told): object {
  const record = kind === '' ? undefined : venue.parts.runtime.record(sequence)
  return record === undefined ? { kind } : decodeCommand(record).command
}

const ofAccounts = ['uid', 'actorUid', 'fromUid', 'toUid', 'parentUid', 'brokerUid'] as const

function concerns(part: object, uid: number): boolean {
  const fields = part as Readonly<Record<string, unknown>>
  if (ofAccounts.some((name) => fields[name] === uid)) return true
  return ['order', 'trigger'].some((name) => {
    const inner = fields[name]
    return typeof inner === 'object' && inner !== null && (inner as { uid?: unknown }).uid === uid
  })
}

/** A command or an event, as a line of the journal has it. */
export function shownFields(part: object): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(part, plain)) as Readonly<Record<string, unknown>>
}

function plain(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
