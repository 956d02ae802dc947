/** The last hours: orders, latency and volume minute by minute, and the newest lines of the log with their levels. */
import { latency, short } from '../numbers/format.ts'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { dateTime, minuteTime } from '../store/times.ts'
import { LogPanel } from './log-panel.tsx'
import type { Course } from './records.ts'
import { Sparkline } from './sparkline.tsx'
import { useRead } from './use-read.ts'
import { desk } from '../words/desk.ts'
import { t } from '../words/words.ts'

type Point = Course['points'][number]

const everyMs = 30_000

const curves = [
  ['orders', ({ ordersPerS }: Point) => ordersPerS, short],
  ['p50', ({ p50Ms }: Point) => p50Ms, msText],
  ['p99', ({ p99Ms }: Point) => p99Ms, msText],
  ['volume', ({ volumeUsd }: Point) => volumeUsd, short],
] as const

export function Hours() {
  return (
    <div class="hours">
      <CoursePanel />
      <LogPanel />
    </div>
  )
}

function CoursePanel() {
  const { data, fault } = useRead<Course>('course', {}, everyMs)
  const points = data?.points ?? []
  const first = points[0]
  return (
    <Panel
      title={desk.hours.course}
      aside={<span class="quiet">{first === undefined ? '' : desk.hours.since(dateTime(first.at))}</span>}
    >
      {points.length === 0 ? (
        <p class="empty">{data === undefined ? fault || t.common.reading : desk.hours.tooSoon}</p>
      ) : (
        <>
          <dl class="curves">
            {curves.map(([curve, valueOf, text]) => {
              const values = points.map(valueOf)
              const known = values.filter((value) => value !== null)
              const last = values.at(-1) ?? null
              return (
                <div key={curve} class="tile">
                  <dt>{desk.hours.curves[curve]}</dt>
                  <dd>{last === null ? '–' : text(last)}</dd>
                  <dd class="most">{desk.hours.most(known.length === 0 ? '–' : text(Math.max(...known)))}</dd>
                  <Sparkline values={values.map((value) => value ?? 0)} />
                </div>
              )
            })}
          </dl>
          <details class="house">
            <summary>{desk.hours.byHour}</summary>
            <Rows
              caption={desk.hours.byHourCaption}
              columns={hourColumns()}
              rows={byHour(points)}
              keyOf={({ at }) => String(at)}
              empty=""
            />
          </details>
        </>
      )}
    </Panel>
  )
}

interface Hour {
  readonly at: number
  readonly ordersPerS: number
  /** Null: nobody was answered. */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly volumeUsd: number
}

const hourColumns = (): readonly Column<Hour>[] => [
  { title: desk.hours.from, time: true, head: true, cell: ({ at }) => `${dateTime(at).slice(0, 11)}${minuteTime(at)}` },
  { title: desk.hours.curves.orders, number: true, cell: ({ ordersPerS }) => short(ordersPerS) },
  { title: desk.hours.highestP50, number: true, cell: ({ p50Ms }) => (p50Ms === null ? '–' : msText(p50Ms)) },
  { title: desk.hours.highestP99, number: true, cell: ({ p99Ms }) => (p99Ms === null ? '–' : msText(p99Ms)) },
  { title: desk.hours.volume, number: true, cell: ({ volumeUsd }) => short(volumeUsd) },
]

const hourMs = 3_600_000

/** Newest first. */
function byHour(points: readonly Point[]): Hour[] {
  const hours = Map.groupBy(points, ({ at }) => Math.floor(at / hourMs) * hourMs)
  const all = [...hours].map(([at, minutes]) => ({
    at,
    ordersPerS: minutes.reduce((sum, { ordersPerS }) => sum + ordersPerS, 0) / minutes.length,
    p50Ms: mostOf(minutes.map(({ p50Ms }) => p50Ms)),
    p99Ms: mostOf(minutes.map(({ p99Ms }) => p99Ms)),
    volumeUsd: minutes.reduce((sum, { volumeUsd }) => sum + volumeUsd, 0),
  }))
  return all.reverse()
}

function mostOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

function msText(ms: number): string {
  return latency(ms / 1000)
}
