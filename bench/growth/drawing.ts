/**
 * Growth as pictures: for each axis one SVG, what a command or a read costs over what it cost at the smallest size.
 *
 * Panels   commands on the left, reads on the right, both scales logarithmic. Dashed: whichever account of all of them;
 *          solid: the same thousand accounts, or what makes no such difference
 * Legible  in dark and light: the page shows through, ink follows what the reader prefers, colours suit both
 */
import { scaleLog } from 'd3-scale'
import { line } from 'd3-shape'

export type Axis = 'accounts' | 'orders' | 'both' | 'instruments'

/** What was measured at one size on one axis; figures in nanoseconds. */
export interface Curve {
  readonly axis: Axis
  readonly size: number
  readonly figures: Readonly<Record<string, number>>
}

const titles: Readonly<Record<Axis, string>> = {
  accounts: 'accounts',
  orders: 'resting orders',
  both: 'accounts and resting orders',
  instruments: 'instruments',
}

interface Line {
  readonly label: string
  readonly colour: string
  /** Names of figures. */
  readonly solid: string
  readonly dashed?: string
}

const panels: readonly { readonly title: string; readonly lines: readonly Line[] }[] = [
  {
    title: 'commands',
    lines: [
      { label: 'place', colour: '#3b82c4', solid: 'placeSameNs', dashed: 'placeAnyNs' },
      { label: 'cancel', colour: '#d9822b', solid: 'cancelSameNs', dashed: 'cancelAnyNs' },
      { label: 'fill', colour: '#3a9a5b', solid: 'fillSameNs', dashed: 'fillAnyNs' },
      { label: 'mark update', colour: '#b0559f', solid: 'markUpdateNs' },
    ],
  },
  {
    title: 'reads',
    lines: [
      { label: 'position (E5)', colour: '#3b82c4', solid: 'positionSameNs', dashed: 'positionAnyNs' },
      { label: '100 fills (E1)', colour: '#d9822b', solid: 'fillsNs' },
      { label: '100 orders (E13)', colour: '#3a9a5b', solid: 'ordersNs' },
    ],
  },
]

/** What the design allows at the largest size. */
const allowed = 1.3
const [width, height] = [820, 340]
const panel = { width: 330, height: 210, top: 70, left: [50, 450] } as const
const style = `
text { font: 12px system-ui, sans-serif; fill: #444c56 }
.title { font-weight: 600 }
.grid { stroke: #8b949e; stroke-opacity: .3 }
.allowed { stroke: #8b949e; stroke-dasharray: 2 3 }
.curve { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) { text { fill: #adbac7 } }
`

export function drawn(curves: readonly Curve[]): Map<Axis, string> {
  return new Map(
    (Object.keys(titles) as Axis[]).map((axis) => [
      axis,
      picture(
        axis,
        curves.filter((curve) => curve.axis === axis),
      ),
    ]),
  )
}

function picture(axis: Axis, curves: readonly Curve[]): string {
  const sizes = curves.map(({ size }) => size)
  const names = panels.flatMap(({ lines }) => lines.flatMap(({ solid, dashed }) => [solid, dashed ?? solid]))
  const most = Math.max(2, ...names.flatMap((name) => ratios(curves, name)))
  const least = Math.min(0.5, ...names.flatMap((name) => ratios(curves, name)))
  const x = scaleLog([Math.min(...sizes), Math.max(...sizes)], [0, panel.width])
  const y = scaleLog([least, most], [panel.height, 0])
  const curve = (name: string) =>
    line<number>(
      (_, index) => x(sizes[index]),
      (ratio) => y(ratio),
    )(ratios(curves, name)) ?? ''

  const parts = panels.map(({ title, lines }, index) => {
    const steps = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256].filter((step) => step >= least && step <= most)
    const grid = steps.map(
      (step) =>
        `<line class="grid" x2="${panel.width}" y1="${y(step)}" y2="${y(step)}"/>` +
        `<text x="-8" y="${y(step) + 4}" text-anchor="end">${step}×</text>`,
    )
    const ticks = sizes.map(
      (size) =>
        `<text x="${x(size)}" y="${panel.height + 20}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    )
    const drawings = lines.map(({ solid, dashed, colour }) =>
      [
        `<path class="curve" stroke="${colour}" d="${curve(solid)}"/>`,
        dashed === undefined
          ? ''
          : `<path class="curve" stroke="${colour}" stroke-dasharray="6 4" d="${curve(dashed)}"/>`,
      ].join(''),
    )
    const labels = lines.map(({ label, colour }, place) => {
      const from = place * (panel.width / lines.length)
      return `<line class="curve" stroke="${colour}" x1="${from}" x2="${from + 14}" y1="-18" y2="-18"/><text x="${from + 18}" y="-14">${label}</text>`
    })
    return [
      `<g transform="translate(${panel.left[index]} ${panel.top})">`,
      `<text class="title" y="-38">${title}</text>`,
      ...grid,
      `<line class="allowed" x2="${panel.width}" y1="${y(allowed)}" y2="${y(allowed)}"/>`,
      `<text x="${panel.width + 4}" y="${y(allowed) + 4}">${allowed}×</text>`,
      ...ticks,
      ...drawings,
      ...labels,
      '</g>',
    ].join('\n')
  })
  const label = `Cost by number of ${titles[axis]}, over the cost at the smallest`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    `<style>${style}</style>`,
    `<text x="${panel.left[0]}" y="16">${label}; dashed: any account, solid: the same thousand</text>`,
    ...parts,
    `<text x="${width / 2}" y="${height - 12}" text-anchor="middle">${titles[axis]}</text>`,
    '</svg>\n',
  ].join('\n')
}

function ratios(curves: readonly Curve[], name: string): number[] {
  const first = curves[0]?.figures[name] ?? Number.NaN
  return curves.map(({ figures }) => (figures[name] ?? Number.NaN) / first)
}
