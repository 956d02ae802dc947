/**
 * The body of `POST /operator/conversion`: at what terms the house converts coins; what is absent stays as it is.
 *
 * spread            what the house takes of the index price, as a share of it
 * quoteMs           how long a quote holds
 * minimum, maximum  what one conversion may be worth at index prices, in USD
 * Source            docs/decisions/0031-conversions.md
 */
import type { StaticDecode } from 'typebox'
import { amountDecimals, formatDecimal, rateDecimals } from '../../engine/numbers/numbers.ts'
import type { SetConversion } from '../../engine/protocol/command.ts'
import type { Answer } from '../../engine/protocol/query.ts'
import { body, optional, positiveAmount, share, wholeNumber } from './fields.ts'
import { bodyWrong } from './refusals.ts'

const quoteMsMost = 3_600_000

export const conversionBody = body({
  spread: optional(share),
  quoteMs: optional(wholeNumber(1, quoteMsMost)),
  minimum: optional(positiveAmount),
  maximum: optional(positiveAmount),
})

export function conversionCommand(sent: StaticDecode<typeof conversionBody>): SetConversion {
  if (Object.values(sent).every((value) => value === undefined)) {
    throw bodyWrong([{ field: '', rule: 'names nothing to change' }])
  }
  const { spread, quoteMs, minimum, maximum } = sent
  return { kind: 'set-conversion', spread, quoteMs, leastUsd: minimum, mostUsd: maximum }
}

/** The terms that are in force now. */
export function conversionShown({ conversion }: Answer<'settings'>) {
  return {
    spread: formatDecimal(conversion.spread, rateDecimals),
    quoteMs: conversion.quoteMs,
    minimum: formatDecimal(conversion.leastUsd, amountDecimals),
    maximum: formatDecimal(conversion.mostUsd, amountDecimals),
  }
}
