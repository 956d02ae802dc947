/**
 * A venue of the laboratory that is kept on disk: each going back begins a branch, and nothing that was done is written over.
 *
 * Order     a record is in the journal of the branch before its command is carried out
 * Branch    a directory with its journal, from the command behind its beginning on, and `begun.snapshot`, what it began with
 *           (branch-notes.ts); what else is there: kept.ts
 * Again     the venue comes back on the branch that it was on. After an orderly end all of it is as it was. After a crash the
 *           records are carried out anew; limits and simulated agents begin anew
 * Syncs     are the operating system's: a crash of the process loses nothing that was answered, one of the machine may
 * Source    lab.md §4.4; decisions/0032
 */
import assert from 'node:assert/strict'
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiKey } from '../api/api.ts'
import { type Journal, openFileJournal, type RecordsBeside } from '../journal/journal.ts'
import { CannotStart, DataDirectory, holdsVenue, writeWholeFile } from '../operator/operator.ts'
import { type BranchNotes, directoryOf, pathOf, readNotes, root, writeNotes } from './branch-notes.ts'
import { packSnapshot } from './snapshot-file.ts'
import { begunFile, type ClockNote, clockFile, keysFile, readSaved, readKept, stateFile } from './kept.ts'
import type { Beginning, SavedVenue } from './saved.ts'

/** Batches may be written that are not carried out yet: so many ends of batches are remembered. */
const endsMax = 8

/** A place in the journal of a branch, behind a command. */
interface Place {
  readonly branch: string
  readonly sequence: number
  readonly chain: number
}

/** How the venue begins; undefined `frozen`: as it was asked for. */
type KeptBeginning = Beginning & { readonly kept: Branches; readonly frozen?: boolean | undefined }

export class Branches implements RecordsBeside {
  readonly data: string
  readonly #version: string
  readonly #directory: DataDirectory
  #notes: BranchNotes
  #journal: Journal
  /** Ends of the newest batches, the last one last. */
  #ends: Place[]
  readonly #places = new WeakMap<SavedVenue, Place>()
  /** Where something is a file already. */
  readonly #files = new WeakMap<SavedVenue, string>()
  #clock = ''
  #save: (() => Promise<SavedVenue>) | undefined

  private constructor(directory: DataDirectory, version: string, notes: BranchNotes, journal: Journal) {
    this.data = directory.path
    this.#directory = directory
    this.#version = version
    this.#notes = notes
    this.#journal = journal
    this.#ends = [this.#end()]
  }

  /** Takes the directory for this process alone. A new one begins with `from`, or as a demo venue. Throws CannotStart. */
  static async open(
    data: string,
    version: string,
    { from, prune }: { readonly from?: Beginning | undefined; readonly prune: boolean },
  ): Promise<KeptBeginning> {
    const directory = DataDirectory.open(data)
    try {
      const found = readNotes(directory.path)
      if (found?.complete !== true) return await Branches.#begin(directory, version, from, found !== undefined)
      if (found.release !== version) {
        throw new CannotStart(`${data} was made by ${found.release}, this is ${version}: take a new directory`)
      }
      if (from !== undefined) throw new CannotStart(`${data} holds a venue already: --from is for a new directory`)
      return await Branches.#resume(directory, version, prune ? pruned(directory.path, found) : found)
    } catch (error) {
      directory.close()
      throw error
    }
  }

