/**
 * The cross-margin account of v2: what it holds and owes, borrowing and repaying.
 *
 * Repaying  interest first; more than the debt is cut to it, no debt is refused (design §4.36)
 * Flash     a flash repayment pays what it can; its number is that of its first repayment, by whose record its status is told
 * Source    interface.md E11; fidelity §2; wire/client-endpoints.md §4 "Cross margin"; risk-engine.md §17
 */
import Type from 'typebox'
import type { Coin } from '../../engine/catalog/catalog.ts'
import { type Amount, amount, amountMax, parseDecimal, rate } from '../../engine/numbers/numbers.ts'
import { type Endpoint, type PrivateContext, defineEndpoint } from '../endpoint.ts'
import { ApiError, type Code, wrongParameter } from '../errors/errors.ts'
import { clientOidV2, coin, decimal, matching, nothing } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import { coinNamed, historyWindow, walletOf } from './lookups.ts'
import * as records from './records.ts'
import { accepted } from './replies.ts'

const trade = { permission: 'margin_trade', level: 'write' } as const
const read = { permission: 'margin_trade', level: 'read' } as const
const tenPerSecond = { perSecond: 10, per: 'uid' } as const

const assets = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/account/assets',
  summary: 'Coins of the cross-margin account, with what is owed',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: tenPerSecond,
  request: Type.Object({ coin: Type.Optional(coin()) }),
  response: Type.Array(records.MarginAsset),
  handle(context, input) {
    const wanted = input.coin === undefined ? undefined : coinNamed(context, input.coin).id
    const wallet = walletOf(context.account, 'MARGIN')
    const balances = context.core.query({ kind: 'balances', uid: context.account.uid, wallet })
    return balances
      .filter(({ coin: id, balance, principal }) => (wanted === undefined ? balance + principal !== 0n : id === wanted))
      .map((balance) => dictionary.marginAsset(context.catalog.catalog, balance, context.now))
  },
})

/**
 * An amount of a margin request: up to 8 decimals (50063), more than zero (`zeroCode`). One that the venue's numbers do not
 * carry counts as the most that they do: more than may be borrowed, and more than any debt.
 */
function marginAmount(text: string, field: string, zeroCode: Code): Amount {
  const units = parseDecimal(text, 8)
  if (units === 'too-many-decimals') throw new ApiError('50063')
  if (units === 'out-of-range') return amount(amountMax)
  if (units === 'not-a-decimal') throw wrongParameter('v2', field, 'should be a decimal number')
  if (units === 0n) throw new ApiError(zeroCode)
  return amount(units)
}

const borrow = defineEndpoint({
  method: 'POST',
  path: '/api/v2/margin/crossed/account/borrow',
  summary: 'Borrows a coin on the cross-margin account',
  source: 'wire/client-endpoints §4',
  access: trade,
  limit: tenPerSecond,
  request: Type.Object({
    coin: coin(),
    borrowAmount: decimal(),
    clientOid: Type.Optional(clientOidV2({ description: 'for the client alone: the venue does not keep it' })),
  }),
  response: records.Borrowed,
  async handle(context, input) {
    const wanted = coinNamed(context, input.coin)
    const reply = await context.core.submit({
      kind: 'borrow',
      uid: context.account.uid,
      coin: wanted.id,
      amount: marginAmount(input.borrowAmount, 'borrowAmount', '50034'),
    })
    const loan = accepted(reply, 'borrowed', 'margin')
    return { loanId: String(loan.loanId), coin: wanted.name, borrowAmount: dictionary.amountText(loan.amount) }
  },
})

const repay = defineEndpoint({
  method: 'POST',
  path: '/api/v2/margin/crossed/account/repay',
  summary: 'Repays cross-margin debt',
  source: 'interface E11',
  access: trade,
  limit: tenPerSecond,
  request: Type.Object({ coin: coin(), repayAmount: decimal({ description: 'up to 8 decimals' }) }),
  response: records.Repaid,
  async handle(context, input) {
    const owed = coinNamed(context, input.coin)
    const reply = await context.core.submit({
      kind: 'repay',
      uid: context.account.uid,
      coin: owed.id,
      amount: marginAmount(input.repayAmount, 'repayAmount', '50040'),
    })
    const repayment = accepted(reply, 'repaid', 'margin')
    return {
      coin: owed.name,
      repayId: String(repayment.repayId),
      remainDebtAmount: dictionary.amountText(repayment.remaining),
      repayAmount: dictionary.amountText(repayment.repaid),
    }
  },
})

