/**
 * Operator calls that change something, noted in the trail: done or refused, with the commands that they became.
 *
 * Who       the `X-Operator` header: text, or text as in an address (`J%C3%BCrgen`)
 * Body      the fields that the call knows, long ones cut. What is secret is left out, and so is what it does not know: it
 *           may be a secret under a wrong name
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Answer, Query, QueryKind } from '../engine/protocol/query.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { Core, Trace } from '../runtime/core.ts'
import { OutcomeUnknown } from '../runtime/runtime.ts'
import { knownFault } from './answering.ts'
import type { OperatorCall, OperatorPorts } from './calls/call.ts'
import { CallRefused } from './calls/refusals.ts'

const nameLengthMax = 64
const valueLengthMax = 500

/** Of a key the public half is left out too: people have sent the private one in its place. */
const neverNoted = new Set(['passphrase', 'publicKey'])

export interface Sent {
  readonly body: unknown
  /** The header as it came. */
  readonly operator: string | readonly string[] | undefined
  readonly from: string | undefined
}

/** Makes a call; one that changes something is noted, whatever comes of it. */
export async function makeNoted(
  call: OperatorCall,
  { body, operator, from = '' }: Sent,
  ports: OperatorPorts,
): Promise<unknown> {
  if (call.method === 'GET') return call.run(body, ports)
  const who = operatorNamed(operator)
  const core = new NotingCore(ports.core)
  const note = (outcome: 'done' | 'refused' | 'unknown', code: string | null) =>
    ports.trail.note({
      at: ports.core.now(),
      who,
      from,
      call: `${call.method} ${call.path}`,
      body: noted(body, call.fields),
      outcome,
      code,
      commands: core.made.map(({ kind, trace }) => ({ sequence: trace.sequence ?? null, kind })),
    })
  try {
    const data: unknown = await call.run(body, Object.create(ports, { core: { value: core } }) as OperatorPorts)
    note('done', null)
    return data
  } catch (error) {
    const fault = knownFault(error)
    const isKnown = fault !== undefined && !(error instanceof OutcomeUnknown)
    note(isKnown ? 'refused' : 'unknown', fault?.code ?? 'unexpected')
    throw error
  }
}

function operatorNamed(header: Sent['operator']): string | null {
  const name = decoded(String(header ?? '')).trim()
  if (name === '') return null
  if (name.length > nameLengthMax || /[\p{Cc}\p{Cf}]/u.test(name)) {
    throw new CallRefused(400, 'operator-wrong', `X-Operator must be a name of at most ${nameLengthMax} characters`)
  }
  return name
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function noted(body: unknown, fields: readonly string[]): Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return {}
  const known = Object.entries(body).filter(([name]) => fields.includes(name) && !neverNoted.has(name))
  return Object.fromEntries(known.map(([name, value]) => [name, short(value)]))
}

function short(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : value
}

/** Keeps which commands went through it; everything else is as the core has it. */
class NotingCore implements Core {
  readonly made: { readonly kind: Command['kind']; readonly trace: Trace }[] = []
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  submit(command: Command, trace: Trace = { sequence: undefined }): Promise<Reply> {
    this.made.push({ kind: command.kind, trace })
    return this.#core.submit(command, trace)
  }

  submitAll(commands: readonly Command[], trace: Trace = { sequence: undefined }): Promise<readonly Reply[]> {
    for (const { kind } of commands) this.made.push({ kind, trace })
    return this.#core.submitAll(commands, trace)
  }

  query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
    return this.#core.query(query)
  }

  now(): number {
    return this.#core.now()
  }

  get rebuilt(): Promise<void> | undefined {
    return this.#core.rebuilt
  }

  get fresh(): (() => Promise<void>) | undefined {
    return this.#core.fresh && (() => this.#core.fresh!())
  }
}
