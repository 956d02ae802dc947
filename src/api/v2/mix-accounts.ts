/**
 * Futures accounts and positions of v2: what they hold, and the settings that decide how they trade.
 *
 * Flat      an account without a position answers an empty list (design §4.32)
 * Leverage  acts on the margin mode in force; isolated hedge positions may have one for each side (design §4.37)
 * Source    interface.md E5, E12; wire/client-endpoints.md §4; design.md §4.16, §4.36, §4.37
 */
import Type from 'typebox'
import { type FuturesInstrument, isFutures, type ProductLine } from '../../engine/catalog/catalog.ts'
import { amount } from '../../engine/numbers/numbers.ts'
import type { SetLeverage, SetSideLeverages } from '../../engine/protocol/command.ts'
import type { FuturesAssetView, SymbolSettingView } from '../../engine/protocol/query.ts'
import type { PositionSide } from '../../engine/vocabulary.ts'
import { defineEndpoint, type Endpoint, type PrivateContext } from '../endpoint.ts'
import { ApiError, missingParameter, wrongParameter } from '../errors/errors.ts'
import { coin, oneOf, productType, signedDecimal, symbol, whole } from '../parsing/fields.ts'
import { parseAmount } from '../parsing/orders.ts'
import * as dictionary from './dictionary.ts'
import { checkMarginCoin, contractNamed, walletOf } from './lookups.ts'
import * as records from './records.ts'
import { accepted } from './replies.ts'

const manage = { permission: 'contract_trade', level: 'write' } as const
const read = { permission: 'contract_trade', level: 'read' } as const
const perSecond = (calls: number) => ({ perSecond: calls, per: 'uid' }) as const

const holdSide = Type.Optional(oneOf(['long', 'short']))
const leverage = (options = {}) => whole(1, 1000, options)

function positionsOf(context: PrivateContext, line: ProductLine, contract?: FuturesInstrument) {
  const { uid } = context.account
  const held = context.core.query({ kind: 'positions', uid, interface: 'v2', line, instrument: contract?.id })
  return held.filter((position) => position.quantity > 0)
}

const singlePosition = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/position/single-position',
  summary: 'The positions of one contract, with their estimated liquidation price',
  source: 'interface E5',
  access: read,
  limit: perSecond(10),
  request: Type.Object({ productType: productType(), symbol: symbol(), marginCoin: coin() }),
  response: Type.Array(records.MixPosition),
  handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const positions = positionsOf(context, input.productType, contract)
    return positions.map((position) => dictionary.mixPosition(context.catalog.catalog, position))
  },
})

const allPositions = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/position/all-position',
  summary: 'All positions of a product line',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: perSecond(5),
  request: Type.Object({ productType: productType(), marginCoin: Type.Optional(coin()) }),
  response: Type.Array(records.MixPosition),
  handle(context, input) {
    const positions = positionsOf(context, input.productType)
    const shown = positions.map((position) => dictionary.mixPosition(context.catalog.catalog, position))
    return shown.filter(({ marginCoin }) => (input.marginCoin ?? marginCoin) === marginCoin)
  },
})

function futuresAssets(context: PrivateContext, line: ProductLine): readonly FuturesAssetView[] {
  return context.core.query({ kind: 'futures-assets', uid: context.account.uid, interface: 'v2', line })
}

/** One-way mode has one leverage, whatever the margin mode and the side (design §4.37). */
function settingOf(context: PrivateContext, contract: FuturesInstrument): SymbolSettingView {
  const { uid, holdMode } = context.account
  const [setting] = context.core.query({ kind: 'symbol-settings', uid, interface: 'v2', instrument: contract.id })
  if (setting === undefined) throw new Error(`no settings of ${contract.symbol}`)
  if (holdMode[contract.category] === 'hedge_mode') return setting
  return { ...setting, leverageLong: setting.leverage, leverageShort: setting.leverage }
}

const account = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/account/account',
  summary: 'One margin coin of the futures account, with the settings of one contract',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: perSecond(10),
  request: Type.Object({ symbol: symbol(), productType: productType(), marginCoin: coin() }),
  response: records.MixAccount,
  handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const asset = futuresAssets(context, input.productType).find((held) => held.coin === contract.settle)
    if (asset === undefined) throw new ApiError('43049')
    return dictionary.mixAccount(context.catalog.catalog, asset, {
      positions: positionsOf(context, input.productType),
      setting: settingOf(context, contract),
      holdMode: context.account.holdMode[input.productType],
    })
  },
})

