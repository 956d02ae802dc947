/**
 * One call of the operator's: its place, what it takes, what it does.
 */
import type { StaticDecode, TObject } from 'typebox'
import type { Command } from '../../engine/protocol/command.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { History } from '../../history/history.ts'
import type { Core, SnapshotTaken, Verification } from '../../runtime/runtime.ts'
import { Checker, type Fault } from '../faults.ts'
import type { KeyBook } from '../keys/key-table.ts'
import type { LogTail } from '../log-tail.ts'
import type { MetricRead } from '../metric-registry.ts'
import type { Trail } from '../trail.ts'
import type { DecidedClock } from './clock.ts'
import type { LineageSource } from './explain.ts'
import { body } from './fields.ts'
import type { LiquidationsSource } from './liquidations.ts'
import { bodyWrong, refusedByEngine } from './refusals.ts'
import type { SimulatedMarket } from './scenarios.ts'

/** What the calls act on. */
export interface OperatorPorts {
  readonly core: Core
  readonly history: LineageSource & LiquidationsSource & Pick<History, 'bills'>
  readonly keys: KeyBook
  /** Books and hash of one moment. */
  verify(): Promise<Verification>
  /** Resolves when a snapshot of the present state is durable. */
  snapshot(): Promise<SnapshotTaken>
  readonly clock: DecidedClock
  /** Moves the manual clock and runs what falls due; undefined with the system's clock. */
  readonly advanceClock: ((ms: number) => Promise<void>) | undefined
  /** The simulated market, when it runs. */
  readonly market: SimulatedMarket | undefined
  /** Another venue's markets, when they are mirrored. */
  readonly mirror?: { shown(): object } | undefined
  /** What the venue has to say about itself. */
  status(): Record<string, unknown>
  /** Everything that `/metrics` counts. */
  metrics(): Promise<readonly MetricRead[]>
  /** A point a minute of the last hours. */
  course(): object
  readonly logTail: Pick<LogTail, 'page'>
  /** What operators did. */
  readonly trail: Pick<Trail, 'note' | 'page'>
}

export interface OperatorCall {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Names of the fields that it takes. */
  readonly fields: readonly string[]
  /** Checks what was sent and does it; throws CallRefused. */
  readonly run: (sent: unknown, ports: OperatorPorts) => unknown
}

export function call<Schema extends TObject>(
  place: string,
  schema: Schema,
  act: (sent: StaticDecode<Schema>, ports: OperatorPorts) => unknown,
): OperatorCall {
  const [method, path] = place.split(' ') as ['GET' | 'POST', string]
  const checker = new Checker(schema)
  return {
    method,
    path,
    fields: Object.keys(schema.properties),
    run(sent, ports) {
      // A call without fields may come without a body; a field that is null is a field that is absent.
      const given = withoutNulls(sent ?? {})
      const faults = checker.faults(given)
      if (faults.length === 0) faults.push(...unsafeNames(given))
      if (faults.length > 0) throw bodyWrong(faults)
      return act(checker.read(given), ports)
    },
  }
}

/** Of a call that takes no fields. */
export const nothing = body({})

/** Submits and throws what the engine refuses. */
export async function submit(core: Core, command: Command): Promise<Reply> {
  const reply = await core.submit(command)
  if (reply.kind === 'refused') throw refusedByEngine(reply.refusal, command.kind)
  return reply
}

/** Names that no field has and that decoding would drop in silence, wherever they stand. */
function unsafeNames(sent: unknown, at = ''): Fault[] {
  if (typeof sent !== 'object' || sent === null) return []
  return Object.entries(sent).flatMap(([name, value]) => {
    const field = `${at}${name}`
    return isUnsafe(name) ? [{ field, rule: 'is not known' }] : unsafeNames(value, `${field}.`)
  })
}

function isUnsafe(name: string): boolean {
  return name === '__proto__' || name === 'constructor' || name === 'prototype'
}

function withoutNulls(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
}
