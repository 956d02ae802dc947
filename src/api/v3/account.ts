/**
 * v3 account endpoints: settings, assets, leverage, position mode, fees, limits.
 *
 * Probe    clients call the settings first: success means v3, the 40084 of a classic account means v2
 * Level    `advanced`: every coin backs every position. The other levels are refused (25009)
 * Source   interface.md E6; design.md §3, §4.20; wire/v3-endpoints.md §4
 */
import Type from 'typebox'
import { type Category, type Coin, type ProductLine, productLines } from '../../engine/catalog/catalog.ts'
import { amount, type Amount, zero } from '../../engine/numbers/numbers.ts'
import type { SetCoinLeverage, SetLeverage, SetSideLeverages } from '../../engine/protocol/command.ts'
import type { CatalogIndex } from '../catalog-index.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { ApiError, missingParameter, refusalError, unknownCoin } from '../errors/errors.ts'
import { formatAmount, formatRate } from '../figures.ts'
import { ownSub } from '../own-sub-accounts.ts'
import * as field from '../parsing/fields.ts'
import { parseAmount } from '../parsing/orders.ts'
import { accountValue } from './asset-values.ts'
import * as wire from './dictionary.ts'
import { namedInstrument } from './market.ts'
import * as records from './records.ts'

const reading = { permission: 'uta_mgt', level: 'read' } as const
const writing = { permission: 'uta_mgt', level: 'write' } as const
const source = 'wire/v3-endpoints §4'

const settings = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/settings',
  summary: 'Mode and settings of the account',
  source: 'interface E6; design §3',
  access: reading,
  limit: { perSecond: 20, per: 'uid' },
  request: field.nothing,
  response: records.Settings,
  handle: ({ account, catalog, core }) => {
    const perSymbol = core.query({
      kind: 'symbol-settings',
      uid: account.uid,
      interface: 'v3',
      instrument: undefined,
    })
    const leverageOf = ({ id }: Coin) => core.query({ kind: 'margin-account', uid: account.uid, coin: id }).leverage
    return wire.settingsRecord(account, perSymbol, catalog, leverageOf)
  },
})

const assets = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/assets',
  summary: 'Worth and coins of the unified wallet; coins without a balance are left out',
  source,
  access: reading,
  limit: { perSecond: 20, per: 'uid' },
  request: field.nothing,
  response: records.Assets,
  handle: (context) => wire.assetsRecord(accountValue(context), context.catalog),
})

const fundingAssets = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/funding-assets',
  summary: 'Coins of the funding (spot) wallet',
  source,
  access: reading,
  limit: { perSecond: 20, per: 'uid' },
  request: Type.Object({ coin: Type.Optional(field.coin()) }),
  response: Type.Array(records.FundingAsset),
  handle: ({ account, catalog, core }, { coin }) => {
    if (coin !== undefined && catalog.coinNamed(coin) === undefined) throw unknownCoin(coin)
    return core
      .query({ kind: 'balances', uid: account.uid, wallet: 'spot' })
      .filter((balance) => (coin === undefined ? balance.balance !== 0n : catalog.coinName(balance.coin) === coin))
      .map((balance) => wire.fundingAssetRecord(balance, catalog))
  },
})

const leverageMaxConceivable = 1000

const setLeverage = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/set-leverage',
  summary: 'Leverage of a contract (in isolated hedge mode of one side, or of both apart), or of borrowing a coin',
  source,
  access: writing,
  limit: { perSecond: 10, per: 'uid' },
  request: Type.Object({
    category: field.oneOf(['MARGIN', ...productLines]),
    symbol: Type.Optional(field.symbol()),
    coin: Type.Optional(field.coin()),
    leverage: Type.Optional(field.whole(1, leverageMaxConceivable)),
    longLeverage: Type.Optional(field.whole(1, leverageMaxConceivable)),
    shortLeverage: Type.Optional(field.whole(1, leverageMaxConceivable)),
    posSide: Type.Optional(field.oneOf(['long', 'short'])),
    marginMode: Type.Optional(field.oneOf(['crossed', 'isolated'])),
  }),
  response: records.Done,
  handle: async ({ account, catalog, core }, input) => {
    const { category, symbol, leverage, longLeverage, shortLeverage, posSide, marginMode } = input
    if (category === 'MARGIN') {
      const reply = await core.submit(coinLeverage(account.uid, catalog, input.coin, leverage))
      if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
      return 'success' as const
    }
    if (symbol === undefined) throw missingParameter('symbol')
    const instrument = namedInstrument<ProductLine>(catalog, category, symbol)
    const shared = {
      uid: account.uid,
      interface: 'v3',
      instrument: instrument.id,
      marginMode: marginMode === undefined ? undefined : marginMode === 'crossed' ? 'cross' : 'isolated',
    } as const
    const command = (value: number, positionSide: SetLeverage['positionSide']): SetLeverage => ({
      kind: 'set-leverage',
      ...shared,
      leverage: value,
      positionSide,
    })
    const commandOf = (): SetLeverage | SetSideLeverages => {
      if (longLeverage !== undefined && shortLeverage !== undefined) {
        return { kind: 'set-side-leverages', ...shared, long: longLeverage, short: shortLeverage }
      }
      if (longLeverage !== undefined) return command(longLeverage, 'long')
      if (shortLeverage !== undefined) return command(shortLeverage, 'short')
      if (leverage === undefined) throw missingParameter('leverage')
      return command(leverage, posSide)
    }
    const reply = await core.submit(commandOf())
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3', { catalog, instrument })
    return 'success' as const
  },
})

