/**
 * The independent verifier: reads a stopped venue's directory and checks it against itself. It shares no code with the
 * server, so a defect there is not one here.
 *
 *   1  journal.ts, commands.ts   every segment, batch and record; the chain; stamps
 *   2  snapshot.ts, state.ts     checksums and hash; what must hold within a state
 *   3  rows.ts                   history's rows against the commands that they came of, and their numbers
 *   4  trades.ts                 fills, trades, orders, positions, funding against one another
 *   5  postings.ts, money.ts     history's rows against the balances of the snapshots, and from balance to balance
 *   6  conversions.ts            exchanges and forced sales are told as what they moved
 *
 * Branches  the directory of a `tidemark dev --data` has several journals: branches.ts
 * Writes nothing. A venue that runs is refused: its files are not of one moment; a copy that is may be verified.
 * Not checked  that a price, a fee or a match was what the rules ask for: that is the engine's, and its tests'
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { notesFile, verifyBranches } from './branches.ts'
import { checkConversions } from './conversions.ts'
import { Database } from './database.ts'
import { Findings, type OnPart } from './findings.ts'
import { type JournalContent, readJournal } from './journal.ts'
import { checkMoney } from './money.ts'
import { checkPostings } from './postings.ts'
import { checkRows, type History, historyFile, type Reference } from './rows.ts'
import { readSnapshots } from './snapshot.ts'
import { readVenueState, type VenueState } from './state.ts'
import { checkTrades } from './trades.ts'

/** What was asked for cannot be done; no word about the data. */
export class CannotVerify extends Error {
  override name = 'CannotVerify'
}

/** A venue removes history's rows that are older. */
const historyDaysKept = 90

export function verify(data: string, onPart: OnPart = () => {}): Findings {
  if (!existsSync(join(data, 'journal'))) throw new CannotVerify(`${data} is not the data directory of a venue`)
  if (isRunning(data)) throw new CannotVerify(`a venue is running in ${data}: stop it, or verify a copy of one moment`)
  const findings = new Findings()
  if (existsSync(join(data, notesFile))) {
    verifyBranches(data, findings, onPart, (...asked) => checkDatabase(...asked, onPart))
    return findings
  }
  onPart('journal')
  const journal = readJournal(data, findings)
  onPart('snapshots')
  const states = readSnapshots(data, findings).flatMap((snapshot) => readVenueState(snapshot, findings) ?? [])
  if (states.length === 0) findings.skip('balances and positions as the venue has them: there is no sound snapshot')
  if (journal !== undefined) checkReach(journal, states, findings)
  const poisoned = readPoisoned(data, journal, findings)
  checkHistory(data, { journal, states, poisoned }, findings, onPart)
  return findings
}

/** How long a venue that was killed may take to end: its launcher goes first. */
const lockWaitMsMax = 3_000

/** The lock dies with the venue's process. A reader meets it without touching the file. */
function isRunning(data: string): boolean {
  const file = join(data, 'lock.sqlite')
  if (!existsSync(file)) return false
  const lock = new DatabaseSync(file, { readOnly: true, timeout: lockWaitMsMax })
  try {
    lock.prepare('select count(*) from sqlite_schema').get()
    return false
  } catch (error) {
    return (error as { errcode?: number }).errcode === 5
  } finally {
    lock.close()
  }
}

function checkReach(journal: JournalContent, states: readonly VenueState[], findings: Findings): void {
  for (const { file, sequence } of states) {
    if (sequence <= journal.lastSequence) continue
    const what = `it stands at ${sequence}, but the journal ends with ${journal.lastSequence}: records were lost`
    findings.fault('reach', { file }, what)
  }
  if (journal.firstSequence === 1) return
  findings.skip(`commands before ${journal.firstSequence}: the journal no longer reaches back`)
  // Segments go when the older of two snapshots stands past them.
  const oldest = states.length < 2 ? 0 : states[0].sequence
  if (journal.firstSequence <= oldest + 1) return
  const what = `the journal begins with ${journal.firstSequence}, and the older of two snapshots stands at ${oldest}`
  findings.fault('reach', { file: 'journal' }, what)
}

