/** The recent course of a figure, drawn small; its numbers stand beside it, so screen readers pass it over. */
const width = 120
const height = 28

export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1e-9, ...values)
  const x = (index: number) => (width * index) / Math.max(1, values.length - 1)
  const points = values.map(
    (value, index) => `${x(index).toFixed(1)},${(height - 2 - (value / most) * (height - 4)).toFixed(1)}`,
  )
  if (points.length < 2) return null
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${height} ${points.join(' ')} ${width},${height}`} />
      <polyline points={points.join(' ')} />
    </svg>
  )
}