  static async #begin(
    directory: DataDirectory,
    version: string,
    from: Beginning | undefined,
    isUnfinished: boolean,
  ): Promise<KeptBeginning> {
    const { path } = directory
    if (isUnfinished)
      for (const name of ['journal', 'branches']) rmSync(join(path, name), { recursive: true, force: true })
    else if (existsSync(join(path, 'venue.json')) || holdsVenue(path)) {
      throw new CannotStart(
        `${path} holds a venue of "tidemark start": fork it with --from ${path}, into a new directory`,
      )
    }
    const branches = [{ branch: root, parent: null, sequence: 0, chain: 0, stateHash: '' }]
    const notes: BranchNotes = { version: 1, complete: false, release: version, current: root, made: 1, branches }
    writeNotes(path, notes)
    const reached = from?.through?.sequence ?? from?.from?.runtime?.sequence ?? 0
    const journal = await openBranch(path, { firstSequence: reached + 1, previousChain: 0 })
    return { ...from, kept: new Branches(directory, version, notes, journal) }
  }

  static async #resume(directory: DataDirectory, version: string, notes: BranchNotes): Promise<KeptBeginning> {
    const { path } = directory
    const at = directoryOf(path, notes.current)
    if (!existsSync(join(at, 'journal')))
      throw new CannotStart(`${at} is lost: the venue was on the branch ${notes.current}`)
    const journal = await openBranch(at)
    try {
      const stand = await readKept(at, journal, version)
      const begun = await readSaved(join(path, begunFile), version)
      const kept = new Branches(directory, version, notes, journal)
      const { sequence, chain } = notes.branches[0]
      kept.#places.set(begun, { branch: root, sequence, chain })
      kept.#files.set(begun, join(path, begunFile))
      return { kept, begun, ...stand }
    } catch (error) {
      await journal.close()
      throw error
    }
  }

  get current(): string {
    return this.#notes.current
  }

  async append(firstSequence: number, payloads: readonly Uint8Array[]): Promise<void> {
    await this.#journal.append(firstSequence, payloads)
    this.#ends = [...this.#ends.slice(1 - endsMax), this.#end()]
  }

  /** Where the venue stands behind a command that was just carried out. */
  placeAt(sequence: number): Place {
    const place = this.#ends.find((end) => end.sequence === sequence)
    assert(place !== undefined, 'a venue is saved between two batches')
    return place
  }

  /** Something that was saved at that place: the venue may go back to it. */
  remember(saved: SavedVenue, place: Place): void {
    this.#places.set(saved, place)
  }

  /** A new venue is made, and this is what it began with. */
  async begin(begun: SavedVenue): Promise<void> {
    if (this.#notes.complete) return
    const place = this.#places.get(begun) ?? {
      branch: root,
      sequence: begun.runtime.sequence,
      chain: this.#end().chain,
    }
    this.remember(begun, place)
    await this.#write(begun, join(this.data, begunFile))
    const branches = [{ ...place, parent: null, stateHash: begun.stateHash }]
    this.#note({ ...this.#notes, complete: true, branches })
  }

  /** Makes a branch that begins with what was saved; nothing changes before what is answered is called. */
  async branch(saved: SavedVenue): Promise<{ readonly turn: () => Promise<void> }> {
    const place = this.#places.get(saved)
    assert(place !== undefined, 'a venue goes back to what was saved of it')
    const { made, branches } = this.#notes
    const branch = `b${made}`
    const directory = directoryOf(this.data, branch)
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    await this.#write(saved, join(directory, begunFile))
    const { sequence, chain, branch: parent } = place
    const journal = await openBranch(directory, { firstSequence: sequence + 1, previousChain: chain })
    return {
      turn: async () => {
        const note = { branch, parent, sequence, chain, stateHash: saved.stateHash }
        this.#note({ ...this.#notes, current: branch, made: made + 1, branches: [...branches, note] })
        const before = this.#journal
        this.#journal = journal
        this.#ends = [this.#end()]
        this.#clock = ''
        await before.close()
      },
    }
  }

  noteClock(note: ClockNote): void {
    const text = JSON.stringify(note)
    if (text === this.#clock || !this.#notes.complete) return
    writeWholeFile(this.#file(clockFile), `${text}\n`)
    this.#clock = text
  }

  noteKeys(keys: readonly ApiKey[]): void {
    if (this.#notes.complete) writeWholeFile(this.#file(keysFile), `${JSON.stringify(keys)}\n`)
  }

  /** How the venue is saved at an orderly end. */
  saveBy(save: () => Promise<SavedVenue>): void {
    this.#save = save
  }

  /** An orderly end. */
  async keep(): Promise<void> {
    if (this.#notes.complete && this.#save !== undefined) await this.#write(await this.#save(), this.#file(stateFile))
  }

  async close(): Promise<void> {
    await this.#journal.close()
    this.#directory.close()
  }

  #end(): Place {
    const { lastSequence: sequence, chain } = this.#journal.segments().at(-1)!
    return { branch: this.#notes.current, sequence, chain }
  }

  #file(name: string): string {
    return join(directoryOf(this.data, this.#notes.current), name)
  }

  #note(notes: BranchNotes): void {
    writeNotes(this.data, notes)
    this.#notes = notes
  }

  async #write(saved: SavedVenue, file: string): Promise<void> {
    const written = this.#files.get(saved)
    if (written !== undefined && linked(written, file)) return
    writeWholeFile(file, await packSnapshot(saved, this.#version))
    if (file.endsWith(begunFile)) this.#files.set(saved, file)
  }
}

async function openBranch(
  directory: string,
  begin?: { readonly firstSequence: number; readonly previousChain: number },
): Promise<Journal> {
  const { journal } = await openFileJournal(join(directory, 'journal'), { sync: 'os', ...(begin && { begin }) })
  return journal
}

/** Not on every file system. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch {
    return false
  }
}

/** Without the branches that do not lead to the present one, and without what was done on those that do after they were left. */
function pruned(data: string, notes: BranchNotes): BranchNotes {
  const path = pathOf(notes, notes.current)
  const branches = notes.branches.filter((note) => path.includes(note))
  // Noted first: what is not noted is nobody's.
  const left = { ...notes, branches }
  writeNotes(data, left)
  for (const { branch } of notes.branches) {
    if (!branches.some((note) => note.branch === branch))
      rmSync(directoryOf(data, branch), { recursive: true, force: true })
  }
  for (const [place, { branch }] of path.entries()) {
    const child = path[place - 1]
    if (child !== undefined) forgetBehind(directoryOf(data, branch), child.sequence)
  }
  return left
}

/** How a branch ended, and its segments that begin behind a command; its first one stays. */
function forgetBehind(directory: string, sequence: number): void {
  for (const name of [stateFile, clockFile, keysFile]) rmSync(join(directory, name), { force: true })
  const journal = join(directory, 'journal')
  const segments = readdirSync(journal)
    .filter((name) => /^\d{20}\.journal$/.test(name))
    .sort()
  for (const name of segments.slice(1)) if (Number.parseInt(name) > sequence) rmSync(join(journal, name))
}
