/**
 * What the directory of a venue on disk notes of its branches: `branches.json`, written whole or not at all.
 *
 * Root    `b0` is kept in the directory itself, every other branch in `branches/ID`
 * Parent  a branch begins behind a command of its parent: `sequence`, with the chain of the parent's journal there and the hash of the
 *         state. So whoever reads both knows that the one continues the other
 * Source  lab.md §4.4; decisions/0032
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart, writeWholeFile } from '../operator/operator.ts'

export interface BranchNote {
  readonly branch: string
  /** Null: the root. */
  readonly parent: string | null
  /** What it began with, and goes back to. */
  readonly sequence: number
  /** Of the journal behind that command. */
  readonly chain: number
  readonly stateHash: string
}

export interface BranchNotes {
  readonly version: 1
  /** Not yet while the venue is made: what is there is then no venue. */
  readonly complete: boolean
  /** Made by this release: what is kept is read by it alone. */
  readonly release: string
  readonly current: string
  /** How many there ever were: the number of the next one. */
  readonly made: number
  /** Parents before their branches. */
  readonly branches: readonly BranchNote[]
}

export const root = 'b0'
const notesFile = 'branches.json'

export function directoryOf(data: string, branch: string): string {
  return branch === root ? data : join(data, 'branches', branch)
}

/** Undefined: there are none. Throws CannotStart. */
export function readNotes(data: string): BranchNotes | undefined {
  const file = join(data, notesFile)
  if (!existsSync(file)) return undefined
  let notes: unknown
  try {
    notes = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new CannotStart(`${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
  if (!areNotes(notes)) throw new CannotStart(`${file} is damaged: it does not say which branches there are`)
  return notes
}

export function writeNotes(data: string, notes: BranchNotes): void {
  writeWholeFile(join(data, notesFile), `${JSON.stringify(notes, undefined, 2)}\n`)
}

/** From a branch to the root. */
export function pathOf({ branches }: BranchNotes, branch: string): BranchNote[] {
  const path: BranchNote[] = []
  for (let next: string | null = branch; next !== null; ) {
    const note = branches.find((one) => one.branch === next)
    if (note === undefined) break
    path.push(note)
    next = note.parent
  }
  return path
}

function areNotes(notes: unknown): notes is BranchNotes {
  const { version, complete, release, current, made, branches } = (notes ?? {}) as Partial<BranchNotes>
  const isWhole = typeof complete === 'boolean' && typeof release === 'string' && Number.isSafeInteger(made)
  if (version !== 1 || !isWhole || !Array.isArray(branches)) return false
  const known = new Set<string | null>()
  for (const { branch, parent, sequence, chain, stateHash } of branches as readonly BranchNote[]) {
    const isPlaced = branch === root ? parent === null : known.has(parent)
    const areNumbers = [sequence, chain].every((value) => Number.isSafeInteger(value) && value >= 0)
    if (!/^b\d{1,15}$/.test(branch) || !isPlaced || !areNumbers || typeof stateHash !== 'string') return false
    known.add(branch)
  }
  return known.has(root) && known.has(current ?? null)
}
