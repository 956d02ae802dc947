/**
 * Old history goes, little by little, while the venue runs: 90 days are served, 91 are kept.
 *
 * When  soon after the start and every hour; where the manual clock passes hours in seconds, after each move that an hour has passed with
 */
import type { Logger } from 'pino'
import type { History } from '../history/history.ts'

const daysKept = 91
const everyMs = 3_600_000
/** After the start, which has enough to do: a venue that never runs for an hour prunes too. */
const firstMs = 10_000

export interface Pruning {
  /** The manual clock was moved. */
  moved(): Promise<void>
  end(): void
}

export function keepPruning(history: Pick<History, 'prune'>, now: () => number, log: Logger): Pruning {
  let prunedAt = now()
  const prune = async () => {
    prunedAt = now()
    try {
      await history.prune(prunedAt - daysKept * 86_400_000)
    } catch (error) {
      log.error({ err: error }, 'old history could not be removed')
    }
  }
  const timers = [setTimeout(() => void prune(), firstMs).unref(), setInterval(() => void prune(), everyMs).unref()]
  return {
    moved: async () => {
      if (now() - prunedAt >= everyMs) await prune()
    },
    end: () => timers.forEach(clearTimeout),
  }
}
