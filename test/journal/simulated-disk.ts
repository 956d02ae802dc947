/**
 * A disk in memory that can lose power and fail.
 *
 * Power     what is not synced may be lost, kept, torn at a byte, or come through sector by sector in any order; names
 *           that were made, moved or unlinked without a sync of their directory likewise
 * Faults    `before` is asked before each call and may let it fail. A write that fails has written its first half; after
 *           a sync that fails the content stays readable but is taken for clean, and no later sync makes it durable
 * Numbers   all randomness comes from the generator that the caller passes in
 */
import { dirname } from 'node:path'
import type { Disk, DiskFile } from '../../src/journal/journal.ts'

const SECTOR_BYTES = 512

export type Call =
  | 'makeDirectory'
  | 'list'
  | 'create'
  | 'open'
  | 'rename'
  | 'unlink'
  | 'syncDirectory'
  | 'size'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'close'

export type FaultKind = 'EIO' | 'ENOSPC' | 'EMFILE' | 'short'

/** What power loss does to what was not synced. */
export type PowerLoss = 'lost' | 'kept' | 'torn' | 'sectors'

type Change = { readonly position: number; readonly bytes: Buffer } | { readonly truncateTo: number }
/** A name that goes, one that comes, or both at once. */
interface NameChange {
  readonly directory: string
  readonly gone?: string
  readonly come?: { readonly path: string; readonly content: Content }
}

class Content {
  current = Buffer.alloc(0)
  durable = Buffer.alloc(0)
  unsynced: Change[] = []
  syncFailed = false
}

export class SimulatedDisk implements Disk {
  readonly calls: Call[] = []
  /** Syncs of a file whose sync had failed before. */
  syncsRetried = 0
  /** Asked before each call; the number counts calls from 1. */
  before: ((call: Call, number: number) => FaultKind | undefined) | undefined
  /** Told after each call that changes something. */
  after: ((call: Call) => Promise<void>) | undefined
  #names = new Map<string, Content>()
  #durableNames = new Map<string, Content>()
  #unsyncedNames: NameChange[] = []

  makeDirectory(): Promise<void> {
    return this.#call('makeDirectory', () => undefined)
  }

  list(directory: string): Promise<string[]> {
    return this.#call('list', () =>
      [...this.#names.keys()]
        .filter((path) => dirname(path) === directory)
        .map((path) => path.slice(directory.length + 1)),
    )
  }

