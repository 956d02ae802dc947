/**
 * How the cost of a command and of a read grows with the venue: `npm run bench -- growth [--quick] [--draw] [--redraw]`.
 *
 * Axes     accounts beside 1,000 resting orders · resting orders of 100,000 accounts · both together · instruments, beside
 *          10,000 accounts and orders
 * Points   each size in a fresh process (growth/point.ts), so that none has another's compiled code and memory; a size that lies
 *          on several axes is measured once
 * Figures  processor time: the busy machine says less than the ratio of two sizes
 * Options  --quick: sizes up to 10,000, instruments up to 10 · --draw: keeps what was measured in docs/performance/growth.json
 *          and draws it · --redraw: draws what is kept and measures nothing
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { type Axis, type Curve, drawn } from './growth/drawing.ts'
import type { Point } from './growth/point.ts'
import { report } from './measure.ts'
import { machineAndCommit } from './stamp.ts'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    draw: { type: 'boolean', default: false },
    redraw: { type: 'boolean', default: false },
  },
})
const pages = fileURLToPath(new URL('../docs/performance', import.meta.url))
const kept = join(pages, 'growth.json')
const sizes = options.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000]
const instrumentCounts = options.quick ? [1, 10] : [1, 10, 100, 1_000]

const axes: Readonly<Record<Axis, readonly Point[]>> = {
  accounts: sizes.map((accounts) => ({ accounts, orders: 1_000, instruments: 1 })),
  orders: sizes.map((orders) => ({ accounts: options.quick ? 10_000 : 100_000, orders, instruments: 1 })),
  both: sizes.map((size) => ({ accounts: size, orders: size, instruments: 1 })),
  instruments: instrumentCounts.map((instruments) => ({ accounts: 10_000, orders: 10_000, instruments })),
}

if (!options.redraw) {
  const curves = await measure()
  if (options.draw) keep({ ...machineAndCommit(), at: new Date().toISOString(), load: loadavg()[0], curves })
}
if (options.draw || options.redraw) draw()

async function measure(): Promise<Curve[]> {
  const seen = new Map<string, Record<string, number>>()
  const curves: Curve[] = []
  for (const axis of ['accounts', 'orders', 'both', 'instruments'] as const) {
    for (const point of axes[axis]) {
      const { accounts, orders, instruments } = point
      const key = `${accounts} accounts, ${orders} orders, ${instruments} instruments`
      const figures = seen.get(key) ?? (await measurePoint(point))
      if (!seen.has(key)) report({ bench: 'growth', case: key, count: 1, figures })
      seen.set(key, figures)
      curves.push({ axis, size: axis === 'both' ? accounts : point[axis], figures })
    }
  }
  return curves
}

async function measurePoint({ accounts, orders, instruments }: Point): Promise<Record<string, number>> {
  const program = fileURLToPath(new URL('growth/point.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-old-space-size=8192',
    program,
    ...[accounts, orders, instruments].map(String),
  ])
  return JSON.parse(stdout) as Record<string, number>
}

function keep(measured: object): void {
  mkdirSync(pages, { recursive: true })
  writeFileSync(kept, `${JSON.stringify(measured, null, 2)}\n`)
}

function draw(): void {
  const { curves } = JSON.parse(readFileSync(kept, 'utf8')) as { readonly curves: readonly Curve[] }
  for (const [axis, svg] of drawn(curves)) writeFileSync(join(pages, `growth-${axis}.svg`), svg)
}
