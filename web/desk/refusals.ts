/**
 * What a refusal means, by the operator's codes, for whoever reads the desk in another language: the venue's own sentences are English.
 *
 * Source  src/operator/calls/refusals.ts; the codes are the engine's reasons
 */
import { desk } from '../words/desk.ts'
import { spokenTag } from '../words/languages.ts'
import { type Messages, t } from '../words/words.ts'

const meanings: Readonly<Record<string, keyof Messages['refusals']>> = {
  'insufficient-available': 'noMoney',
  'insufficient-margin': 'noMargin',
  'transferable-exceeded': 'notTransferable',
  'amount-not-positive': 'amountNotPositive',
  'amount-too-fine': 'amountDecimals',
  'deposit-below-minimum': 'amountBelowLeast',
  'deposits-suspended': 'depositsSuspended',
  'account-frozen': 'frozen',
  'account-mode-unsuitable': 'otherMode',
  'instrument-closed': 'noOrdersNow',
  'index-stale': 'pricesUncertain',
}

/** Undefined: the sentence of the venue is all there is. */
export function meaningOf(code: string): string | undefined {
  if (spokenTag() === 'en') return undefined
  if (code === 'token-wrong') return desk.refusals.tokenWrong
  if (code === 'body-wrong') return desk.refusals.bodyWrong
  const meaning = meanings[code]
  return meaning && t.refusals[meaning]
}
