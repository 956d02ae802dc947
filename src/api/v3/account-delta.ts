/**
 * How an account of v3 stands towards its coins, and how many orders its family may send.
 *
 * Delta      of a coin: what the account has of it and what its contracts on it add or take away, over the account's equity.
 *            The account level `delta` is not offered, so no threshold applies
 * Quota      each account of a family has the venue's limit of orders per second for itself; the family has no cap
 * Source     fidelity §2; wire/v3-endpoints.md §5
 */
import Type from 'typebox'
import { type CoinId, type FuturesInstrument, productLines } from '../../engine/catalog/catalog.ts'
import { divFloor, pow10, rateOne } from '../../engine/numbers/numbers.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { formatRate } from '../figures.ts'
import { ownOrSub } from '../own-sub-accounts.ts'
import * as field from '../parsing/fields.ts'
import { accountValue, CoinPrices } from './asset-values.ts'
import * as records from './records.ts'

const source = 'fidelity §2'
const access = { permission: 'uta_mgt', level: 'read' } as const

const deltaInfo = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/delta-info',
  summary: 'What the account gains or loses with each coin, as a share of its equity',
  source,
  access,
  limit: { perSecond: 10, per: 'uid' },
  request: field.nothing,
  response: records.DeltaInfo,
  handle(context) {
    const { equityUsd } = accountValue(context)
    const ratio = (usd: bigint) => formatRate((equityUsd <= 0n ? 0n : divFloor(usd * rateOne, equityUsd)) as never)
    const deltas = deltasOf(context)
    const all = [...deltas.values()].reduce((sum, usd) => sum + usd, 0n)
    return {
      deltaEquityRatio: ratio(all < 0n ? -all : all),
      deltaThreshold: '',
      positionThreshold: '',
      list: [...deltas].map(([coin, usd]) => ({ coin: context.catalog.coinName(coin), positionRatio: ratio(usd) })),
    }
  },
})

/** In USD of 1e-8, of coins that contracts are about. */
function deltasOf(context: PrivateContext): ReadonlyMap<CoinId, bigint> {
  const { account, catalog, core } = context
  const prices = new CoinPrices(core, catalog)
  const contracts = productLines.flatMap((line) => catalog.list(line))
  const deltas = new Map<CoinId, bigint>()
  const add = (coin: CoinId, usd: bigint) => {
    if (usd !== 0n) deltas.set(coin, (deltas.get(coin) ?? 0n) + usd)
  }
  for (const { balance, equity } of accountValue(context).coins) {
    if (contracts.some(({ base }) => base === balance.coin)) add(balance.coin, prices.usd(balance.coin, equity))
  }
  for (const line of productLines) {
    const ask = { uid: account.uid, interface: 'v3', line, instrument: undefined } as const
    for (const { instrument, side, quantity, markPrice } of core.query({ kind: 'positions', ...ask })) {
      const contract = catalog.instrument(instrument) as FuturesInstrument
      add(contract.base, (side === 'long' ? 1n : -1n) * valueUsd(contract, quantity, markPrice))
    }
  }
  return deltas
}

/** Contracts count USD each; of the others it is base coin at the mark. */
function valueUsd(contract: FuturesInstrument, lots: number, mark: number): bigint {
  const quantityE8 = BigInt(lots) * BigInt(contract.quantityStep) * pow10(8 - contract.quantityDecimals)
  if (contract.kind === 'inverse') return quantityE8
  return divFloor(quantityE8 * BigInt(mark) * BigInt(contract.priceStep), pow10(contract.priceDecimals))
}

const rateLimitQuota = defineEndpoint({
  method: 'GET',
  path: '/api/v3/user/rate-limit-quota',
  summary: 'How many orders a second the accounts of a family may send',
  source,
  access,
  limit: { perSecond: 10, per: 'uid' },
  request: Type.Object({
    category: field.oneOf(['spot', 'futures']),
    uid: Type.Optional(field.id({ description: 'The caller, or a sub-account of its own' })),
    cursor: Type.Optional(field.id({ description: 'uid of the last one of the page before' })),
    limit: field.limit(100, 100),
  }),
  response: records.RateLimitQuota,
  handle(context, { category, uid, cursor = 0, limit }) {
    const { account, core, ordersPerSecond } = context
    const family = [account.uid, ...core.query({ kind: 'sub-accounts', uid: account.uid }).map((sub) => sub.uid)]
    const asked = uid === undefined ? family : [ownOrSub(context, uid)]
    const left = asked.filter((one) => one > cursor).toSorted((a, b) => a - b)
    const page = left.slice(0, limit)
    const quota = String(ordersPerSecond)
    return {
      category,
      quotaList: page.map((one) => ({ uid: String(one), quota })),
      masterSubQuota: String(ordersPerSecond * family.length),
      masterSubCap: '',
      cursor: left.length > page.length ? String(page.at(-1)) : '',
    }
  },
})

export const accountDeltaEndpoints: readonly Endpoint[] = [deltaInfo, rateLimitQuota]
