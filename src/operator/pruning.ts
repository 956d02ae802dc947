/**
 * Old history goes, little by little, while the venue runs: 90 days are served, 91 are kept.
 */
import type { Logger } from 'pino'
import type { History } from '../history/history.ts'

const daysKept = 91
const everyMs = 3_600_000
/** After the start, which has enough to do: a venue that never runs for an hour prunes too. */
const firstMs = 10_000

/** Answers how to end it. */
export function keepPruning(history: Pick<History, 'prune'>, now: () => number, log: Logger): () => void {
  const prune = async () => {
    try {
      await history.prune(now() - daysKept * 86_400_000)
    } catch (error) {
      log.error({ err: error }, 'old history could not be removed')
    }
  }
  const timers = [setTimeout(() => void prune(), firstMs).unref(), setInterval(() => void prune(), everyMs).unref()]
  return () => timers.forEach(clearTimeout)
}