const flashRepay = defineEndpoint({
  method: 'POST',
  path: '/api/v2/margin/crossed/account/flash-repay',
  summary: 'Repays what is owed of a coin, or of all, and sells other coins for what its own does not pay',
  source: 'fidelity §2',
  access: trade,
  limit: tenPerSecond,
  request: Type.Object({ coin: Type.Optional(coin({ description: 'absent: all that are owed' })) }),
  response: records.FlashRepaid,
  async handle(context, input) {
    const owed = input.coin === undefined ? undefined : coinNamed(context, input.coin)
    const reply = await context.core.submit({ kind: 'flash-repay', uid: context.account.uid, coin: owed?.id })
    const { repayId } = accepted(reply, 'flash-repaid', 'margin')
    // Orders that found nobody stand in the history as canceled: what had an effect is no refusal.
    return { repayId: repayId === undefined ? '' : String(repayId), coin: owed?.name ?? '' }
  },
})

const flashRepaysMax = 100
const idList = matching(
  `^[0-9]{1,20}(,[0-9]{1,20}){0,${flashRepaysMax - 1}}$`,
  `should be 1 to ${flashRepaysMax} numbers with commas between them`,
)

const flashRepayStatus = defineEndpoint({
  method: 'POST',
  path: '/api/v2/margin/crossed/account/query-flash-repay-status',
  summary: 'Whether flash repayments of the last 90 days were made',
  source: 'fidelity §2',
  access: read,
  limit: tenPerSecond,
  request: Type.Object({ idList }),
  response: Type.Array(records.FlashRepayStatus),
  async handle(context, input) {
    // Longer numbers than any repayment has are well formed and unknown.
    const asked = input.idList.split(',').map((text) => ({ text, id: Math.min(Number(text), Number.MAX_SAFE_INTEGER) }))
    const { rows } = await context.history.repayments({
      uid: context.account.uid,
      ids: asked.map(({ id }) => id),
      limit: flashRepaysMax,
      ...historyWindow(context.now, {}),
    })
    const made = new Set(rows.map(({ repayId }) => repayId))
    return asked.map(({ text, id }) => ({ repayId: text, status: made.has(id) ? 'success' : 'fail' }))
  },
})

function marginAccountOf(context: PrivateContext, wanted: Coin) {
  return context.core.query({ kind: 'margin-account', uid: context.account.uid, coin: wanted.id })
}

const maxBorrowable = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/account/max-borrowable-amount',
  summary: 'The most that may be borrowed of a coin now',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: tenPerSecond,
  request: Type.Object({ coin: coin() }),
  response: records.MaxBorrowable,
  handle(context, input) {
    const wanted = coinNamed(context, input.coin)
    const { borrowable } = marginAccountOf(context, wanted)
    return { coin: wanted.name, maxBorrowableAmount: dictionary.amountText(borrowable) }
  },
})

const maxTransferOut = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/account/max-transfer-out-amount',
  summary: 'The most that may leave the cross-margin account of a coin now',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: tenPerSecond,
  request: Type.Object({ coin: coin() }),
  response: records.MaxTransferOut,
  handle(context, input) {
    const wanted = coinNamed(context, input.coin)
    const { transferable } = marginAccountOf(context, wanted)
    return { coin: wanted.name, maxTransferOutAmount: dictionary.amountText(transferable) }
  },
})

const interestRateAndLimit = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/interest-rate-and-limit',
  summary: 'Interest on a borrowed coin, and how much may be borrowed',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: tenPerSecond,
  request: Type.Object({ coin: coin() }),
  response: Type.Array(records.InterestRate),
  handle(context, input) {
    const wanted = coinNamed(context, input.coin)
    const { dailyInterestRate } = marginAccountOf(context, wanted)
    return [dictionary.interestRate(wanted, dailyInterestRate, rate(dailyInterestRate * 365n))]
  },
})

const riskRate = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/account/risk-rate',
  summary: 'Liquidation level over margin level: at 1 the account is liquidated; 0 without debt',
  source: 'wire/client-endpoints §4; risk-engine §17',
  access: read,
  limit: tenPerSecond,
  request: nothing,
  response: records.MarginRiskRate,
  handle({ account, core }) {
    const standing = core.query({ kind: 'margin-wallet', uid: account.uid, interface: 'v2' })
    return { riskRateRatio: dictionary.rateText(standing.riskRate) }
  },
})

const tierData = defineEndpoint({
  method: 'GET',
  path: '/api/v2/margin/crossed/tier-data',
  summary: 'How much may be borrowed of a coin at which leverage',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: tenPerSecond,
  request: Type.Object({ coin: coin() }),
  response: Type.Array(records.MarginTier),
  handle: (context, input) => [dictionary.marginTier(coinNamed(context, input.coin))],
})

export const marginAccountEndpoints: readonly Endpoint[] = [
  assets,
  borrow,
  repay,
  flashRepay,
  flashRepayStatus,
  maxBorrowable,
  maxTransferOut,
  interestRateAndLimit,
  riskRate,
  tierData,
]
