/**
 * What a refusal means to a person, and what to do about it, by the venue's code. A code that is not here keeps the venue's
 * own sentence.
 *
 * Source  interface.md, errors; docs/interface.md. Codes of both versions stand together where they mean the same
 */
import { type Messages, t } from '../words/words.ts'

const meanings: readonly (readonly [meaning: keyof Messages['refusals'], ...codes: string[]])[] = [
  // Keys
  ['keyUnknown', '40006', '40037'],
  ['secretWrong', '40009'],
  ['passphraseWrong', '40012'],
  ['clockOff', '40008'],
  ['noPermission', '40014', '25620'],
  ['addressForbidden', '40018'],
  ['otherMode', '40084', '40085', '25245'],
  ['frozen', '40024'],
  // Money
  ['noMoney', '43012', '25202', '50020'],
  ['noMargin', '40762', '25203'],
  ['aboveTier', '25233'],
  ['notTransferable', '43117'],
  ['marginBound', '40801'],
  ['aboveLoan', '50035'],
  ['nothingToLend', '50038'],
  ['lessToRepay', '50041', '25217'],
  ['amountNotPositive', '50040', '400172'],
  ['amountDecimals', '43124'],
  ['amountBelowLeast', '43114'],
  ['aboveDaily', '43113'],
  ['addressWrong', '47002'],
  ['tagMissing', '43116'],
  ['depositsSuspended', '47001'],
  ['withdrawalsSuspended', '43126'],
  // Orders
  ['priceTooHigh', '40815', '25206', '43009'],
  ['priceTooLow', '40816', '25205', '43008'],
  ['quantityTooSmall', '45111', '25207', '43006', '50016'],
  ['quantityTooLarge', '45112', '25208', '43007', '50017'],
  ['valueTooSmall', '45110', '25611'],
  ['priceStep', '41103', '40808', '45115', '25244'],
  ['quantityStep', '22038', '25610'],
  ['tooManyOrders', '40761', '25211', '43005'],
  ['orderGone', '43001', '25204', '40768'],
  ['triggerGone', '43025', '43020', '25597'],
  ['nothingChanged', '40923', '25571'],
  ['nothingToReduce', '22002', '25227', '40802'],
  ['positionSmaller', '40757', '25225'],
  ['positionUnsaid', '40774', '25236'],
  ['longTakeProfit', '40915', '25585'],
  ['longStopLoss', '40917', '25586'],
  ['shortTakeProfit', '45061', '25587'],
  ['shortStopLoss', '45122', '25588'],
  ['noOrdersNow', '41114', '25102', '50025', '40844'],
  ['pricesUncertain', '45043', '25106'],
  // Settings
  ['modeHeld', '40920', '25010'],
  ['marginModeHeld', '45117'],
  ['noSuchLeverage', '43050', '25223', '45044'],
  ['leverageTooLow', '40893', '25228'],
  ['tooMany', '429'],
]

const byCode = new Map(meanings.flatMap(([meaning, ...codes]) => codes.map((code) => [code, meaning] as const)))

/** Undefined: the venue's own sentence is all there is. */
export function meaningOf(code: string): string | undefined {
  const meaning = byCode.get(code)
  return meaning && t.refusals[meaning]
}