  create(path: string): Promise<DiskFile> {
    return this.#call('create', () => {
      if (this.#names.has(path)) throw systemError('EEXIST', path)
      const content = new Content()
      this.#change({ directory: dirname(path), come: { path, content } })
      return this.#handle(content)
    })
  }

  open(path: string): Promise<DiskFile> {
    return this.#call('open', () => this.#handle(this.#existing(path)))
  }

  rename(from: string, to: string): Promise<void> {
    return this.#call('rename', () => {
      const content = this.#existing(from)
      this.#change({ directory: dirname(to), gone: from, come: { path: to, content } })
    })
  }

  unlink(path: string): Promise<void> {
    return this.#call('unlink', () => {
      this.#existing(path)
      this.#change({ directory: dirname(path), gone: path })
    })
  }

  syncDirectory(directory: string): Promise<void> {
    return this.#call('syncDirectory', () => {
      for (const change of this.#unsyncedNames) if (change.directory === directory) applyTo(this.#durableNames, change)
      this.#unsyncedNames = this.#unsyncedNames.filter((change) => change.directory !== directory)
    })
  }

  /** The disk that is found after the machine comes up again. This one goes on unharmed. */
  afterPowerLoss(loss: PowerLoss, random: () => number): SimulatedDisk {
    const names = new Map(this.#durableNames)
    const kept = loss === 'torn' ? Math.floor(random() * (this.#unsyncedNames.length + 1)) : 0
    this.#unsyncedNames.forEach((change, index) => {
      if (loss === 'kept' || (loss === 'torn' && index < kept) || (loss === 'sectors' && random() < 0.5))
        applyTo(names, change)
    })
    const found = new SimulatedDisk()
    for (const [path, content] of names) found.put(path, contentAfter(content, loss, random))
    return found
  }

  /** The disk that the next process finds after this one was killed: nothing is lost yet, and nothing is synced either. */
  afterKill(): SimulatedDisk {
    const found = new SimulatedDisk()
    const copies = new Map<Content, Content>()
    const copyOf = (content: Content) => {
      const copy = copies.get(content) ?? Object.assign(new Content(), content, { unsynced: [...content.unsynced] })
      copies.set(content, copy)
      return copy
    }
    for (const [path, content] of this.#names) found.#names.set(path, copyOf(content))
    for (const [path, content] of this.#durableNames) found.#durableNames.set(path, copyOf(content))
    found.#unsyncedNames = this.#unsyncedNames.map(({ come, ...change }) =>
      come === undefined ? change : { ...change, come: { path: come.path, content: copyOf(come.content) } },
    )
    return found
  }

  /** A disk with the same content, all of it durable. */
  copy(): SimulatedDisk {
    const copy = new SimulatedDisk()
    for (const [path, content] of this.#names) copy.put(path, content.current)
    return copy
  }

  /** Puts a durable file there, as if it had always been. */
  put(path: string, bytes: Buffer): void {
    const content = new Content()
    content.current = Buffer.from(bytes)
    content.durable = Buffer.from(bytes)
    this.#names.set(path, content)
    this.#durableNames.set(path, content)
  }

  remove(path: string): void {
    this.#names.delete(path)
    this.#durableNames.delete(path)
  }

  bytesOf(path: string): Buffer {
    return Buffer.from(this.#existing(path).current)
  }

  paths(): string[] {
    return [...this.#names.keys()].sort()
  }

  count(call: Call): number {
    return this.calls.filter((other) => other === call).length
  }

  #handle(content: Content): DiskFile {
    let open = true
    const call = <Result>(name: Call, work: (fault?: FaultKind) => Result) => {
      if (!open) throw systemError('EBADF', name)
      return this.#call(name, work)
    }
    return {
      size: () => call('size', () => content.current.length),
      read: (into, position) =>
        call('read', (fault) => {
          const wanted = fault === 'short' ? Math.ceil(into.length / 2) : into.length
          return content.current.copy(into, 0, position, Math.min(position + wanted, content.current.length))
        }),
      write: (bytes, position) =>
        call('write', (fault) => {
          const written = fault === undefined ? bytes.length : Math.floor(bytes.length / 2)
          const change = { position, bytes: Buffer.from(bytes.subarray(0, written)) }
          content.current = changed(content.current, change)
          content.unsynced.push(change)
          if (fault !== undefined && fault !== 'short') throw systemError(fault, 'write')
          return written
        }),
      truncate: (size) =>
        call('truncate', () => {
          content.current = changed(content.current, { truncateTo: size })
          content.unsynced.push({ truncateTo: size })
        }),
      sync: () =>
        call('sync', (fault) => {
          const changes = content.unsynced
          content.unsynced = []
          if (content.syncFailed) this.syncsRetried += 1
          if (fault !== undefined && fault !== 'short') content.syncFailed = true
          if (fault !== undefined) throw systemError(fault, 'sync')
          for (const change of changes) content.durable = changed(content.durable, change)
        }),
      close: () =>
        call('close', () => {
          open = false
        }),
    }
  }

  async #call<Result>(call: Call, work: (fault?: FaultKind) => Result): Promise<Result> {
    this.calls.push(call)
    const fault = this.before?.(call, this.calls.length)
    const isPartial = call === 'write' || call === 'sync' || (call === 'read' && fault === 'short')
    if (fault !== undefined && !isPartial && fault !== 'short') throw systemError(fault, call)
    const result = work(fault === 'short' && call !== 'write' && call !== 'read' ? undefined : fault)
    if (this.after !== undefined && changesSomething.has(call)) await this.after(call)
    return result
  }

  #existing(path: string): Content {
    const content = this.#names.get(path)
    if (content === undefined) throw systemError('ENOENT', path)
    return content
  }

  #change(change: NameChange): void {
    applyTo(this.#names, change)
    this.#unsyncedNames.push(change)
  }
}

function applyTo(names: Map<string, Content>, { gone, come }: NameChange): void {
  if (gone !== undefined) names.delete(gone)
  if (come !== undefined) names.set(come.path, come.content)
}

/** A small seeded generator of numbers from 0 up to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const changesSomething = new Set<Call>(['create', 'rename', 'unlink', 'syncDirectory', 'write', 'truncate', 'sync'])

function systemError(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code })
}

function changed(bytes: Buffer, change: Change): Buffer<ArrayBuffer> {
  if ('truncateTo' in change) {
    const cut = Buffer.alloc(change.truncateTo)
    bytes.copy(cut)
    return cut
  }
  if (change.position === bytes.length) return appended(bytes, change.bytes)
  const longer = Buffer.alloc(Math.max(bytes.length, change.position + change.bytes.length))
  bytes.copy(longer)
  change.bytes.copy(longer, change.position)
  return longer
}

/** How much of a buffer's memory is in use: what lies behind belongs to whoever appends first. */
const used = new WeakMap<ArrayBufferLike, number>()

/** The bytes and more behind them, mostly without a copy; `bytes` stays what it was. */
function appended(bytes: Buffer, more: Buffer): Buffer<ArrayBuffer> {
  const length = bytes.length + more.length
  let memory = bytes.buffer as ArrayBuffer
  if (used.get(memory) !== bytes.length || length > memory.byteLength) {
    memory = new ArrayBuffer(Math.max(4096, 2 * length))
    bytes.copy(Buffer.from(memory))
  }
  more.copy(Buffer.from(memory), bytes.length)
  used.set(memory, length)
  return Buffer.from(memory, 0, length)
}

function contentAfter(content: Content, loss: PowerLoss, random: () => number): Buffer {
  let bytes = content.durable
  if (loss === 'lost') return bytes
  if (loss === 'sectors') return sectorsOf(content, random)

  const whole = loss === 'kept' ? content.unsynced.length : Math.floor(random() * (content.unsynced.length + 1))
  for (const change of content.unsynced.slice(0, whole)) bytes = changed(bytes, change)
  const torn = content.unsynced[whole]
  if (torn === undefined || 'truncateTo' in torn) return bytes
  return changed(bytes, { ...torn, bytes: torn.bytes.subarray(0, Math.floor(random() * (torn.bytes.length + 1))) })
}

/** Each sector is the old or the new one; one that never came is zero. The size may have come without the content. */
function sectorsOf({ durable, unsynced }: Content, random: () => number): Buffer {
  let newest = durable
  for (const change of unsynced) newest = changed(newest, change)
  const grown = newest.length - durable.length
  let size = newest.length
  if (grown > 0 && random() < 0.3) size = durable.length + Math.floor(random() * (grown + 1))
  if (grown < 0 && random() < 0.5) size = durable.length
  const bytes = Buffer.alloc(size)
  for (let start = 0; start < size; start += SECTOR_BYTES) {
    const source = random() < 0.5 ? newest : durable
    source.subarray(start, start + SECTOR_BYTES).copy(bytes, start)
  }
  return bytes
}
