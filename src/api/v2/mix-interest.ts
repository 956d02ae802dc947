/**
 * Borrowing behind futures in v2: interest that a unified wallet paid, and what coins are worth in USDT.
 *
 * Classic    a classic futures wallet never owes: its interest history is empty
 * Rates      of the index, one tier up to the most that the house converts at once (v2 `convert`)
 * Source     fidelity §2; risk-engine.md §16
 */
import Type from 'typebox'
import { formatDecimal, rateDecimals } from '../../engine/numbers/numbers.ts'
import type { InterestEvent } from '../../engine/protocol/event.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { coin, id, limit, nothing, productType, timestamp } from '../parsing/fields.ts'
import * as dictionary from './dictionary.ts'
import { coinNamed, historyWindow, walletOf } from './lookups.ts'
import * as records from './records.ts'

const source = 'fidelity §2'

const interestHistory = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/account/interest-history',
  summary: 'Interest on what the unified wallet owes, hour by hour',
  source,
  access: { permission: 'contract_trade', level: 'read' },
  limit: { perSecond: 5, per: 'uid' },
  request: Type.Object({
    productType: productType(),
    coin: Type.Optional(coin()),
    idLessThan: Type.Optional(id()),
    startTime: Type.Optional(timestamp()),
    endTime: Type.Optional(timestamp()),
    limit: limit(20, 100),
  }),
  response: records.FuturesInterest,
  async handle(context, input) {
    const { account, core, now, history } = context
    const named = input.coin === undefined ? undefined : coinNamed(context, input.coin)
    const window = historyWindow(now, input)
    const none = { nextSettleTime: '', borrowAmount: '0', borrowLimit: '0', interestList: [], endId: '' }
    if (walletOf(account, input.productType) !== 'uta') return none
    const { rows } = await history.interest({
      uid: account.uid,
      wallet: 'uta',
      coin: named?.id,
      beforeId: input.idLessThan,
      limit: input.limit,
      ...window,
    })
    const { nextInterestAt } = core.query({ kind: 'margin-wallet', uid: account.uid, interface: 'v3' })
    return {
      nextSettleTime: nextInterestAt === undefined ? '' : String(nextInterestAt),
      ...borrowed(context, named?.id),
      interestList: rows.map((interest) => interestOf(context, interest)),
      endId: String(rows.at(-1)?.id ?? ''),
    }
  },
})

/** Of the coin that is named: what is owed, and what one account may owe. Of all together there is no such sum. */
function borrowed({ account, catalog, core }: PrivateContext, named: number | undefined) {
  if (named === undefined) return { borrowAmount: '', borrowLimit: '' }
  const owed = core
    .query({ kind: 'balances', uid: account.uid, wallet: 'uta' })
    .find(({ coin: which }) => which === named)
  const { borrowable, borrowLimit } = catalog.coin(named)
  return {
    borrowAmount: dictionary.amountText((owed?.principal ?? 0n) + (owed?.interest ?? 0n)),
    borrowLimit: dictionary.amountText(borrowable ? borrowLimit : 0n),
  }
}

function interestOf({ catalog }: PrivateContext, interest: InterestEvent): records.FuturesInterestRow {
  const { name, borrowLimit } = catalog.coin(interest.coin)
  return {
    coin: name,
    // The venue lends nothing free of interest.
    liability: '',
    interestFreeLimit: '0',
    interestLimit: dictionary.amountText(borrowLimit),
    hourInterestRate: dictionary.rateText(interest.dailyInterestRate / 24n),
    interest: dictionary.amountText(interest.amount),
    cTime: String(interest.at),
  }
}

const exchangeRate = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/market/exchange-rate',
  summary: 'Index price of each coin in USDT',
  source,
  access: 'public',
  limit: { perSecond: 5, per: 'ip' },
  request: nothing,
  response: Type.Array(records.ExchangeRates),
  handle({ catalog, core }) {
    const usdt = catalog.coinNamed('USDT')
    const prices = core.query({ kind: 'index-prices' })
    const into = usdt === undefined ? 0n : prices[usdt.id]
    if (into === 0n) return []
    return core.query({ kind: 'convertible' }).map(({ coin: which, maximum }) => ({
      coin: catalog.coinName(which),
      exchangeRateList: [
        {
          tier: '1',
          minAmount: '0',
          maxAmount: dictionary.amountText(maximum),
          exchangeRate: formatDecimal((prices[which] * 10n ** BigInt(rateDecimals)) / into, rateDecimals),
        },
      ],
    }))
  },
})

export const mixInterestEndpoints: readonly Endpoint[] = [interestHistory, exchangeRate]
