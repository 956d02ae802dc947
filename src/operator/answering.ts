/**
 * What an operator's call answers when it does not succeed, and the calls that are pushed as they change (live.ts).
 *
 * Source   design.md §6
 */
import type { FastifyError } from 'fastify'
import type { Logger } from 'pino'
import { CommandNotSequenced, EngineRebuilding, OutcomeUnknown } from '../runtime/runtime.ts'
import { type OperatorPorts, operatorCalls } from './calls/calls.ts'
import { CallRefused } from './calls/refusals.ts'
import type { Fault as FieldFault } from './faults.ts'
import { LiveAnswers } from './live.ts'

interface Fault {
  readonly status: number
  readonly code: string
  readonly message: string
  /** Absent or empty: no field is at fault. */
  readonly fields?: readonly FieldFault[]
}

/** What an answer says of it. */
export function errorShown({ code, message, fields = [] }: Omit<Fault, 'status'>) {
  return { code, message, ...(fields.length > 0 && { fields }) }
}

/** What is said of a call that did not succeed; what nobody foresaw goes to the log. */
export function faultOf(error: FastifyError | Error, call: string, log: Logger): Fault {
  const known = knownFault(error)
  if (known !== undefined) return known
  log.error({ err: error, call }, 'an operator call broke')
  return { status: 500, code: 'unexpected', message: 'the venue could not do it; its log says why' }
}

/** Undefined: nobody foresaw it. */
export function knownFault(error: unknown): Fault | undefined {
  if (error instanceof CallRefused) return error
  if (error instanceof CommandNotSequenced) {
    const message = `the venue takes no commands: ${error.message}; nothing was changed`
    return { status: 503, code: 'not-sequenced', message }
  }
  if (error instanceof EngineRebuilding) {
    const message = 'a command broke the engine; it is back in a moment, ask again'
    return { status: 503, code: 'engine-rebuilding', message }
  }
  if (error instanceof OutcomeUnknown) {
    return { status: 504, code: 'outcome-unknown', message: 'what became of the command is not known' }
  }
  const { statusCode, message } = error as FastifyError
  return statusCode !== undefined && statusCode < 500
    ? { status: statusCode, code: 'request-wrong', message }
    : undefined
}

/** The answer of a call that only reads: its path, and its fields behind a `?`. */
async function answerOf(target: string, ports: OperatorPorts, log: Logger): Promise<object> {
  const [path, query = ''] = target.split('?')
  const found = operatorCalls.find((call) => call.method === 'GET' && call.path === path)
  try {
    if (found === undefined) throw new Error(`there is no call ${path}`)
    return { ok: true, data: await found.run(Object.fromEntries(new URLSearchParams(query)), ports) }
  } catch (error) {
    return { ok: false, error: errorShown(faultOf(error as Error, `GET ${path}`, log)) }
  }
}

/** Pushes what calls answer; it wants to be told what happens. */
export function liveAnswersOf(ports: OperatorPorts, log: Logger): LiveAnswers {
  return new LiveAnswers((of) => answerOf(`/operator/${of}`, ports, log))
}
