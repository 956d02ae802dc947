/**
 * The account channels of v2: coins of the spot and of the cross margin wallet, margin coins of a futures line; and what a
 * futures account is worth in all its coins.
 *
 * Coins    those with a balance, and those that had one when it was last looked at
 * Mode     `assetMode` and `assetsMode` are the same word: clients read either
 * Source   wire/websocket.md §4 "account"
 */
import { CoinPrices, v2, walletOf } from '../../api/api.ts'
import type { ProductLine } from '../../engine/catalog/catalog.ts'
import type { BalanceView, FuturesAssetView } from '../../engine/protocol/query.ts'
import type { AccountPicture, ChannelState, PrivateChannel } from '../socket-protocol.ts'
import { named, type Scope } from './scope.ts'

export function accountChannel(scope: Scope): PrivateChannel {
  const { category } = scope
  if (category === 'SPOT') return { ...named('account', scope), state: (...asked) => spotRows(scope, ...asked) }
  if (category === 'MARGIN') return { ...named('account', scope), state: (...asked) => marginRows(scope, ...asked) }
  return { ...named('account', scope), state: (picture) => futuresRows(category, scope, picture) }
}

function spotRows(scope: Scope, picture: AccountPicture, channelState: ChannelState) {
  return shownBalances('SPOT', scope, picture, channelState).map((balance) =>
    v2.spotAsset(picture.catalog.catalog, balance, picture.now),
  )
}

function marginRows(scope: Scope, picture: AccountPicture, channelState: ChannelState) {
  return shownBalances('MARGIN', scope, picture, channelState).map((balance) => {
    const { coin, available, borrow, frozen, interest, coupon, uTime } = v2.marginAsset(
      picture.catalog.catalog,
      balance,
      picture.now,
    )
    return { uTime, id: `${picture.account.uid}-${coin}`, coin, available, borrow, frozen, interest, coupon }
  })
}

function shownBalances(
  category: 'SPOT' | 'MARGIN',
  { coin }: Scope,
  { core, account }: AccountPicture,
  { coins }: ChannelState,
): BalanceView[] {
  const balances = core.query({ kind: 'balances', uid: account.uid, wallet: walletOf(account, category) })
  const shown = balances.filter((balance) => {
    if (coin !== undefined && balance.coin !== coin) return false
    return balance.balance !== 0n || balance.held !== 0n || balance.principal !== 0n || coins.has(balance.coin)
  })
  for (const balance of shown) coins.add(balance.coin)
  return shown
}

function futuresRows(line: ProductLine, { coin }: Scope, { core, catalog, account }: AccountPicture) {
  const { uid } = account
  const asked = { uid, interface: 'v2', line } as const
  const positions = core.query({ kind: 'positions', ...asked, instrument: undefined })
  return core
    .query({ kind: 'futures-assets', ...asked })
    .filter((asset) => coin === undefined || asset.coin === coin)
    .map((asset) => {
      const record = v2.mixAccountOfList(catalog.catalog, asset, { positions, balances: [] })
      return {
        marginCoin: record.marginCoin,
        frozen: record.locked,
        available: record.available,
        maxOpenPosAvailable: record.crossedMaxAvailable,
        maxTransferOut: record.maxTransferOut,
        equity: record.accountEquity,
        usdtEquity: record.usdtEquity,
        crossedRiskRate: record.crossedRiskRate,
        unrealizedPL: record.unrealizedPL,
        unionTotalMargin: record.unionTotalMargin,
        unionAvailable: record.unionAvailable,
        unionMm: record.unionMm,
        assetMode: record.assetMode,
        assetsMode: record.assetMode,
      }
    })
}

/** Undefined: the category has no equity of its own. */
export function equityChannel(scope: Scope): PrivateChannel | undefined {
  const { category } = scope
  if (category === 'SPOT' || category === 'MARGIN') return undefined
  return { ...named('equity', scope), followsPrices: true, state: (picture) => [equityRow(category, picture)] }
}

/** The names of the multi-asset margin are empty where an account has none, as in the account channel. */
function equityRow(line: ProductLine, { core, catalog, account }: AccountPicture) {
  const assets = core.query({ kind: 'futures-assets', uid: account.uid, interface: 'v2', line })
  const prices = new CoinPrices(core, catalog)
  const sum = (of: (asset: FuturesAssetView) => bigint) => assets.reduce((total, asset) => total + of(asset), 0n)
  const unrealized = v2.amountText(prices.inUsdt(sum(({ coin, unrealizedPnl }) => prices.usd(coin, unrealizedPnl))))
  const union = assets.filter(({ assetMode }) => assetMode === 'union')
  const [shared] = union.map((asset) => v2.mixAccountOfList(catalog.catalog, asset, { positions: [], balances: [] }))
  return {
    usdtEquity: v2.amountText(sum(({ usdtEquity }) => usdtEquity)),
    btcEquity: v2.amountText(sum(({ btcEquity }) => btcEquity)),
    usdtUnrealized: unrealized,
    unrealizedPL: unrealized,
    unionTotalMargin: shared?.unionTotalMargin ?? '',
    unionAvailable: shared?.unionAvailable ?? '',
    unionMm: shared?.unionMm ?? '',
  }
}
