/**
 * What a venue has V8 do otherwise than by itself. A V8 that knows a setting no more says so on standard error, and goes on.
 *
 * Early    first of all in a process of ours, before modules are loaded, whose code these settings are for as well. V8 promises nothing
 *          of settings that change in a process that has been at work: a process of others, such as that of a test, keeps its own
 * Threads  of V8, which compile and collect beside the venue's, give way to it once it serves: compiling a function again takes one
 *          a core for up to 90 ms. Before that nobody waits but for the code that they make (docs/performance/pauses.md)
 */
import { readdirSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'

const settings = [
  /**
   * How much the heap may grow, in percent of what lives in it, before the collector looks through all of it, which costs some
   * hundred orders tens of milliseconds. V8 alone chooses between a tenth and three times as much, by how busy it is: under load a
   * venue was looked through every eight seconds. Three times as much was three days of a demo venue's growth
   * (docs/decisions/0021-heap-at-most-twice.md).
   */
  '--heap-growing-percent=100',
  /**
   * V8 gives memory back to the system by a collection of its own, 100 s after the last one however busy the venue is. That one
   * also makes the young generation small again: with its many scavenges it delays hundreds of orders by 50 ms, where an
   * ordinary collection takes 10 ms (docs/performance/pauses.md). (`--no-memory-reducer` is heard on a command line alone.)
   */
  '--memory-reducer-gc-count=0',
  /**
   * Code that has made things that lived on may be compiled to make all later ones in the old generation, where each waits for a
   * collection of all of it, with everything it points to: a start, a standstill or a crowd of accounts is enough. A venue that this
   * had happened to handed on 20 MB/s at 4,500 orders/s, in scavenges of 15 ms; else it is 0.04 MB/s, and 1.5 ms
   * (docs/performance/pauses.md).
   */
  '--no-allocation-site-pretenuring',
  /**
   * Bytecode that the compiler may put into one function in place of calls. An order passes through hundreds of short
   * functions, and what they hand each other (small objects, bigints) is not made at all where they are compiled as one:
   * with four times V8's own most, a spot order takes 0.94 of its time, a linear one 0.9.
   */
  '--max-inlined-bytecode-size-cumulative=4000',
]

/** Holds for the whole process and its threads, and for what is compiled from now on. */
export function setV8(): void {
  for (const setting of settings) setFlagsFromString(setting)
}

/** On Linux, where a thread has a priority of its own: a tenth of the venue's share where both want one core. */
export function giveWayV8(): void {
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task')) {
    if (nameOf(thread) === 'V8Worker') setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL)
  }
}

/** Of a thread of this process; undefined: it has ended meanwhile. V8's own stay. */
function nameOf(thread: string): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
  } catch {
    return undefined
  }
}
