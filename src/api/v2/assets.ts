/**
 * What accounts are worth in v2: wallet by wallet, and what all sub-accounts have to trade with.
 *
 * Worth     in USDT at index prices, rounded down; open positions count in the wallets that they are in
 * All       every wallet counts, whatever the mode. A wallet that the mode does not trade from has no line while it is empty
 * Funding   the spot wallet, as everywhere in the interface (E9: "spot/funding account")
 * Source    wire/client-endpoints.md §4; wire/rate-limits-and-filters.md §3
 */
import Type from 'typebox'
import { productLines } from '../../engine/catalog/catalog.ts'
import { lineWallets, modeRead, type WalletType } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { formatAmount } from '../figures.ts'
import { coin, id, limit, nothing, productType } from '../parsing/fields.ts'
import { type AccountContext, accountValue, CoinPrices } from '../v3/asset-values.ts'
import * as dictionary from './dictionary.ts'
import { coinNamed, walletOf } from './lookups.ts'
import * as records from './records.ts'

const spotRead = { permission: 'spot_trade', level: 'read' } as const
const perSecond = (calls: number) => ({ perSecond: calls, per: 'uid' }) as const
const source = 'wire/client-endpoints §4'

const allAccountBalance = defineEndpoint({
  method: 'GET',
  path: '/api/v2/account/all-account-balance',
  summary: 'What each part of the account is worth in USDT',
  source,
  access: spotRead,
  limit: perSecond(1),
  request: nothing,
  response: Type.Array(records.AccountBalance),
  handle(context) {
    return accountWorth(context).map(([accountType, usdt]) => ({ accountType, usdtBalance: formatAmount(usdt) }))
  },
})

/** Each part of an account with what it is worth in USDT, units of 1e-8, rounded down. */
function accountWorth(context: AccountContext): readonly (readonly [accountType: string, usdt: bigint])[] {
  const mode = modeRead(context.account)
  const [isClassicUsed, isUnifiedUsed] = [mode !== 'unified', mode !== 'classic']
  const parts: [accountType: string, usdt: bigint, isUsed: boolean][] = [
    ['spot', walletWorth(context, 'spot'), true],
    ['p2p', walletWorth(context, 'p2p'), true],
    ['futures', futuresWorth(context, isClassicUsed), isClassicUsed],
    ['margin', walletWorth(context, 'crossed_margin'), isClassicUsed],
    ['uta', isUnifiedUsed ? unifiedWorth(context) : walletWorth(context, 'uta'), isUnifiedUsed],
  ]
  return parts.filter(([, usdt, isUsed]) => isUsed || usdt !== 0n).map(([name, usdt]) => [name, usdt])
}

/** All of an account in USDT, units of 1e-8: every wallet with its open positions, less debts. */
export function equityOf(context: AccountContext): bigint {
  return accountWorth(context).reduce((sum, [, usdt]) => sum + usdt, 0n)
}

function unifiedWorth(context: AccountContext): bigint {
  const value = accountValue(context)
  return value.inCoin(value.equityUsd, 'USDT')
}

/** Balances less debts. */
function walletWorth({ account, catalog, core }: AccountContext, wallet: WalletType): bigint {
  const prices = new CoinPrices(core, catalog)
  const usd = core
    .query({ kind: 'balances', uid: account.uid, wallet })
    .reduce(
      (sum, balance) => sum + prices.usd(balance.coin, balance.balance - balance.principal - balance.interest),
      0n,
    )
  return prices.inUsdt(usd)
}

/** Positions are in wallets that are traded from; into the others money may be moved all the same. */
function futuresWorth(context: AccountContext, isUsed: boolean): bigint {
  const { account, core } = context
  if (!isUsed) return productLines.reduce((sum, line) => sum + walletWorth(context, lineWallets[line]), 0n)
  return productLines
    .flatMap((line) => core.query({ kind: 'futures-assets', uid: account.uid, interface: 'v2', line }))
    .reduce((sum, { usdtEquity }) => sum + usdtEquity, 0n)
}

const fundingAssets = defineEndpoint({
  method: 'GET',
  path: '/api/v2/account/funding-assets',
  summary: 'Coins of the funding (spot) wallet',
  source,
  access: spotRead,
  limit: perSecond(10),
  request: Type.Object({ coin: Type.Optional(coin()) }),
  response: Type.Array(records.FundingAsset),
  handle(context, input) {
    const { account, catalog, core } = context
    const asked = input.coin === undefined ? undefined : coinNamed(context, input.coin).id
    const prices = new CoinPrices(core, catalog)
    return core
      .query({ kind: 'balances', uid: account.uid, wallet: 'spot' })
      .filter((balance) => (asked === undefined ? balance.balance !== 0n : balance.coin === asked))
      .map((balance) => ({
        coin: catalog.coinName(balance.coin),
        available: formatAmount(balance.available),
        frozen: formatAmount(balance.held),
        usdtValue: formatAmount(prices.inUsdt(prices.usd(balance.coin, balance.balance))),
      }))
  },
})

const subAccountAssets = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/account/sub-account-assets',
  summary: 'Futures assets of every sub-account that has some',
  source,
  access: { permission: 'contract_trade', level: 'read', mainAccount: true },
  limit: perSecond(0.1),
  request: Type.Object({ productType: productType() }),
  response: Type.Array(records.SubAccountAssets),
  handle({ account, catalog, core }, { productType: line }) {
    return core
      .query({ kind: 'sub-accounts', uid: account.uid })
      .map((sub) => ({
        userId: sub.uid,
        assetList: core
          .query({ kind: 'futures-assets', uid: sub.uid, interface: 'v2', line })
          .filter(({ equity, held }) => equity !== 0n || held !== 0n)
          .map((asset) => dictionary.subAccountAssetOfList(catalog.catalog, asset)),
      }))
      .filter(({ assetList }) => assetList.length > 0)
  },
})

const spotSubAccountAssets = defineEndpoint({
  method: 'GET',
  path: '/api/v2/spot/account/subaccount-assets',
  summary: 'What every sub-account that has some trades spot with, the newest first',
  source: 'wire/rate-limits-and-filters §3',
  access: { ...spotRead, mainAccount: true },
  limit: perSecond(10),
  request: Type.Object({
    idLessThan: Type.Optional(id({ description: 'The last userId of the page before' })),
    limit: limit(10, 50),
  }),
  response: Type.Array(records.SpotSubAccountAssets),
  handle({ account, catalog, core, now }, { idLessThan = Number.MAX_SAFE_INTEGER, limit: most }) {
    return core
      .query({ kind: 'sub-accounts', uid: account.uid })
      .filter(({ uid }) => uid < idLessThan)
      .reverse()
      .map((sub) => ({
        userId: String(sub.uid),
        assetsList: core
          .query({ kind: 'balances', uid: sub.uid, wallet: walletOf(sub, 'SPOT') })
          .filter(({ balance }) => balance !== 0n)
          .map((balance) => dictionary.spotAsset(catalog.catalog, balance, now)),
      }))
      .filter(({ assetsList }) => assetsList.length > 0)
      .slice(0, most)
  },
})

export const assetEndpoints: readonly Endpoint[] = [
  allAccountBalance,
  fundingAssets,
  subAccountAssets,
  spotSubAccountAssets,
]
