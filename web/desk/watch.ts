/**
 * The venue's pulse: its status and its metrics every two seconds while somebody is signed in and looks, and five minutes of
 * readings behind it.
 */
import { computed, effect, signal } from '@preact/signals'
import { faultText, read } from './operator.ts'
import { perSecond, type Reading, readingOf, valueOf } from './readings.ts'
import type { Metric, Status } from './records.ts'
import { signedIn } from './session.ts'

const everyMs = 2_000
const keptMs = 300_000
/** Rates and percentiles look back so far. */
const windowMs = 30_000

export const status = signal<Status | undefined>(undefined)
/** Why there is nothing newer; empty: there is. */
export const watchFault = signal('')
const readings = signal<readonly Reading[]>([])

export const newest = computed(() => readings.value.at(-1))

/** The reading at the other end of the window; undefined until there are two. */
export const before = computed(() => {
  const last = newest.value
  return readings.value.find((one) => last !== undefined && one.at >= last.at - windowMs && one.at < last.at)
})

/** Commands per second between each two readings, oldest first. */
export const commandRates = computed(() =>
  readings.value
    .slice(1)
    .map((reading, index) => perSecond(readings.value[index] ?? reading, reading, 'tidemark_commands_total')),
)

async function look(): Promise<void> {
  try {
    const [said, metrics] = await Promise.all([read<Status>('status'), read<readonly Metric[]>('metrics')])
    status.value = said
    watchFault.value = ''
    keep(readingOf(metrics, performance.now()))
  } catch (error) {
    watchFault.value = faultText(error)
  }
}

/** Counters of a venue that began anew have nothing to do with those before. */
function keep(reading: Reading): void {
  const last = newest.peek()
  const uptime = (of: Reading) => valueOf(of, 'tidemark_uptime_seconds') ?? 0
  const isAnother = last !== undefined && uptime(reading) < uptime(last)
  const kept = isAnother ? [] : readings.peek().filter(({ at }) => at > reading.at - keptMs)
  readings.value = [...kept, reading]
}

effect(() => {
  if (!signedIn.value) {
    status.value = undefined
    readings.value = []
    return undefined
  }
  void look()
  const timer = setInterval(() => {
    if (!document.hidden) void look()
  }, everyMs)
  return () => clearInterval(timer)
})
