/**
 * A list of which every entry succeeds or fails by itself and answers in its own place.
 *
 * Order    the entries that could be read are submitted together, so that nothing comes between them; answers stand
 *          where their entries stood
 * Failure  an entry's refusal is its own; trouble with the core is the whole request's
 */
import type { Command } from '../../engine/protocol/command.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { Core } from '../../runtime/core.ts'
import { ApiError } from '../errors/errors.ts'
import type { Attempt } from '../parsing/fields.ts'

export interface EntryHandling<Input, C extends Command, Result> {
  readonly command: (input: Input) => C
  /** Throws an ApiError for a refusal. */
  readonly answer: (reply: Reply, command: C) => Result
  readonly failed: (error: ApiError, attempt: Attempt<Input>) => Result
}

export async function submitEach<Input, C extends Command, Result>(
  core: Core,
  attempts: readonly Attempt<Input>[],
  { command, answer, failed }: EntryHandling<Input, C, Result>,
): Promise<Result[]> {
  const entries = attempts.map((attempt) => orError(() => readEntry(attempt, command)))
  const commands = entries.filter((entry): entry is Exclude<typeof entry, ApiError> => !(entry instanceof ApiError))
  const replies = commands.length === 0 ? [] : await core.submitAll(commands)
  let submitted = 0
  return attempts.map((attempt, index) => {
    const entry = entries[index]
    if (entry instanceof ApiError) return failed(entry, attempt)
    const reply = replies[submitted++]
    const result = orError(() => answer(reply, entry))
    return result instanceof ApiError ? failed(result, attempt) : result
  })
}

function readEntry<Input, C>(attempt: Attempt<Input>, command: (input: Input) => C): C {
  if (!attempt.ok) throw attempt.fault
  return command(attempt.value)
}

function orError<T>(make: () => T): T | ApiError {
  try {
    return make()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
