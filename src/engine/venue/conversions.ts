/**
 * The operator changes the terms at which the house converts coins. Quotes that were given before stand.
 *
 * Source  docs/decisions/0031-conversions.md
 */
import type { SetConversion } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import { admitConversionSettings } from '../venue-rules/venue-rules.ts'

export function setConversion(state: State, command: SetConversion): Reply {
  const decided = admitConversionSettings(state, command)
  if ('kind' in decided) return refused(decided)

  const { settings } = decided
  state.conversions.settings = settings
  return done
}
