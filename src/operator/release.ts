/**
 * Which release this is, and by which rules the commands in a directory were carried out (runtime/rules.ts).
 */
import type { Logger } from 'pino'
import { releaseName } from '../api/api.ts'
import { readRulesNote } from '../history/history.ts'
import { newerNote, type RulesKnown, type RulesNote } from '../runtime/runtime.ts'
import type { Configuration } from './config/schema.ts'
import type { DataDirectory, VenueRecord } from './data-directory.ts'
import { historyFile } from './losses.ts'

/**
 * What the directory says, in history and in venue.json: the later note counts. `oldest`: rules that are applied too, where the
 * journal says by which of them each command goes.
 */
export function rulesKnown(directory: DataDirectory, record: VenueRecord, rules: number, oldest?: number): RulesKnown {
  const noted = newerNote(noteOf(record), readRulesNote(directory.file(historyFile)))
  return { current: { rules, release: releaseName(), ...(oldest !== undefined && { oldest }) }, noted }
}

export function rememberRules(directory: DataDirectory, { rules, from, release }: RulesNote): VenueRecord {
  return directory.remember({ rules, rulesFrom: from, release })
}

/**
 * How far the journal is, so that one that ends before it is noticed. Left to the operating system (`durability` `os`) it may end
 * before after a loss of power, as was agreed to: then nothing is noted.
 */
export function rememberReached(
  directory: DataDirectory,
  { sequence }: { readonly sequence: number },
  { durability }: Pick<Configuration, 'durability'>,
  log: Logger,
): VenueRecord {
  try {
    return directory.remember({ reached: durability === 'sync' ? sequence : undefined })
  } catch (error) {
    log.warn({ err: error }, 'how far the journal is could not be noted')
    return directory.remember({})
  }
}

function noteOf({ rules, rulesFrom, release }: VenueRecord): RulesNote | undefined {
  if (rules === undefined || rulesFrom === undefined || release === undefined) return undefined
  return { rules, from: rulesFrom, release }
}
