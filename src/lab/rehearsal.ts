/**
 * Commands that are tried on a copy of the engine first, and then sequenced as one run with nothing between them.
 *
 * Whole     what the copy refuses, or what does not come about there, has changed nothing in the venue
 * Exact     the copy is the same engine in the same state: what came about there comes about in the venue
 * Source    lab.md §4.2 (cheats)
 */
import { Engine } from '../engine/engine.ts'
import type { Command } from '../engine/protocol/command.ts'
import type { Event } from '../engine/protocol/event.ts'
import type { Answer, Query, QueryKind } from '../engine/protocol/query.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import { refusedByEngine } from '../operator/operator.ts'
import { LabRefusal } from './refusals.ts'
import type { LabVenue } from './venue.ts'

const commandsMax = 4_000

export class Rehearsal {
  readonly commands: Command[] = []
  readonly replies: Reply[] = []
  readonly events: Event[] = []
  readonly #engine: Engine
  readonly #at: number

  constructor(venue: LabVenue) {
    const { state, lastAt, now } = venue.parts.runtime.save()
    let isLoaded = false
    this.#engine = Engine.load([...state], (event) => {
      if (isLoaded) this.events.push(event)
    })
    isLoaded = true
    this.#at = Math.max(lastAt, now)
  }

  /** Throws LabRefusal for what the engine refuses. */
  submit(command: Command): Reply {
    const reply = this.try(command)
    if (reply.kind === 'refused') throw refusalOf(reply, command)
    return reply
  }

  /** The reply, a refusal, too. */
  try(command: Command): Reply {
    if (this.commands.length >= commandsMax) {
      throw new LabRefusal(409, 'too-many-commands', `it would take more than ${commandsMax} commands`)
    }
    const reply = this.#engine.apply(command, this.#engine.sequence + 1, this.#at)
    this.commands.push(command)
    this.replies.push(reply)
    return reply
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#engine.query(query)
  }
}

type Scene<T> = (rehearsal: Rehearsal) => T

/** The first scene that is not refused; the refusal of the last one, if all are. */
function rehearse<T>(venue: LabVenue, scenes: readonly Scene<T>[]) {
  let refusal: unknown
  for (const scene of scenes) {
    const rehearsal = new Rehearsal(venue)
    try {
      return { rehearsal, facts: scene(rehearsal) }
    } catch (error) {
      if (!(error instanceof LabRefusal)) throw error
      refusal = error
    }
  }
  throw refusal
}

/**
 * Plays a scene on a copy, then in the venue. Answers the sequence of each command and what the scene answered. Throws LabRefusal;
 * `scene-changed` when commands of others, sequenced meanwhile, made the venue answer otherwise.
 */
export async function play<T>(venue: LabVenue, ...scenes: readonly Scene<T>[]) {
  const { rehearsal, facts } = rehearse(venue, scenes)
  const { commands } = rehearsal
  const trace = { sequence: undefined as number | undefined }
  const replies = await venue.parts.runtime.submitAll(commands, trace)
  await venue.settle()
  const first = trace.sequence ?? venue.parts.runtime.sequence + 1
  const sequences = commands.map((_, place) => first + place)
  const other = replies.findIndex(({ kind }, place) => kind !== rehearsal.replies[place].kind)
  if (other >= 0) {
    const what = `${commands[other].kind} was answered ${replies[other].kind}, not ${rehearsal.replies[other].kind}`
    const message = `others changed the venue meanwhile (${what}): freeze the clock, or try it again`
    throw new LabRefusal(409, 'scene-changed', message, { sequences })
  }
  return { sequences, facts }
}

type Refused = Extract<Reply, { kind: 'refused' }>

function refusalOf(reply: Refused, command: Command): LabRefusal {
  // Whatever it names is there, or it would not have come this far: a rule of the venue says no.
  return new LabRefusal(409, refusedByEngine(reply.refusal, command.kind).code, reasonOf(reply, command))
}

/** In words, why the engine refused a command. */
export function reasonOf({ refusal }: Refused, command: Command): string {
  return `${command.kind}: ${refusedByEngine(refusal, command.kind).message}`
}
