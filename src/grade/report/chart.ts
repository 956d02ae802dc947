/**
 * The position over a run as a small drawing, with the twin's dashed below it and the time of the fault shaded.
 *
 * Time      of both begins where the bot was warm
 */
import { type AccountState, accountStates } from '../account.ts'
import type { Evidence } from '../evidence.ts'

const width = 600
const height = 110
const margin = 6

export function positionChart(run: Evidence, twin: Evidence): string {
  const length = Math.max(1, run.ended - run.warm)
  const own = accountStates(run)
  const other = accountStates(twin)
  const symbols = [...new Set([...own, ...other].flatMap(({ positions }) => Object.keys(positions)))].sort()
  return symbols.map((symbol) => drawing(symbol, { run, own, other, twin, length })).join('')
}

interface Drawn {
  readonly run: Evidence
  readonly twin: Evidence
  readonly own: readonly AccountState[]
  readonly other: readonly AccountState[]
  readonly length: number
}

function drawing(symbol: string, { run, twin, own, other, length }: Drawn): string {
  const values = [...own, ...other].map(({ positions }) => positions[symbol] ?? 0)
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const x = (ms: number) => (Math.min(length, Math.max(0, ms)) / length) * width
  const y = (value: number) => margin + (1 - (value - low) / (high - low || 1)) * (height - 2 * margin)
  const line = (states: readonly AccountState[], begun: number) => {
    const points = states
      .filter(({ until, from }) => until >= begun && from - begun <= length)
      .flatMap(({ from, until, positions }) => {
        const at = y(positions[symbol] ?? 0).toFixed(1)
        return [`${x(from - begun).toFixed(1)},${at}`, `${x(until - begun).toFixed(1)},${at}`]
      })
    return points.join(' ')
  }
  const [from, until] = [x(run.struck - run.warm), x(run.over - run.warm)]
  const title = `Position in ${symbol}, from ${round(low)} to ${round(high)}, over ${Math.round(length / 1_000)} s`
  return `<figure><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}" preserveAspectRatio="none">
<rect class="fault" x="${from.toFixed(1)}" y="0" width="${Math.max(2, until - from).toFixed(1)}" height="${height}"/>
<line class="zero" x1="0" x2="${width}" y1="${y(0).toFixed(1)}" y2="${y(0).toFixed(1)}"/>
<polyline class="twin" points="${line(other, twin.warm)}"/>
<polyline class="own" points="${line(own, run.warm)}"/>
</svg><figcaption>${title}. Line: the bot. Dashes: without the fault. Shaded: the fault.</figcaption></figure>`
}

function round(value: number): string {
  return String(Number(value.toFixed(6)))
}
