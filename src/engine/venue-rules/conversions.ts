/**
 * Rules of the terms of conversions.
 *
 * Source  docs/decisions/0031-conversions.md
 */
import type { ConversionSettings } from '../catalog/catalog.ts'
import { rateOne } from '../numbers/numbers.ts'
import type { SetConversion } from '../protocol/command.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Reading } from '../state/state.ts'
import { wrong } from './risk-settings.ts'

/** An hour: a quote is a promise of the house, whatever prices do meanwhile. */
const quoteMsMost = 3_600_000

/** The new terms: those that are not named stay. */
export function admitConversionSettings(
  reading: Reading,
  command: SetConversion,
): { readonly settings: ConversionSettings } | Refusal {
  const before = reading.conversions.settings
  const settings: ConversionSettings = {
    spread: command.spread ?? before.spread,
    quoteMs: command.quoteMs ?? before.quoteMs,
    leastUsd: command.leastUsd ?? before.leastUsd,
    mostUsd: command.mostUsd ?? before.mostUsd,
  }
  const { spread, quoteMs, leastUsd, mostUsd } = settings
  if (spread < 0n || spread >= rateOne) return wrong('spread', 'is at least 0 and below 1')
  if (!Number.isInteger(quoteMs) || quoteMs < 1 || quoteMs > quoteMsMost) {
    return wrong('quoteMs', `is a whole number from 1 to ${quoteMsMost}`)
  }
  if (leastUsd <= 0n) return wrong('minimum', 'is above 0')
  return mostUsd < leastUsd ? wrong('maximum', 'is at least the minimum') : { settings }
}
