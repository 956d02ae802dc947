/** The last hours: orders, latency and volume minute by minute, and the newest lines of the log with their levels. */
import { latency, short } from '../numbers/format.ts'
import { Panel } from '../parts/panel.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { dateTime, minuteTime } from '../store/times.ts'
import { LogPanel } from './log-panel.tsx'
import type { Course } from './records.ts'
import { Sparkline } from './sparkline.tsx'
import { useRead } from './use-read.ts'

type Point = Course['points'][number]

const everyMs = 30_000

const curves = [
  ['Orders / s', ({ ordersPerS }: Point) => ordersPerS, short],
  ['Latency p50', ({ p50Ms }: Point) => p50Ms ?? 0, msText],
  ['Latency p99', ({ p99Ms }: Point) => p99Ms ?? 0, msText],
  ['Volume / min, USD', ({ volumeUsd }: Point) => volumeUsd, short],
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
      title="Course"
      aside={<span class="quiet">{first === undefined ? '' : `since ${dateTime(first.at)}, a point a minute`}</span>}
    >
      {points.length === 0 ? (
        <p class="empty">{data === undefined ? fault || 'Reading …' : 'The first minute is not over yet.'}</p>
      ) : (
        <>
          <dl class="curves">
            {curves.map(([title, valueOf, text]) => {
              const values = points.map(valueOf)
              return (
                <div key={title} class="tile">
                  <dt>{title}</dt>
                  <dd>{text(values.at(-1) ?? 0)}</dd>
                  <dd class="most">most {text(Math.max(...values))}</dd>
                  <Sparkline values={values} />
                </div>
              )
            })}
          </dl>
          <details class="house">
            <summary>By the hour</summary>
            <Rows
              caption="Course by the hour"
              columns={hourColumns}
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
  readonly p50Ms: number
  readonly p99Ms: number
  readonly volumeUsd: number
}

const hourColumns: readonly Column<Hour>[] = [
  { title: 'From', time: true, head: true, cell: ({ at }) => `${dateTime(at).slice(0, 11)}${minuteTime(at)}` },
  { title: 'Orders / s', number: true, cell: ({ ordersPerS }) => short(ordersPerS) },
  { title: 'Highest p50 of a minute', number: true, cell: ({ p50Ms }) => msText(p50Ms) },
  { title: 'Highest p99 of a minute', number: true, cell: ({ p99Ms }) => msText(p99Ms) },
  { title: 'Volume, USD', number: true, cell: ({ volumeUsd }) => short(volumeUsd) },
]

const hourMs = 3_600_000

/** Newest first. */
function byHour(points: readonly Point[]): Hour[] {
  const hours = Map.groupBy(points, ({ at }) => Math.floor(at / hourMs) * hourMs)
  const all = [...hours].map(([at, minutes]) => ({
    at,
    ordersPerS: minutes.reduce((sum, { ordersPerS }) => sum + ordersPerS, 0) / minutes.length,
    p50Ms: Math.max(...minutes.map(({ p50Ms }) => p50Ms ?? 0)),
    p99Ms: Math.max(...minutes.map(({ p99Ms }) => p99Ms ?? 0)),
    volumeUsd: minutes.reduce((sum, { volumeUsd }) => sum + volumeUsd, 0),
  }))
  return all.reverse()
}

function msText(ms: number): string {
  return latency(ms / 1000)
}