const setMargin = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/set-margin',
  summary: 'Adds margin to an isolated position, or takes it back',
  source,
  access: writing,
  limit: { perSecond: 10, per: 'uid' },
  request: Type.Object({
    category: field.productType(),
    symbol: field.symbol(),
    posSide: Type.Optional(field.oneOf(['long', 'short'])),
    operation: field.oneOf(['add', 'remove']),
    amount: field.decimal(),
  }),
  response: records.Done,
  handle: async ({ account, catalog, core }, { category, symbol, posSide, operation, amount: text }) => {
    const instrument = namedInstrument(catalog, category, symbol)
    const units = parseAmount(text, 'v3')
    const reply = await core.submit({
      kind: 'set-position-margin',
      uid: account.uid,
      interface: 'v3',
      instrument: instrument.id,
      positionSide: posSide,
      amount: operation === 'add' ? units : amount(-units),
    })
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3', { catalog, instrument })
    return 'success' as const
  },
})

/** Category MARGIN: the leverage of borrowing a coin. */
function coinLeverage(
  uid: number,
  catalog: CatalogIndex,
  name: string | undefined,
  leverage: number | undefined,
): SetCoinLeverage {
  if (name === undefined) throw missingParameter('coin')
  if (leverage === undefined) throw missingParameter('leverage')
  const coin = catalog.coinNamed(name)
  if (coin === undefined) throw unknownCoin(name)
  return { kind: 'set-coin-leverage', uid, coin: coin.id, leverage }
}

const setHoldMode = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/set-hold-mode',
  summary: 'One-way or hedge mode, for all futures',
  source,
  access: writing,
  limit: { perSecond: 10, per: 'uid' },
  request: Type.Object({ holdMode: field.oneOf(['one_way_mode', 'hedge_mode']) }),
  response: records.Done,
  handle: async ({ account, core }, { holdMode }) => {
    const reply = await core.submit({ kind: 'set-hold-mode', uid: account.uid, line: undefined, holdMode })
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
    return 'success' as const
  },
})

/** Ours: the interface shows the setting (E6 `stpMode`) and no way to change it. */
const setStpMode = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/set-stp-mode',
  summary: 'Self-trade prevention of orders that name none',
  source: 'design §4.35',
  access: writing,
  limit: { perSecond: 10, per: 'uid' },
  request: Type.Object({ stpMode: field.oneOf(['none', 'cancel_taker', 'cancel_maker', 'cancel_both']) }),
  response: records.Done,
  handle: async ({ account, core }, { stpMode }) => {
    const reply = await core.submit({ kind: 'set-stp-mode', uid: account.uid, stpMode })
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
    return 'success' as const
  },
})

const adjustAccountMode = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/adjust-account-mode',
  summary: 'The level of a unified account: all are advanced, and nothing else is offered',
  source,
  access: writing,
  limit: { perSecond: 1, per: 'uid' },
  request: Type.Object({
    mode: field.oneOf(['basic', 'advanced', 'delta', 'isolated']),
    targetUid: Type.Optional(field.id({ description: 'A sub-account of the caller' })),
  }),
  response: records.Done,
  handle: (context, { mode, targetUid }) => {
    const { account } = context
    const target = targetUid === undefined || targetUid === account.uid ? account : ownSub(context, targetUid)
    if (target.mode === 'classic') throw new ApiError('25009', ['the account is classic'])
    if (mode !== 'advanced') throw new ApiError('25009', [`${mode} is not offered, only advanced`])
    return 'success' as const
  },
})

