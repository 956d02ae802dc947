/**
 * A value over time, as a line with what is under it. The pointer or the arrow keys show a point of it.
 *
 * Height  from the lowest to the highest value
 * Under   the line, or over it (`hangs`) where values are below a highest
 */
import { money } from '../numbers/format.ts'

const width = 1000
const height = 260
const margin = 14

interface CurveProps {
  /** More than one, and not all at one time. */
  readonly points: readonly { readonly at: number; readonly value: number }[]
  /** The point that is shown; undefined: the last. */
  readonly at: number | undefined
  readonly onAt: (at: number | undefined) => void
  readonly label: string
  readonly valueText: string
  readonly class: string
  readonly hangs?: boolean
}

export function Curve({ points, at, onAt, label, valueText, class: className, hangs = false }: CurveProps) {
  const last = points.length - 1
  const from = points.at(0)?.at ?? 0
  const to = points.at(-1)?.at ?? 1
  const values = points.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const room = high - low || Math.max(1, Math.abs(high) / 100)
  const x = (time: number) => ((time - from) / (to - from)) * width
  const bottom = hangs ? high - room : low
  const y = (value: number) => height - margin - ((value - bottom) / room) * (height - 2 * margin)
  const line = points.map((point) => `${x(point.at).toFixed(1)},${y(point.value).toFixed(1)}`).join(' ')
  const base = hangs ? y(high) : height
  const shownAt = at === undefined ? undefined : points[at]?.at
  return (
    <div
      class={`curve ${className}`}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at ?? last}
      aria-valuetext={valueText}
      onPointerMove={(event) => {
        const box = event.currentTarget.getBoundingClientRect()
        const wanted = from + ((event.clientX - box.left) / box.width) * (to - from)
        const next = points.findIndex((point) => point.at >= wanted)
        onAt(next === -1 ? last : next)
      }}
      onPointerLeave={() => onAt(undefined)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
        event.preventDefault()
        const by = event.key === 'ArrowLeft' ? -1 : 1
        onAt(Math.max(0, Math.min(last, (at ?? last) + by)))
      }}
    >
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <polygon class="curve-area" points={`0,${base} ${line} ${width},${base}`} />
        <polyline class="curve-line" points={line} />
        {shownAt !== undefined && <line class="curve-mark" x1={x(shownAt)} x2={x(shownAt)} y1="0" y2={height} />}
      </svg>
      <span class="curve-high">{money(high.toFixed(2))}</span>
      {low < high && <span class="curve-low">{money(low.toFixed(2))}</span>}
    </div>
  )
}
