/**
 * A core begins with the state of another one, as what it lacks was removed from the log: its own state is put aside.
 *
 *   taken/, piece by piece → verified, and noted as whole → put in place of the own files, one after the other
 *
 * Whole    or not at all: what was cut off before it was whole is thrown away, what was cut off after it goes on at the next start
 * Aside    the own files, in put-aside/, until the next time. Whoever needs them no more removes it. What was taken and did not reach
 *          either makes way for what is taken `again`
 * From     a core that follows, before the one that leads
 * Checked  the snapshot has the hash that it was told with; the journal by its chain; that it is of this log, as of any file (placeOf)
 * Source   scale.md §4.8
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSnapshots } from '../journal/journal.ts'
import { CannotStart, type DataDirectory, writeWholeFile } from '../operator/operator.ts'
import { asked, Asking, type TcpDoor } from '../replication/replication.ts'
import { monotonicNow, type RuntimeLog } from '../runtime/runtime.ts'
import { stateFiles } from './state-files.ts'
import type { StateGiven } from './state-given.ts'

const takenFolder = 'taken'
const wholeFile = 'whole'
const asideFolder = 'put-aside'
/** Cores that start together need a while. */
const tryMsMaxUsual = 30_000
const againMs = 500

interface Taken extends StateGiven {
  readonly from: string
}

/** What a start that was cut off has left. To be called before anything is opened. */
export function endTaking(directory: DataDirectory): void {
  const taken = directory.file(takenFolder)
  if (existsSync(join(taken, wholeFile))) putInPlace(directory)
  rmSync(taken, { recursive: true, force: true })
}

interface TakeOptions {
  readonly log: RuntimeLog
  /** There is something to be put aside. */
  readonly isUsed: boolean
  /** In this start a state was taken already: it makes way, and what is aside stays there. */
  readonly again: boolean
  /** What is to be there before the state is. */
  readonly before: (given: StateGiven) => void
  /** How long cores are asked again that do not answer. */
  readonly tryMsMax?: number
}

/** Rejects with CannotStart when no core gives its state. */
export async function takeState(
  directory: DataDirectory,
  peers: readonly TcpDoor[],
  { log, isUsed, again, before, tryMsMax = tryMsMaxUsual }: TakeOptions,
): Promise<Taken> {
  const untilMs = monotonicNow() + tryMsMax
  for (;;) {
    const reasons: string[] = []
    for (const door of await followersFirst(peers)) {
      const from = `${door.host}:${door.port}`
      try {
        const given = await fetched(directory, door)
        before(given)
        if (!again) rmSync(directory.file(asideFolder), { recursive: true, force: true })
        const names = new Set(given.files.map(({ name }) => name.split('/')[0]))
        writeWholeFile(join(directory.file(takenFolder), wholeFile), JSON.stringify([...names]))
        putInPlace(directory)
        rmSync(directory.file(takenFolder), { recursive: true })
        if (!isUsed) rmSync(directory.file(asideFolder), { recursive: true })
        return { ...given, from }
      } catch (error) {
        log.info({ err: error, from }, 'a core did not give its state')
        reasons.push(`${from}: ${(error as Error).message}`)
      }
    }
    if (monotonicNow() >= untilMs) {
      const whom = reasons.length === 0 ? '--peers names no other core' : reasons.join('; ')
      throw new CannotStart(`what this core lacks was removed from the log, and no other core gives its state: ${whom}`)
    }
    await sleep(againMs)
  }
}

async function followersFirst(peers: readonly TcpDoor[]): Promise<readonly TcpDoor[]> {
  const roles = await Promise.all(peers.map((door) => asked(door, 'status').catch(() => undefined)))
  const leads = (place: number) => Number((roles[place] as { readonly role?: string } | undefined)?.role === 'leader')
  return [...peers.keys()].toSorted((one, other) => leads(one) - leads(other)).map((place) => peers[place])
}

async function fetched(directory: DataDirectory, door: TcpDoor): Promise<StateGiven> {
  const folder = directory.file(takenFolder)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  const asking = await Asking.open(door)
  try {
    const given = (await asking.ask('state')) as StateGiven
    for (const { name, bytes } of given.files) {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const file = await open(path, 'wx', 0o600)
      try {
        await fill(file, bytes, (from) => asking.ask('statePiece', given.number, name, from) as Promise<Uint8Array>)
      } finally {
        await file.close()
      }
    }
    await verify(join(folder, 'snapshots'), given)
    return given
  } finally {
    asking.close()
  }
}

async function fill(file: FileHandle, bytes: number, piece: (from: number) => Promise<Uint8Array>): Promise<void> {
  for (let from = 0; from < bytes; ) {
    const part = await piece(from)
    await file.appendFile(part)
    from += part.length
  }
  await file.sync()
}

async function verify(path: string, { sequence, stateHash }: StateGiven): Promise<void> {
  const { snapshot } = await (await openSnapshots(path)).newest()
  if (snapshot?.sequence === sequence && snapshot.stateHash === stateHash) return
  throw new Error(`its snapshot of command ${sequence} came damaged`)
}

/** As often as it is called: what is in its place already stays. */
function putInPlace(directory: DataDirectory): void {
  const taken = directory.file(takenFolder)
  const aside = directory.file(asideFolder)
  const names = new Set(JSON.parse(readFileSync(join(taken, wholeFile), 'utf8')) as string[])
  mkdirSync(aside, { recursive: true, mode: 0o700 })
  for (const name of stateFiles) {
    const [own, theirs] = [directory.file(name), join(taken, name)]
    const isInPlace = names.has(name) && !existsSync(theirs)
    if (!isInPlace && existsSync(own)) {
      if (existsSync(join(aside, name))) rmSync(own, { recursive: true })
      else renameSync(own, join(aside, name))
    }
    if (existsSync(theirs)) renameSync(theirs, own)
  }
}
