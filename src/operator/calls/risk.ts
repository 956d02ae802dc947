/**
 * The body of `POST /operator/risk`: rules of margin and liquidation of the whole venue; what is absent stays as it is.
 *
 * adlStartShare, adlEndShare           auto-deleveraging begins when the insurance fund is below the one share of its
 *                                      highest, and ends above the other
 * orderMarginMarkup, orderFeeMarkup    what an opening order holds beyond its margin and its fee, as a share of them
 * profitAsMargin                       on: unrealized profit of cross positions is available for new risk
 * reduceTiers                          tiers that a step of a cross liquidation takes a position down; 0: closed whole
 * Source                               risk-engine.md §6, §11, §14, §15
 */
import type { StaticDecode } from 'typebox'
import { formatDecimal, rateDecimals } from '../../engine/numbers/numbers.ts'
import type { SetRisk } from '../../engine/protocol/command.ts'
import type { Answer } from '../../engine/protocol/query.ts'
import { body, optional, share, wholeNumber, word } from './fields.ts'
import { bodyWrong } from './refusals.ts'

const reduceTiersMost = 100

export const riskBody = body({
  adlStartShare: optional(share),
  adlEndShare: optional(share),
  orderMarginMarkup: optional(share),
  orderFeeMarkup: optional(share),
  profitAsMargin: optional(word(['on', 'off'])),
  reduceTiers: optional(wholeNumber(0, reduceTiersMost)),
})

export function riskCommand(sent: StaticDecode<typeof riskBody>): SetRisk {
  if (Object.values(sent).every((value) => value === undefined)) {
    throw bodyWrong([{ field: '', rule: 'names nothing to change' }])
  }
  return {
    kind: 'set-risk',
    adlStartShare: sent.adlStartShare,
    adlEndShare: sent.adlEndShare,
    orderMarginMarkup: sent.orderMarginMarkup,
    orderFeeMarkup: sent.orderFeeMarkup,
    profitAsMargin: sent.profitAsMargin === undefined ? undefined : sent.profitAsMargin === 'on',
    reduceTiers: sent.reduceTiers,
  }
}

/** The rules that are in force now. */
export function riskShown({ risk }: Answer<'settings'>): Record<string, string> {
  return {
    adlStartShare: formatDecimal(risk.adlStartShare, rateDecimals),
    adlEndShare: formatDecimal(risk.adlEndShare, rateDecimals),
    orderMarginMarkup: formatDecimal(risk.orderMarginMarkup, rateDecimals),
    orderFeeMarkup: formatDecimal(risk.orderFeeMarkup, rateDecimals),
    profitAsMargin: risk.profitAsMargin ? 'on' : 'off',
    reduceTiers: String(risk.reduceTiers),
  }
}
