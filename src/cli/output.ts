/**
 * Where a command's answer goes: JSON for programs, tables and sentences for people.
 *
 * JSON      with --json, and whenever standard output is no terminal: what scripts read never depends on who looks
 * People    on a terminal: bounded by its width; bold headings unless NO_COLOR says otherwise
 * Errors    one line each on standard error, whoever reads
 */
import { styleText } from 'node:util'
import { type Look, shownText } from './table.ts'

export const jsonFlag = '--json'
export const jsonMeaning = 'as JSON, for scripts; what is no terminal gets it anyway'

export function isForPeople(given: { readonly json?: unknown }): boolean {
  return process.stdout.isTTY && given.json === undefined
}

const widthDefault = 80

export function terminalLook(): Look {
  return {
    width: process.stdout.columns || widthDefault,
    heading: (text) => styleText('bold', text, { stream: process.stdout }),
  }
}

/** What is not said about a person's view is made of the answer itself. */
export function show<Answer>(
  answer: Answer,
  given: { readonly json?: unknown },
  textOf: (answer: Answer, look: Look) => string = shownText,
): void {
  if (isForPeople(given)) process.stdout.write(textOf(answer, terminalLook()))
  else process.stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`)
}

export function complain(message: string): void {
  process.stderr.write(`tidemark: ${message}\n`)
}
