/**
 * A server under load: where it listens, what its process uses, and the core that it has.
 *
 * Cores    servers have one to themselves and generators of load another, where `taskset` is there to say so
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Venue } from '../../test/support/venue.ts'

export const serverCore = '0'
export const loadCore = '1'
export const pinned = availableParallelism() > 1 && hasTaskset()

export interface Server {
  readonly url: string
  readonly port: number
  readonly pid: number
}

export function serverOf(venue: Venue): Server {
  const found = JSON.parse(readFileSync(join(venue.directory, 'server.json'), 'utf8')) as { url: string; pid: number }
  return { ...found, port: Number(new URL(found.url).port) }
}

/** All threads of a process onto one core, where that can be done. */
export function pin(pid: number | undefined, core: string): void {
  if (!pinned) return
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', core, String(pid)], { stdio: 'ignore' })
}

/** Processor time that a process has used since it began, all threads; NaN where the system does not say. */
export function cpuSeconds(pid: number | undefined): number {
  try {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const fields = rest.split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return Number.NaN
  }
}

/** Milliseconds of a clock that all processes of the machine share, with fractions. */
export function sharedNow(): number {
  return performance.timeOrigin + performance.now()
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
