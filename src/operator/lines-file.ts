/**
 * A file of JSON lines, oldest first, that has the newest of something: each line is written at once, so that it survives the end
 * of the process. A power failure may take the newest.
 *
 * Length    it grows to twice of what is kept, then begins anew with that
 * Damaged   lines that cannot be read are passed over; a file that cannot be written is told in the log, and the venue goes on
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Logger } from 'pino'
import { reasonOf, writeWholeFile } from './data-directory.ts'

export interface LinesKept<T> {
  /** What cannot be kept, for the log. */
  readonly name: string
  readonly max: number
  readonly isOne: (line: Partial<T>) => boolean
}

export class LinesFile<T extends object> {
  readonly #path: string
  readonly #kept: LinesKept<T>
  readonly #log: Pick<Logger, 'warn'>
  #descriptor: number | undefined
  #lines = 0
  #isBroken = false

  constructor(path: string, kept: LinesKept<T>, log: Pick<Logger, 'warn'>) {
    this.#path = path
    this.#kept = kept
    this.#log = log
  }

  read(): T[] {
    try {
      const text = existsSync(this.#path) ? readFileSync(this.#path, 'utf8') : ''
      const lines = text.split('\n').filter((line) => line !== '')
      const found = lines.flatMap((line) => this.#oneIn(line)).slice(-this.#kept.max)
      // What is none, such as half a line of a full disk, does not stay.
      if (found.length < lines.length || (text !== '' && !text.endsWith('\n'))) this.#begin(found)
      else this.#lines = found.length
      return found
    } catch (cause) {
      this.#broken(cause)
      return []
    }
  }

  /** `all`: with this one, where the file begins anew. */
  append(one: T, all: readonly T[]): void {
    try {
      if (this.#lines >= 2 * this.#kept.max) return this.#begin(all.slice(-this.#kept.max))
      this.#descriptor ??= openSync(this.#path, 'a', 0o600)
      writeSync(this.#descriptor, lineOf(one))
      this.#lines += 1
      this.#isBroken = false
    } catch (cause) {
      this.#broken(cause)
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #begin(all: readonly T[]): void {
    this.close()
    writeWholeFile(this.#path, all.map(lineOf).join(''))
    this.#lines = all.length
  }

  #oneIn(line: string): T[] {
    try {
      const one = JSON.parse(line) as Partial<T> | null
      return one !== null && this.#kept.isOne(one) ? [one as T] : []
    } catch {
      return []
    }
  }

  /** Once, until it can be written again. */
  #broken(cause: unknown): void {
    if (!this.#isBroken) this.#log.warn({ reason: reasonOf(cause) }, `${this.#kept.name} cannot be kept`)
    this.#isBroken = true
  }
}

function lineOf(one: object): string {
  return `${JSON.stringify(one)}\n`
}
