/** The equity of an account over time, and how far its profit lay below its highest. A point that is looked at is shown in both. */
import { useState } from 'preact/hooks'
import { money, percent, signed } from '../numbers/format.ts'
import { Curve } from '../parts/curve.tsx'
import { Panel } from '../parts/panel.tsx'
import { dateTime } from '../store/times.ts'
import type { EquityPoint, Fall } from '../trading/performance.ts'
import { t } from '../words/words.ts'

interface CurvesProps {
  readonly points: readonly EquityPoint[]
  readonly largestFall: Fall
}

export function PerformanceCurves({ points, largestFall }: CurvesProps) {
  const [at, setAt] = useState<number | undefined>(undefined)
  const first = points[0]
  const last = points.at(-1)
  const isFlat = first === undefined || last === undefined || last.at === first.at
  const shown = points[Math.min(at ?? points.length - 1, points.length - 1)]
  if (isFlat || shown === undefined)
    return (
      <Panel title={t.performance.equity} class="wide-panel">
        <p class="empty">{t.performance.nothing}</p>
      </Panel>
    )
  const values = points.map(({ equity }) => equity)
  const equity = money(shown.equity.toFixed(2), 'USDT')
  const fall = belowHighest(shown.fall)
  const share = percent(String(shown.fall.share))
  const common = { at, onAt: setAt }
  return (
    <>
      <Panel title={t.performance.equity}>
        <p class="curve-head">
          <strong>{equity}</strong>{' '}
          <span class="quiet">{t.performance.at(dateTime(shown.at), signed(shown.profit.toFixed(2)))}</span>
        </p>
        <Curve
          {...common}
          class="curve-of-equity"
          points={points.map(({ at: time, equity: value }) => ({ at: time, value }))}
          label={t.performance.curve({
            from: money(first.equity.toFixed(2)),
            to: money(last.equity.toFixed(2)),
            low: money(Math.min(...values).toFixed(2)),
            high: money(Math.max(...values).toFixed(2)),
          })}
          valueText={`${dateTime(shown.at)}: ${equity}`}
        />
      </Panel>
      <Panel title={t.performance.belowHighest}>
        <p class="curve-head">
          <strong>{fall}</strong> <span class="quiet">{t.performance.fallAt(dateTime(shown.at), share)}</span>
        </p>
        <Curve
          {...common}
          hangs
          class="curve-of-falls"
          points={points.map(({ at: time, fall: { amount } }) => ({ at: time, value: -amount }))}
          label={t.performance.fallCurve(belowHighest(last.fall), belowHighest(largestFall))}
          valueText={`${dateTime(shown.at)}: ${fall} (${share})`}
        />
      </Panel>
    </>
  )
}

const belowHighest = ({ amount }: Fall) => money((amount < 0.005 ? 0 : -amount).toFixed(2), 'USDT')
