/**
 * Runs of benches in processes of their own, of this tree or of another one.
 *
 * Turns    a comparison runs both builds one after the other, several times, and the one that was first is second the next
 *          time: a machine's speed changes by half within an hour, so that only ratios within a turn say something
 * Build    of a revision is a work tree of it; its own benches run in it. It has the packages of this one where it asks for the
 *          same, and its own elsewhere
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { ensureInstalled } from '../scripts/ready.js'
import { spawnChild } from './child.ts'
import { type Figure, median } from './measure.ts'

/** Each figure of one run of a bench, as it comes; rejects when the bench fails. */
export async function* figuresOf(tree: string, name: string, options: readonly string[]): AsyncGenerator<Figure> {
  const child = spawnChild([join(tree, 'bench', `${name}.ts`), ...options], { cwd: tree })
  const exited = once(child, 'exit') as Promise<[number | null]>
  for await (const line of createInterface({ input: child.stdout as Readable })) yield JSON.parse(line) as Figure
  const [code] = await exited
  if (code !== 0) throw new Error(`bench ${name} failed with code ${code}`)
}

/** A work tree of a revision, which goes with the disposal. */
export function treeOf(checkout: string, revision: string): Disposable & { readonly path: string } {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] })
  const commit = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`).toString().trim()
  const path = mkdtempSync(join(tmpdir(), 'tidemark-compared-'))
  git('worktree', 'add', '--detach', '--force', path, commit)
  const lock = (tree: string) => readFileSync(join(tree, 'package-lock.json'), 'utf8')
  if (lock(path) === lock(checkout)) symlinkSync(join(checkout, 'node_modules'), join(path, 'node_modules'))
  else ensureInstalled('everything', path)
  return {
    path,
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true })
      git('worktree', 'prune')
    },
  }
}

export interface Ratio {
  readonly case: string
  readonly figure: string
  /** Of this tree over the other one, of each turn: the middle, the least and the most. */
  readonly middle: number
  readonly least: number
  readonly most: number
  readonly now: number
  readonly other: number
}

/** Figures of one turn by case and name. */
type Turn = ReadonlyMap<string, number>

export function turnOf(figures: readonly Figure[]): Turn {
  return new Map(
    figures.flatMap(({ case: of, figures: named }) =>
      Object.entries(named).map(([name, value]) => [`${of}\n${name}`, value] as const),
    ),
  )
}

/** Ratios of whatever both builds measure, turn by turn. */
export function ratiosOf(now: readonly Turn[], others: readonly Turn[]): Ratio[] {
  const found: Ratio[] = []
  for (const key of now[0]?.keys() ?? []) {
    const pairs = now.map((turn, index) => [turn.get(key), others[index]?.get(key)] as const)
    const whole = pairs.filter((pair): pair is [number, number] => pair[0] !== undefined && (pair[1] ?? 0) !== 0)
    if (whole.length === 0) continue
    const ratios = whole.map(([a, b]) => a / b)
    const [of, figure] = key.split('\n')
    found.push({
      case: of,
      figure,
      middle: median(ratios),
      least: Math.min(...ratios),
      most: Math.max(...ratios),
      now: median(whole.map(([a]) => a)),
      other: median(whole.map(([, b]) => b)),
    })
  }
  return found
}
