/**
 * Settings and assets of an account as v3 writes them.
 *
 * Source  interface.md "Account settings"; wire/v3-endpoints.md §4
 */
import type { Static } from 'typebox'
import type { Coin, Instrument } from '../../../engine/catalog/catalog.ts'
import type { AccountView, BalanceView, SymbolSettingView } from '../../../engine/protocol/query.ts'
import type { CatalogIndex } from '../../catalog-index.ts'
import { formatAmount } from '../../figures.ts'
import type { ApiKey } from '../../keys/keys.ts'
import type { AccountValue } from '../asset-values.ts'
import type * as records from '../records.ts'
import { marginModeWord, marginRatio } from './figures.ts'

/** A classic account never gets so far: it is refused on every private v3 path. */
export function settingsRecord(
  account: AccountView,
  settings: readonly SymbolSettingView[],
  catalog: CatalogIndex,
  leverageOf: (coin: Coin) => number,
): Static<typeof records.Settings> {
  return {
    uid: String(account.uid),
    accountMode: account.mode,
    assetMode: 'multi_assets',
    accountLevel: 'advanced',
    holdMode: account.holdMode['USDT-FUTURES'],
    stpMode: account.stpMode,
    symbolConfigList: settings.map((setting) => {
      const instrument = catalog.instrument(setting.instrument)
      return {
        category: instrument.category,
        symbol: instrument.symbol,
        marginMode: marginModeWord(setting.marginMode),
        leverage: leverageInForce(account, instrument, setting),
      }
    }),
    coinConfigList: catalog.catalog.coins
      .filter((coin) => coin.borrowable)
      .map((coin) => ({ coin: coin.name, leverage: String(leverageOf(coin)) })),
  }
}

/**
 * The leverage by which the next order opens: one, or of isolated margin in hedge mode those of long and short where they
 * differ. The interface declares a list and shows a decimal text: the text is what there is one of (design §4.37).
 */
function leverageInForce(
  { holdMode }: AccountView,
  instrument: Instrument,
  { marginMode, leverage, leverageLong, leverageShort }: SymbolSettingView,
): string | string[] {
  const isHedged = instrument.kind !== 'spot' && holdMode[instrument.category] === 'hedge_mode'
  if (marginMode === 'cross' || !isHedged) return String(leverage)
  return leverageLong === leverageShort ? String(leverageLong) : [String(leverageLong), String(leverageShort)]
}

/** The margin figures are those of risk-engine §16: amounts in USD, the ratio at which the account is liquidated is 1. */
export function assetsRecord(value: AccountValue, catalog: CatalogIndex): Static<typeof records.Assets> {
  const { equityUsd, unrealizedUsd, standing } = value
  const inCoin = (usd: bigint, coin: string) => formatAmount(value.inCoin(usd, coin))
  return {
    accountEquity: formatAmount(equityUsd),
    usdtEquity: inCoin(equityUsd, 'USDT'),
    btcEquity: inCoin(equityUsd, 'BTC'),
    unrealisedPnl: formatAmount(unrealizedUsd),
    usdtUnrealisedPnl: inCoin(unrealizedUsd, 'USDT'),
    btcUnrealizedPnl: inCoin(unrealizedUsd, 'BTC'),
    effEquity: formatAmount(standing.equity),
    mmr: formatAmount(standing.maintenance),
    imr: formatAmount(standing.initial),
    mgnRatio: marginRatio(standing.maintenance, standing.equity),
    positionMgnRatio: marginRatio(standing.maintenanceOfPositions, standing.equity),
    assets: coinAssetRecords(value, catalog),
  }
}

export function coinAssetRecords(value: AccountValue, catalog: CatalogIndex): Static<typeof records.CoinAsset>[] {
  return value.coins.map(({ balance, equity, locked, usdValue }) => ({
    coin: catalog.coinName(balance.coin),
    equity: formatAmount(equity),
    usdValue: formatAmount(usdValue),
    balance: formatAmount(balance.balance),
    available: formatAmount(balance.available),
    debt: formatAmount(balance.principal + balance.interest),
    locked: formatAmount(locked),
  }))
}

export function fundingAssetRecord(balance: BalanceView, catalog: CatalogIndex): Static<typeof records.FundingAsset> {
  return {
    coin: catalog.coinName(balance.coin),
    available: formatAmount(balance.available),
    frozen: formatAmount(balance.held),
    balance: formatAmount(balance.balance),
  }
}

/** A key that only reads reads everything; of the others only the fields of v3 are named. */
export function accountInfoRecord(account: AccountView, key: ApiKey): Static<typeof records.AccountInfo> {
  const fields = ['uta_mgt', 'uta_trade'] as const
  const held = [...fields, 'withdraw' as const].filter((permission) => key.permissions.includes(permission))
  return {
    userId: String(account.uid),
    inviterId: '',
    parentId: account.parentUid === undefined ? '' : String(account.parentUid),
    channelCode: account.broker?.channelCode ?? '',
    channel: '',
    ips: key.ipList.join(','),
    permType: held.length === 0 || key.readOnly ? 'read-only' : 'read-and-write',
    permissions: [...(held.length === 0 ? fields : held)],
    regisTime: String(account.createdAt),
  }
}
