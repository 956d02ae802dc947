/**
 * A process of a test that ends when its starter does, however that ends: the system kills it then, and no server is left running.
 *
 * Same  its number is that of the process that was started
 */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'

export function spawnWithUs(program: string, words: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...words], options)
}