function readPoisoned(data: string, journal: JournalContent | undefined, findings: Findings): Set<number> {
  const found = new Set<number>()
  const file = 'poisoned.json'
  if (!existsSync(join(data, file))) return found
  try {
    const text = readFileSync(join(data, file), 'utf8')
    const { commands, crc32: sum } = JSON.parse(text) as {
      commands: { sequence: number; at: number; kind: string }[]
      crc32: string
    }
    // Of the lines between the brackets.
    const lines = text.slice(text.indexOf('[\n') + 2, text.lastIndexOf('\n  ]'))
    if (crc32(lines) !== Number.parseInt(sum, 16))
      findings.fault('poisoned', { file }, 'it does not match its checksum')
    for (const { sequence, at, kind } of commands) {
      const known = journal?.kinds.get(sequence)
      const same = known === undefined || (known === kind && journal?.stamps.get(sequence) === at)
      if (!same) findings.fault('poisoned', { file }, `command ${sequence} is not the one that is noted`)
      found.add(sequence)
    }
  } catch (error) {
    findings.fault('poisoned', { file }, `it cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  return found
}

function checkHistory(data: string, reference: Reference, findings: Findings, onPart: OnPart): void {
  if (!existsSync(join(data, historyFile))) return findings.skip('history: there is no history.sqlite')
  checkDatabase(join(data, historyFile), { file: historyFile }, reference, findings, onPart)
}

function checkDatabase(
  source: string | Uint8Array,
  place: { readonly file: string },
  reference: Reference,
  findings: Findings,
  onPart: OnPart,
): void {
  const { journal, states } = reference
  try {
    using database = new Database(source)
    for (const damage of database.damage()) findings.fault('history', place, damage)
    const has = database.tables()
    const [progress] = database.rows('select applied_sequence, applied_at_ms from progress')
    if (progress === undefined) return findings.fault('history', place, 'it does not say how far it reaches')
    const appliedSequence = Number(progress['applied_sequence'])
    const row = 'progress'
    if (journal !== undefined && appliedSequence > journal.lastSequence) {
      const what = `it stands at ${appliedSequence}, but the journal ends with ${journal.lastSequence}: records were lost`
      findings.fault('history', { ...place, row }, what)
    }
    for (const { file, sequence } of states) {
      if (sequence <= appliedSequence) continue
      findings.fault('history', { ...place, row }, `it stands at ${appliedSequence}, before ${file}`)
    }
    const stamp = journal?.stamps.get(appliedSequence)
    if (stamp !== undefined && stamp !== Number(progress['applied_at_ms'])) {
      const what = `its time is ${progress['applied_at_ms']}, that of command ${appliedSequence} is ${stamp}`
      findings.fault('history', { ...place, row }, what)
    }
    const complete = isComplete(journal, states, Number(progress['applied_at_ms']))
    if (!complete) findings.skip(`rows older than ${historyDaysKept} days: a venue removes them`)
    const history: History = { database, has, appliedSequence, complete }
    const instruments = new Map((states.at(-1)?.instruments ?? []).map((instrument) => [instrument.id, instrument]))
    onPart('rows')
    checkRows(history, reference, findings)
    onPart('trades')
    checkTrades(history, instruments, findings)
    onPart('postings')
    checkPostings(history, states, findings)
    onPart('balances')
    checkMoney(history, reference, instruments, findings)
    onPart('conversions')
    checkConversions(history, findings)
  } catch (error) {
    if (!(error instanceof Error) || (error as { code?: string }).code !== 'ERR_SQLITE_ERROR') throw error
    findings.fault('history', place, `it cannot be read: ${error.message}`)
  }
}

/** Whether no row can have been removed for its age yet. */
function isComplete(journal: JournalContent | undefined, states: readonly VenueState[], now: number): boolean {
  const first = journal?.firstSequence === 1 ? journal.stamps.get(1) : states.at(-1)?.begunAt
  return first !== undefined && now - first < historyDaysKept * 86_400_000
}