const accounts = defineEndpoint({
  method: 'GET',
  path: '/api/v2/mix/account/accounts',
  summary: 'Every margin coin of the futures account of a product line',
  source: 'wire/client-endpoints §4',
  access: read,
  limit: perSecond(10),
  request: Type.Object({ productType: productType() }),
  response: Type.Array(records.MixAccountOfList),
  handle(context, { productType: line }) {
    const positions = positionsOf(context, line)
    const wallet = walletOf(context.account, line)
    const balances = context.core
      .query({ kind: 'balances', uid: context.account.uid, wallet })
      .filter(({ balance }) => balance !== 0n)
    return futuresAssets(context, line).map((asset) =>
      dictionary.mixAccountOfList(context.catalog.catalog, asset, {
        positions,
        balances: asset.assetMode === 'union' ? balances : [],
      }),
    )
  },
})

const setLeverage = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/account/set-leverage',
  summary: 'Sets the leverage of one contract',
  source: 'wire/client-endpoints §4',
  access: manage,
  limit: perSecond(5),
  request: Type.Object({
    symbol: symbol(),
    productType: productType(),
    marginCoin: coin(),
    leverage: Type.Optional(leverage()),
    longLeverage: Type.Optional(leverage({ description: 'isolated margin in hedge mode' })),
    shortLeverage: Type.Optional(leverage({ description: 'isolated margin in hedge mode' })),
    holdSide,
  }),
  response: records.LeverageSetting,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const { marginMode } = settingOf(context, contract)
    const twoSided = marginMode === 'isolated' && context.account.holdMode[input.productType] === 'hedge_mode'
    const reply = await context.core.submit(leverageCommand(context, contract, input, twoSided))
    accepted(reply, 'done', 'futures', { catalog: context.catalog, instrument: contract })
    return dictionary.leverageSetting(context.catalog.catalog, settingOf(context, contract))
  },
})

interface LeverageWords {
  readonly leverage?: number
  readonly longLeverage?: number
  readonly shortLeverage?: number
  readonly holdSide?: PositionSide
}

/** With one leverage for both sides the first that is given counts; else each side's own before the common one. */
function leverageCommand(
  context: PrivateContext,
  contract: FuturesInstrument,
  { leverage: common, longLeverage: long, shortLeverage: short, holdSide: named }: LeverageWords,
  twoSided: boolean,
): SetLeverage | SetSideLeverages {
  const shared = { uid: context.account.uid, interface: 'v2', instrument: contract.id, marginMode: undefined } as const
  if (twoSided && long !== undefined && short !== undefined)
    return { kind: 'set-side-leverages', ...shared, long, short }
  const own = long ?? short
  const ownSide = long === undefined ? ('short' as const) : ('long' as const)
  const wanted = twoSided ? (own ?? common) : (common ?? own)
  if (wanted === undefined) throw missingParameter('leverage')
  const positionSide = twoSided ? (own === undefined ? named : ownSide) : undefined
  return { kind: 'set-leverage', ...shared, leverage: wanted, positionSide }
}

const setAllLeverage = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/account/set-all-leverage',
  summary: 'Sets the leverage of every contract of a product line that has a position, all or none',
  source: 'interface E12',
  access: manage,
  limit: perSecond(5),
  request: Type.Object({
    productType: productType(),
    leverage: leverage(),
    symbol: Type.Optional(symbol()),
    marginCoin: Type.Optional(coin()),
    holdSide,
  }),
  response: Type.Enum(['success', 'failure']),
  async handle(context, input) {
    const line = input.productType
    const contract = input.symbol === undefined ? undefined : contractNamed(context, line, input.symbol)
    if (contract !== undefined && input.marginCoin !== undefined) checkMarginCoin(context, contract, input.marginCoin)
    checkLeverageRange(contract === undefined ? context.catalog.list(line) : [contract], input.leverage)
    const reply = await context.core.submit({
      kind: 'set-all-leverage',
      uid: context.account.uid,
      line,
      leverage: input.leverage,
      instrument: contract?.id,
      positionSide: input.holdSide,
    })
    const { taken } = accepted(reply, 'leverage-set', 'futures', { catalog: context.catalog, instrument: contract })
    return taken ? 'success' : 'failure'
  },
})

/** A leverage that none of the contracts could ever take is a wrong parameter (design §4.36). */
function checkLeverageRange(contracts: readonly FuturesInstrument[], wanted: number): void {
  const lowest = Math.min(...contracts.map((instrument) => instrument.leverageMin))
  const highest = Math.max(...contracts.map((instrument) => instrument.leverageMax))
  if (wanted >= lowest && wanted <= highest) return
  throw wrongParameter(
    'v2',
    'leverage',
    contracts.length === 0 ? 'has no contract' : `should be between ${lowest} and ${highest}`,
  )
}

