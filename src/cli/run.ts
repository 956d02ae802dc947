/**
 * One command from its words to its exit code: 0 done · 1 it could not be done, or the venue refused it · 2 it was asked for wrongly.
 *
 * Apart    from the process that it is the whole of (cli.ts)
 */
import { CommanderError } from 'commander'
import { ConfigurationWrong } from '../operator/config/settings.ts'
import { CannotStart, reasonOf } from '../operator/data-directory.ts'
import { UsageWrong } from './command.ts'
import { complain } from './output.ts'
import { buildProgram } from './program.ts'
import { CallFailed } from './venue-address.ts'

const exitFailed = 1
const exitWrong = 2

/** `words` are those behind `tidemark`. */
export async function run(words: readonly string[]): Promise<number> {
  try {
    await buildProgram().parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    return endOf(error)
  }
}

/** What a person reads of what went wrong, and how the process ends. */
function endOf(error: unknown): number {
  // It has been said already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitWrong
  complain(reasonOf(error))
  if (error instanceof ConfigurationWrong || error instanceof UsageWrong) return exitWrong
  if (!(error instanceof CannotStart || error instanceof CallFailed)) complain((error as Error).stack ?? '')
  return exitFailed
}
