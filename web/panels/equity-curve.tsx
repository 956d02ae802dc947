/** The equity of an account over time, as a line. The pointer or the arrow keys show a point of it. */
import { useState } from 'preact/hooks'
import { money, signed } from '../numbers/format.ts'
import { dateTime } from '../store/times.ts'
import type { EquityPoint } from '../trading/performance.ts'
import { t } from '../words/words.ts'

const width = 1000
const height = 260

export function EquityCurve({ points }: { points: readonly EquityPoint[] }) {
  const [at, setAt] = useState<number | undefined>(undefined)
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined || last.at === first.at)
    return <p class="empty">{t.performance.nothing}</p>
  const values = points.map(({ equity }) => equity)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const room = high - low || Math.max(1, Math.abs(high) / 100)
  const x = (point: EquityPoint) => ((point.at - first.at) / (last.at - first.at)) * width
  const y = (value: number) => height - 14 - ((value - low) / room) * (height - 28)
  const line = points.map((point) => `${x(point).toFixed(1)},${y(point.equity).toFixed(1)}`).join(' ')
  const shown = points[Math.min(at ?? points.length - 1, points.length - 1)] ?? last
  const move = (by: number) => setAt(Math.max(0, Math.min(points.length - 1, (at ?? points.length - 1) + by)))
  const said = t.performance.curve({
    from: money(first.equity.toFixed(2)),
    to: money(last.equity.toFixed(2)),
    low: money(low.toFixed(2)),
    high: money(high.toFixed(2)),
  })
  return (
    <div class="equity">
      <p class="equity-head" aria-live="off">
        <strong>{money(shown.equity.toFixed(2), 'USDT')}</strong>{' '}
        <span class="quiet">{t.performance.at(dateTime(shown.at), signed(shown.profit.toFixed(2)))}</span>
      </p>
      <div
        class="equity-chart"
        role="slider"
        tabIndex={0}
        aria-label={said}
        aria-valuemin={0}
        aria-valuemax={points.length - 1}
        aria-valuenow={at ?? points.length - 1}
        aria-valuetext={`${dateTime(shown.at)}: ${money(shown.equity.toFixed(2), 'USDT')}`}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect()
          const wanted = first.at + ((event.clientX - box.left) / box.width) * (last.at - first.at)
          const next = points.findIndex((point) => point.at >= wanted)
          setAt(next === -1 ? points.length - 1 : next)
        }}
        onPointerLeave={() => setAt(undefined)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
          event.preventDefault()
          move(event.key === 'ArrowLeft' ? -1 : 1)
        }}
      >
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          <polygon class="equity-area" points={`0,${height} ${line} ${width},${height}`} />
          <polyline class="equity-line" points={line} />
          {at !== undefined && <line class="equity-mark" x1={x(shown)} x2={x(shown)} y1="0" y2={height} />}
        </svg>
        <span class="equity-high">{money(high.toFixed(2))}</span>
        <span class="equity-low">{money(low.toFixed(2))}</span>
      </div>
    </div>
  )
}
