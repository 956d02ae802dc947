/**
 * What the commands are made of: most are one call of the operator interface, with a body made of arguments and options.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { reasonOf } from '../operator/data-directory.ts'
import { callOperator } from './operator-client.ts'
import { jsonFlag, jsonMeaning, show } from './output.ts'
import { type Look, shownText } from './table.ts'

/** Asked for wrongly in a way that commander does not see. */
export class UsageWrong extends Error {
  override name = 'UsageWrong'
}

/** Options by their name in camel case. */
export type Given = Readonly<Record<string, string | undefined>>

export interface OperatorCommand<Answer> {
  /** As commander reads it: `create <uid>`. */
  readonly usage: string
  readonly description: string
  /** Method and path: `POST /operator/keys`. */
  readonly call: string
  readonly body?: (args: string[], given: Given) => object
  /** What a person sees of the answer; absent: its fields. */
  readonly text?: (answer: Answer, look: Look) => string
  /** Of a list, the columns that a person sees. */
  readonly columns?: readonly string[]
}

/** A command with what every command has. */
export function command(parent: Command, usage: string, description: string, meaning = jsonMeaning): Command {
  return parent.command(usage).description(description).option(jsonFlag, meaning)
}

/** A command that finds a venue by its directory. */
export function venueCommand(parent: Command, usage: string, description: string, meaning = jsonMeaning): Command {
  return command(parent, usage, description, meaning).option(
    '--data <directory>',
    'data directory of the venue (default ./data)',
  )
}

export function dataOf(given: Given): string {
  return resolve(given['data'] ?? (process.env['TIDEMARK_DATA'] || './data'))
}

function argumentsOf(invoked: Command): string[] {
  return invoked.processedArgs.flat() as string[]
}

/** Commander hands over the arguments, the options and, last, the command. */
export function onCall(made: Command, act: (args: string[], given: Given) => Promise<void> | void): Command {
  return made.action((...invoked: unknown[]) => {
    const called = invoked.at(-1) as Command
    // With the options of the command that it belongs to: that one takes what both of them know.
    return act(argumentsOf(called), called.optsWithGlobals<Given>())
  })
}

export function operatorCommand<Answer = unknown>(parent: Command, settings: OperatorCommand<Answer>): Command {
  const [method = '', path = ''] = settings.call.split(' ')
  const text = settings.text ?? ((answer, look) => shownText(answer, look, settings.columns))
  return onCall(venueCommand(parent, settings.usage, settings.description), async (args, given) => {
    const answer = await callOperator(dataOf(given), method, path, settings.body?.(args, given) ?? {})
    show(answer as Answer, given, text)
  })
}

export function list(text: string | undefined): string[] | null {
  return text === undefined ? null : text.split(',').map((item) => item.trim())
}

/** Each `NAME=VALUE`, as in the sample, and none twice; of an option, `option` is its name. */
export function pairsOf(pairs: readonly string[], sample: string, option?: string): Record<string, string> {
  const found = new Map<string, string>()
  for (const pair of pairs) {
    const said = option === undefined ? pair : `${option} ${pair}`
    const [name, value, ...more] = pair.split('=')
    if (!name || !value || more.length > 0) throw new UsageWrong(`${said}: must look like ${sample}`)
    const coin = name.toUpperCase()
    if (found.has(coin)) throw new UsageWrong(`${said}: ${coin} is named twice`)
    found.set(coin, value)
  }
  return Object.fromEntries(found)
}

export function recordOf(file: string | undefined): object {
  try {
    return JSON.parse(fileText(file ?? '-')) as object
  } catch (cause) {
    throw cause instanceof UsageWrong ? cause : new UsageWrong(`${file}: must be JSON: ${reasonOf(cause)}`, { cause })
  }
}

/** `-` reads standard input. */
export function fileText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (cause) {
    const absent = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw new UsageWrong(`${file || '""'}: ${absent ? 'there is no such file' : reasonOf(cause)}`, { cause })
  }
}