const collateralType = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/collateral-type',
  summary: 'Which coins of the unified wallet are collateral',
  source,
  access: reading,
  limit: { perSecond: 10, per: 'uid' },
  request: field.nothing,
  response: records.CollateralType,
  handle: ({ account, catalog, core }) => {
    const { choice, coins } = core.query({ kind: 'collateral', uid: account.uid })
    return { collateralType: choice, collateralCoins: coins.map((coin) => catalog.coinName(coin)).join(',') }
  },
})

const setCollateralType = defineEndpoint({
  method: 'POST',
  path: '/api/v3/account/set-collateral-type',
  summary: 'Chooses which coins of the unified wallet are collateral, as long as they cover the initial margin',
  source,
  access: writing,
  limit: { perSecond: 2, per: 'uid' },
  request: Type.Object({
    collateralType: field.oneOf(['mainstream', 'all', 'custom']),
    collateralCoins: Type.Optional(field.text(512, { description: 'Coins with commas between, for custom' })),
  }),
  response: records.Done,
  handle: async ({ account, catalog, core }, { collateralType: choice, collateralCoins }) => {
    if (choice === 'custom' && collateralCoins === undefined) throw missingParameter('collateralCoins')
    const names = choice === 'custom' ? (collateralCoins ?? '').split(',') : []
    const coins = names.map((name) => {
      const coin = catalog.coinNamed(name.trim().toUpperCase())
      if (coin === undefined) throw unknownCoin(name.trim())
      return coin.id
    })
    const reply = await core.submit({ kind: 'set-collateral-type', uid: account.uid, choice, coins })
    if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
    return 'success' as const
  },
})

const customCollateralCoins = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/custom-collateral-coins',
  summary: 'Coins that may be chosen as collateral',
  source: "bitget-api's getCustomCollateralCoins",
  access: 'public',
  limit: { perSecond: 10, per: 'ip' },
  request: field.nothing,
  response: Type.Array(field.texts('collateralCoin')),
  handle: ({ catalog }) => catalog.catalog.coins.map(({ name }) => ({ collateralCoin: name })),
})

const feeRate = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/fee-rate',
  summary: 'Fee rates of a symbol',
  source,
  access: reading,
  limit: { perSecond: 3, per: 'uid' },
  request: Type.Object({ category: field.category(), symbol: field.symbol() }),
  response: records.FeeRate,
  handle: ({ catalog }, { category, symbol }) => {
    const instrument = namedInstrument<Category>(catalog, category, symbol)
    return {
      makerFeeRate: formatRate(instrument.makerFeeRate),
      takerFeeRate: formatRate(instrument.takerFeeRate),
    }
  },
})

const maxTransferable = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/max-transferable',
  summary: 'How much of a coin may leave the unified wallet',
  source,
  access: reading,
  limit: { perSecond: 3, per: 'uid' },
  request: Type.Object({ coin: field.coin() }),
  response: records.MaxTransferable,
  handle: ({ account, catalog, core }, { coin }) => {
    const asked = catalog.coinNamed(coin)
    if (asked === undefined) throw unknownCoin(coin)
    const balance = core
      .query({ kind: 'balances', uid: account.uid, wallet: 'uta' })
      .find((held) => held.coin === asked.id)
    const transferable: Amount = balance?.transferable ?? zero
    // Nothing can be borrowed in order to move it out.
    return { coin, maxTransfer: formatAmount(transferable), borrowMaxTransfer: formatAmount(transferable) }
  },
})

const orderCount = defineEndpoint({
  method: 'GET',
  path: '/api/v3/account/order-count',
  summary: 'Orders of the main account and its sub-accounts on the current UTC day',
  source: 'interface Limits; design §4.20',
  access: reading,
  limit: { perSecond: 10, per: 'uid' },
  request: field.nothing,
  response: records.OrderCount,
  handle: ({ account, now }) => ({
    uid: String(account.parentUid ?? account.uid),
    date: new Date(now).toISOString().slice(0, 10),
    orderCount: String(account.dailyOrders),
  }),
})

export const accountEndpoints: readonly Endpoint[] = [
  settings,
  assets,
  fundingAssets,
  setLeverage,
  setMargin,
  setHoldMode,
  setStpMode,
  adjustAccountMode,
  collateralType,
  setCollateralType,
  customCollateralCoins,
  feeRate,
  maxTransferable,
  orderCount,
]
