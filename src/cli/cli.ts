/**
 * The `tidemark` command, and the door of its room: starts a venue, makes an empty one, asks and changes a running one,
 * trades on it, and what else belongs to running one.
 *
 * Families  settings.ts (start, init, config) · accounts.ts · rules.ts · instruments.ts · upkeep.ts · orders.ts and book.ts
 *           (through the interface, like any client) · tools.ts (openapi, bench, completion)
 * Output    what was asked for to standard output, JSON or for people (output.ts); what went wrong, as one line, to
 *           standard error
 * Exit      0 done · 1 it could not be done, or the venue refused it · 2 it was asked for wrongly
 * Finds     a running venue by its data directory (`--data`, TIDEMARK_DATA, ./data)
 * Source    design.md §6
 */
import { CommanderError } from 'commander'
import { ConfigurationWrong } from '../operator/config/settings.ts'
import { CannotStart, reasonOf } from '../operator/data-directory.ts'
import { UsageWrong } from './command.ts'
import { CallFailed } from './venue-address.ts'
import { complain } from './output.ts'
import { buildProgram } from './program.ts'

const exitFailed = 1
const exitWrong = 2

/** What a person reads of what went wrong, and how the process ends. */
function endOf(error: unknown): number {
  // It has been said already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitWrong
  complain(reasonOf(error))
  if (error instanceof ConfigurationWrong || error instanceof UsageWrong) return exitWrong
  if (!(error instanceof CannotStart || error instanceof CallFailed)) complain((error as Error).stack ?? '')
  return exitFailed
}

// A reader that went away (a closed pipe) is no reason to fall over.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

try {
  await buildProgram().parseAsync(process.argv)
} catch (error) {
  process.exitCode = endOf(error)
}
