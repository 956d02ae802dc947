/**
 * The directory of a venue that a laboratory keeps: each going back began a branch, with a journal of its own. `branches.json` says
 * behind which command of which other one, with the chain of that journal there and the hash of the state.
 *
 *   branch     its journal continues its parent's behind that command: the same chain, no record lost between
 *   snapshots  `begun.snapshot` is what it began with, `state.snapshot` its last orderly end: one line of JSON with a checksum, then
 *              zstd of a structured clone
 *   rows       history's, from the newest of both, against the records that lead there from the root
 *
 * Not checked  `clock.json`, `keys.json`: they say what no command says
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize } from 'node:v8'
import { zstdDecompressSync } from 'node:zlib'
import type { Findings, OnPart } from './findings.ts'
import { type JournalContent, readJournal } from './journal.ts'
import type { Reference } from './rows.ts'
import { stateOf } from './snapshot.ts'
import { readVenueState, type VenueState } from './state.ts'

export const notesFile = 'branches.json'

interface Branch {
  readonly branch: string
  readonly parent: string | null
  readonly sequence: number
  readonly chain: number
  readonly stateHash: string
}

interface Saved {
  readonly file: string
  readonly sequence: number
  readonly stateHash: string
  readonly state: VenueState | undefined
  readonly history: Uint8Array
  readonly poisoned: ReadonlySet<number>
  readonly sha256: string
}

type CheckHistory = (
  source: Uint8Array,
  place: { readonly file: string },
  reference: Reference,
  findings: Findings,
) => void

export function verifyBranches(data: string, findings: Findings, onPart: OnPart, checkHistory: CheckHistory): void {
  const branches = readBranches(data, findings)
  onPart('journal')
  const journals = new Map<string, JournalContent>()
  for (const branch of branches) {
    const own = readJournal(data, findings, underOf(branch))
    if (own === undefined) continue
    const parent = branch.parent === null ? undefined : journals.get(branch.parent)
    if (parent !== undefined) checkContinues(branch, own, parent, findings)
    journals.set(branch.branch, parent === undefined ? own : joined(parent, own, branch.sequence))
    findings.count('branches')
  }
  onPart('snapshots')
  // A branch may begin with the very file that another one began with.
  const checked = new Set<string>()
  for (const branch of branches) {
    const journal = journals.get(branch.branch)
    const begun = readSaved(data, `${underOf(branch)}begun.snapshot`, findings)
    if (begun === undefined) continue
    if (begun.sequence !== branch.sequence || begun.stateHash !== branch.stateHash) {
      findings.fault(
        'branches',
        { file: begun.file },
        `it is not what ${notesFile} says that ${branch.branch} began with`,
      )
    }
    const ended = existsSync(join(data, underOf(branch), 'state.snapshot'))
      ? readSaved(data, `${underOf(branch)}state.snapshot`, findings)
      : undefined
    for (const { file, sequence } of ended === undefined ? [begun] : [begun, ended]) {
      if (journal === undefined || sequence <= journal.lastSequence) continue
      const what = `it stands at ${sequence}, but the journal ends with ${journal.lastSequence}: records were lost`
      findings.fault('reach', { file }, what)
    }
    const newest = ended ?? begun
    const name = `${branch.parent === null ? '' : branch.parent} ${newest.sha256}`
    if (checked.has(name)) continue
    checked.add(name)
    const states = [...new Set([begun.state, newest.state])].filter((state) => state !== undefined)
    const { file, history, poisoned } = newest
    checkHistory(history, { file }, { journal, states, poisoned }, findings)
  }
}

function underOf({ branch, parent }: Branch): string {
  return parent === null ? '' : `branches/${branch}/`
}

/** Those that are sound, parents before their branches. */
function readBranches(data: string, findings: Findings): Branch[] {
  const fault = (what: string) => findings.fault('branches', { file: notesFile }, what)
  let noted: readonly Branch[]
  try {
    const notes = JSON.parse(readFileSync(join(data, notesFile), 'utf8')) as {
      complete?: boolean
      current?: string
      branches: readonly Branch[]
    }
    if (notes.complete !== true) fault('the venue was never whole: a crash interrupted its making')
    noted = [...notes.branches]
    if (!noted.some(({ branch }) => branch === notes.current)) fault(`there is no branch ${notes.current}`)
  } catch (error) {
    fault(`it cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    return []
  }
  const sound: Branch[] = []
  for (const branch of noted) {
    const isRoot = branch.parent === null && sound.length === 0
    if (isRoot || sound.some((one) => one.branch === branch.parent)) sound.push(branch)
    else fault(`${branch.branch} continues ${branch.parent}, which is not there before it`)
  }
  return sound
}

function checkContinues(branch: Branch, own: JournalContent, parent: JournalContent, findings: Findings): void {
  const { sequence, chain } = branch
  const fault = (what: string) => findings.fault('branches', { file: `${underOf(branch)}journal` }, what)
  if (own.firstSequence !== sequence + 1) {
    fault(`it begins with record ${own.firstSequence}, and its branch behind record ${sequence}`)
  }
  if (own.previousChain !== chain) fault(`it does not continue the chain that ${notesFile} says`)
  if (sequence > parent.lastSequence) {
    fault(`it continues ${branch.parent} behind record ${sequence}, which ends with ${parent.lastSequence}`)
  } else if (parent.chains.get(sequence)?.includes(chain) !== true) {
    fault(`it continues ${branch.parent} behind record ${sequence}, where the chain is another one`)
  }
}

/** The records that lead to the end of a branch. */
function joined(parent: JournalContent, own: JournalContent, sequence: number): JournalContent {
  const upTo = <Value>(all: ReadonlyMap<number, Value>) => [...all].filter(([at]) => at <= sequence)
  return {
    firstSequence: parent.firstSequence,
    lastSequence: Math.max(own.lastSequence, sequence),
    kinds: new Map([...upTo(parent.kinds), ...own.kinds]),
    stamps: new Map([...upTo(parent.stamps), ...own.stamps]),
    money: new Map([...upTo(parent.money), ...own.money]),
    previousChain: parent.previousChain,
    // Behind the last of them there are the parent's and those of the header that follows.
    chains: new Map([...upTo(parent.chains), ...own.chains]),
  }
}

function readSaved(data: string, file: string, findings: Findings): Saved | undefined {
  const damaged = (what: string): undefined => {
    findings.fault('snapshots', { file }, what)
    return undefined
  }
  if (!existsSync(join(data, file))) return damaged('it is not there')
  findings.count('snapshots')
  const bytes = readFileSync(join(data, file))
  const headEnd = bytes.subarray(0, 1_000).indexOf('\n')
  const content = bytes.subarray(headEnd + 1)
  const found = createHash('sha256').update(content).digest('hex')
  try {
    const line = bytes.toString('utf8', 0, headEnd)
    if (!line.startsWith('tidemark-lab-snapshot ')) return damaged('this is not a snapshot of a laboratory')
    const head = JSON.parse(line.slice(line.indexOf(' '))) as { readonly sha256: string }
    if (found !== head.sha256) return damaged('its content does not match its checksum')
    const saved = deserialize(zstdDecompressSync(content)) as {
      readonly runtime: {
        readonly state: readonly Uint8Array[]
        readonly sequence: number
        readonly lastAt: number
        readonly poisoned: readonly { readonly sequence: number }[]
      }
      readonly history: { readonly bytes: Uint8Array }
      readonly stateHash: string
    }
    const { sequence, lastAt, poisoned } = saved.runtime
    const state = Buffer.concat(saved.runtime.state)
    const hash = createHash('sha256').update(state).digest('hex')
    if (hash !== saved.stateHash) return damaged(`its state has the hash ${hash}, not ${saved.stateHash}`)
    return {
      file,
      sequence,
      stateHash: hash,
      state: readVenueState({ file, sequence, lastAt, state: stateOf(state) }, findings),
      history: saved.history.bytes,
      poisoned: new Set(poisoned.map((command) => command.sequence)),
      sha256: found,
    }
  } catch (error) {
    return damaged(`it cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