const setMarginMode = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/account/set-margin-mode',
  summary: 'Chooses isolated or cross margin for one contract',
  source: 'wire/client-endpoints §4',
  access: manage,
  limit: perSecond(5),
  request: Type.Object({
    symbol: symbol(),
    productType: productType(),
    marginCoin: coin(),
    marginMode: oneOf(['isolated', 'crossed']),
  }),
  response: records.MarginModeSetting,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const reply = await context.core.submit({
      kind: 'set-margin-mode',
      uid: context.account.uid,
      interface: 'v2',
      instrument: contract.id,
      marginMode: dictionary.marginModes[input.marginMode],
    })
    accepted(reply, 'done', 'futures', { catalog: context.catalog, instrument: contract })
    return dictionary.marginModeSetting(context.catalog.catalog, settingOf(context, contract))
  },
})

const setMargin = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/account/set-margin',
  summary: 'Adds margin to an isolated position, or takes it back',
  source: 'wire/client-endpoints §4; risk-engine §5',
  access: manage,
  limit: perSecond(5),
  request: Type.Object({
    symbol: symbol(),
    productType: productType(),
    marginCoin: coin(),
    holdSide,
    amount: signedDecimal({ description: 'Positive adds, negative takes back' }),
  }),
  response: records.Nothing,
  async handle(context, input) {
    const contract = contractNamed(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const taken = input.amount.startsWith('-')
    const units = parseAmount(taken ? input.amount.slice(1) : input.amount, 'v2')
    const reply = await context.core.submit({
      kind: 'set-position-margin',
      uid: context.account.uid,
      interface: 'v2',
      instrument: contract.id,
      positionSide: input.holdSide,
      amount: taken ? amount(-units) : units,
    })
    accepted(reply, 'done', 'futures', { catalog: context.catalog, instrument: contract })
    return '' as const
  },
})

const setAutoMargin = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/account/set-auto-margin',
  summary: 'Isolated positions draw margin from the wallet before they are liquidated',
  source: 'wire/client-endpoints §4',
  access: manage,
  limit: perSecond(5),
  request: Type.Object({
    symbol: symbol(),
    autoMargin: oneOf(['on', 'off']),
    marginCoin: coin(),
    holdSide,
    productType: Type.Optional(productType()),
  }),
  response: records.Nothing,
  async handle(context, input) {
    const contract = contractOfAnyLine(context, input.productType, input.symbol)
    checkMarginCoin(context, contract, input.marginCoin)
    const reply = await context.core.submit({
      kind: 'set-auto-margin',
      uid: context.account.uid,
      interface: 'v2',
      instrument: contract.id,
      on: input.autoMargin === 'on',
    })
    // The engine refuses it as it refuses changing the margin; the wire has a code for each.
    if (reply.kind === 'refused' && reply.refusal.kind === 'margin-mode-not-isolated') throw new ApiError('40874')
    accepted(reply, 'done', 'futures', { catalog: context.catalog, instrument: contract })
    return '' as const
  },
})

/** The wire leaves the product line out here: symbols are unique among contracts of the demo venue's kind. */
function contractOfAnyLine(context: PrivateContext, line: ProductLine | undefined, name: string) {
  if (line !== undefined) return contractNamed(context, line, name)
  const found = context.catalog.catalog.instruments.find(
    (instrument) => isFutures(instrument) && instrument.symbol === name,
  )
  return contractNamed(context, (found?.category ?? 'USDT-FUTURES') as ProductLine, name)
}

const setPositionMode = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/account/set-position-mode',
  summary: 'Chooses one-way or hedge mode for a product line',
  source: 'wire/client-endpoints §4',
  access: manage,
  limit: perSecond(5),
  request: Type.Object({ productType: productType(), posMode: oneOf(['one_way_mode', 'hedge_mode']) }),
  response: records.PositionModeSetting,
  async handle(context, { productType: line, posMode }) {
    const reply = await context.core.submit({
      kind: 'set-hold-mode',
      uid: context.account.uid,
      line,
      holdMode: posMode,
    })
    accepted(reply, 'done', 'futures')
    return { posMode }
  },
})

const setAssetMode = defineEndpoint({
  method: 'POST',
  path: '/api/v2/mix/account/set-asset-mode',
  summary: 'Single for classic accounts, union for unified ones: what the account has already is accepted',
  source: 'wire/client-endpoints §4',
  access: manage,
  limit: perSecond(2),
  request: Type.Object({ productType: productType(), assetMode: oneOf(['single', 'union']) }),
  response: Type.Literal('success'),
  handle(context, { productType: line, assetMode }) {
    const has = walletOf(context.account, line) === 'uta' ? 'union' : 'single'
    if (assetMode !== has) {
      throw new ApiError('40812', [`a ${context.account.mode} account trades ${line} with assetMode ${has}`])
    }
    return 'success' as const
  },
})

export const mixAccountEndpoints: readonly Endpoint[] = [
  singlePosition,
  allPositions,
  account,
  accounts,
  setLeverage,
  setAllLeverage,
  setMarginMode,
  setMargin,
  setAutoMargin,
  setPositionMode,
  setAssetMode,
]
