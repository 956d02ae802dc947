/**
 * The venue's pulse: its status and its metrics as they are pushed while somebody is signed in and looks, and five minutes of
 * readings behind it.
 */
import { computed, effect, signal } from '@preact/signals'
import { live, streamFault, watch } from './live.ts'
import { perSecond, type Reading, readingOf, valueOf } from './readings.ts'
import { signedIn } from './session.ts'

const keptMs = 300_000
/** Rates and percentiles look back so far. */
const windowMs = 30_000

export const status = computed(() => live('status').value.data)
/** Why there is nothing newer; empty: there is. */
export const watchFault = computed(() => streamFault.value || live('status').value.fault)
const readings = signal<readonly Reading[]>([])

export const newest = computed(() => readings.value.at(-1))

/** The reading at the other end of the window; undefined until there are two. */
export const before = computed(() => {
  const last = newest.value
  return readings.value.find(
    (reading) => last !== undefined && reading.at >= last.at - windowMs && reading.at < last.at,
  )
})

/** Commands per second between each two readings, oldest first. */
export const commandRates = computed(() =>
  readings.value
    .slice(1)
    .map((reading, index) => perSecond(readings.value[index] ?? reading, reading, 'tidemark_commands_total')),
)

/** Counters of a venue that began anew have nothing to do with those before. */
function keep(reading: Reading): void {
  const last = newest.peek()
  const uptime = (of: Reading) => valueOf(of, 'tidemark_uptime_seconds') ?? 0
  const isAnother = last !== undefined && uptime(reading) < uptime(last)
  const kept = isAnother ? [] : readings.peek().filter(({ at }) => at > reading.at - keptMs)
  readings.value = [...kept, reading]
}

effect(() => {
  const { data } = live('metrics').value
  if (data !== undefined) keep(readingOf(data, performance.now()))
})

effect(() => {
  if (signedIn.value) {
    const ends = [watch('status'), watch('metrics')]
    return () => ends.forEach((end) => end())
  }
  readings.value = []
  return undefined
})
