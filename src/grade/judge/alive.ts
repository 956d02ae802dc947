/**
 * A: the process is up, and it trades again in time. A twin that did not trade in as long a stretch says nothing of the bot.
 */
import type { Evidence } from '../evidence.ts'

export function aliveFindings(run: Evidence, twin: Evidence | undefined, recoverMs: number): readonly string[] {
  const ends = run.exits.map(
    ({ code, signal }) => `the process ended ${signal === null ? `with code ${code}` : `by ${signal}`}`,
  )
  if (ends.length > 0) return ends
  const traded = tradesBetween(run, run.over, run.recovered)
  if (traded > 0 || twin === undefined || !tradesSteadily(twin, recoverMs)) return []
  return [`no order was placed within ${seconds(recoverMs)} after the fault; the twin went on`]
}

/** In each stretch of that length the twin placed something. */
function tradesSteadily(twin: Evidence, ms: number): boolean {
  const moments = [twin.warm, ...placedAt(twin).filter((at) => at >= twin.warm), twin.ended]
  return moments.length > 2 && moments.every((at, index) => index === 0 || at - moments[index - 1] <= ms)
}

function tradesBetween(run: Evidence, from: number, until: number): number {
  return placedAt(run).filter((at) => at >= from && at <= until).length
}

/** When orders had an effect. */
export function placedAt({ journal, uid }: Evidence): readonly number[] {
  return journal.flatMap(({ at, command, reply }) => {
    const isOwn = command['uid'] === uid && /^(place|replace|close|reverse|amend)-/.test(command.kind)
    return isOwn && reply !== undefined && reply.kind !== 'refused' ? [at] : []
  })
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}
