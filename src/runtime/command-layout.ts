/**
 * Every kind of command as a record in the journal: its number, and its fields in the order in which they stand there.
 *
 * Numbers   are never reused from the first release on: a kind whose fields change then gets a new number, and its old row
 *           stays for reading. Before it, a change that touches a row raises the version of the format (command-codec.ts)
 * Complete  a kind, a field or a choice that is missing here does not compile
 * Order     fields are written as they are listed: moving a line changes the format
 */
import type {
  Command,
  ConfigurePricing,
  AttachedTpsl,
  SetCollateral,
  SetGivenPrices,
  TriggerLeg,
} from '../engine/protocol/command.ts'
import type { TpslTerms } from '../engine/vocabulary.ts'
import {
  type Field,
  finite,
  flag,
  group,
  handle,
  integer,
  json,
  listOf,
  oneOf,
  optional,
  pair,
  text,
  units,
} from './record-fields.ts'

type CollateralSlice = NonNullable<SetCollateral['collateral']>[number]
type ContractPricing = ConfigurePricing['instruments'][number]
type GivenContract = SetGivenPrices['contracts'][number]
export type CommandKind = Command['kind']
/** The commands of one kind; deposits and withdrawals share their shape. */
export type CommandOf<Kind extends CommandKind> = Command extends infer Each
  ? Each extends { readonly kind: infer Kinds }
    ? Kind extends Kinds
      ? Each
      : never
    : never
  : never

export interface Layout<Kind extends CommandKind> {
  readonly number: number
  readonly fields: {
    readonly [Name in Exclude<keyof CommandOf<Kind>, 'kind'>]-?: Field<CommandOf<Kind>[Name]>
  }
}

const uid = integer<number>()
const speaker = oneOf('v2', 'v3')
const category = oneOf('SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
const line = oneOf('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
const wallet = oneOf('spot', 'p2p', 'usdt_futures', 'coin_futures', 'usdc_futures', 'crossed_margin', 'uta')
const stpMode = oneOf('none', 'cancel_taker', 'cancel_maker', 'cancel_both')
const marginMode = oneOf('isolated', 'cross')
const anyMarginMode = oneOf(undefined, 'isolated', 'cross')
const anyPositionSide = oneOf(undefined, 'long', 'short')
const triggerPrice = oneOf('last', 'mark')
const tpslTerms = optional(group<TpslTerms>({ trigger: integer(), execute: integer(), by: triggerPrice }))
const attachedTpsl = optional(group<AttachedTpsl>({ takeProfit: tpslTerms, stopLoss: tpslTerms }))
const triggerKinds = listOf(
  oneOf(
    'plan',
    'take-profit',
    'stop-loss',
    'position-take-profit',
    'position-stop-loss',
    'trailing-plan',
    'trailing-stop',
    'position-trailing-stop',
  ),
)
const anyTradeSide = oneOf(undefined, 'open', 'close')
const anyStpMode = oneOf(undefined, 'none', 'cancel_taker', 'cancel_maker', 'cancel_both')
const orderReference = group({ orderId: optional(integer<number>()), clientOid: text })

/** Lots as a double, amounts as 64 bits, behind the unit. */
const orderQuantity: Field<CommandOf<'place-order'>['quantity']> = {
  write(to, quantity) {
    quantityUnit.write(to, quantity.unit)
    if (quantity.unit === 'lots') lotsField.write(to, quantity.lots)
    else amountField.write(to, quantity.amount)
  },
  read(from) {
    const unit = quantityUnit.read(from)
    return unit === 'lots' ? { unit, lots: lotsField.read(from) } : { unit, amount: amountField.read(from) }
  },
}
type QuantityIn<Unit> = Extract<CommandOf<'place-order'>['quantity'], { readonly unit: Unit }>
const quantityUnit = oneOf('lots', 'quote', 'base')
const lotsField = integer<QuantityIn<'lots'>['lots']>()
const amountField = units<QuantityIn<'quote'>['amount']>()

const triggerLeg = optional(
  group<TriggerLeg>({
    trigger: integer(),
    execute: integer(),
    by: triggerPrice,
    quantity: optional(orderQuantity),
    clientOid: text,
  }),
)

const loanType = oneOf('normal', 'autoLoan', 'autoRepay', 'autoLoanAndRepay')

/** A list that only grows, at its end. */
const networks = ['BTC', 'ERC20', 'TRC20', 'BEP20', 'SOL', 'XRP', 'DOGE'] as const

const money: Layout<'deposit'>['fields'] = { uid, wallet, coin: handle, amount: units() }

export const layouts = {
  'place-order': {
    number: 100,
    fields: {
      uid,
      interface: speaker,
      category,
      instrument: handle,
      side: oneOf('buy', 'sell'),
      orderType: oneOf('limit', 'market'),
      price: integer(),
      quantity: orderQuantity,
      timeInForce: oneOf('gtc', 'ioc', 'fok', 'post_only'),
      positionSide: anyPositionSide,
      tradeSide: anyTradeSide,
      reduceOnly: flag,
      marginMode: anyMarginMode,
      marginCoin: optional(handle),
      stpMode: anyStpMode,
      clientOid: text,
      takeProfit: tpslTerms,
      stopLoss: tpslTerms,
      loanType,
      channelCode: text,
    },
  },
  'cancel-order': {
    number: 2,
    fields: {
      uid,
      order: orderReference,
      category: optional(category),
      instrument: optional(handle),
    },
  },
  'cancel-orders': { number: 3, fields: { uid, interface: speaker, category, instrument: optional(handle) } },
  'create-account': {
    number: 4,
    fields: {
      account: oneOf('main', 'sub'),
      parentUid: optional(uid),
      mode: oneOf('unified', 'hybrid', 'classic'),
      name: text,
    },
  },
  'set-account-mode': { number: 5, fields: { uid, mode: oneOf('unified', 'classic') } },
  'set-broker': { number: 6, fields: { uid, channelCode: text, rebateRate: units() } },
  'set-copy-trader': { number: 7, fields: { uid, instruments: listOf(handle) } },
  'list-coin': { number: 8, fields: { coin: json() } },
  'list-instrument': { number: 9, fields: { instrument: json() } },
  'set-instrument': {
    number: 10,
    fields: {
      instrument: handle,
      status: oneOf(undefined, 'online', 'cancel_only', 'halted'),
      tiers: optional(json()),
      makerFeeRate: optional(units()),
      takerFeeRate: optional(units()),
      limitBand: optional(units()),
      marketBand: optional(units()),
    },
  },
  'set-order-minimum': { number: 32, fields: { instrument: handle, quantityMin: integer() } },
  deposit: { number: 11, fields: money },
  withdraw: { number: 12, fields: money },
  'request-withdrawal': {
    number: 110,
    fields: {
      uid,
      wallets: listOf(wallet),
      coin: handle,
      amount: units(),
      network: oneOf(undefined, ...networks),
      address: text,
      tag: text,
      toUid: optional(uid),
      clientOid: text,
      remark: text,
    },
  },
  'cancel-withdrawal': { number: 111, fields: { uid, id: optional(integer<number>()), clientOid: text } },
  'reject-withdrawal': { number: 112, fields: { id: integer<number>() } },
  'send-deposit': { number: 113, fields: { uid, coin: handle, network: oneOf(...networks), amount: units() } },
  'set-deposit-wallet': { number: 114, fields: { uid, coin: handle, wallet } },
  'limit-withdrawals': { number: 116, fields: { usdPerDayMax: units() } },
  'set-coin-chain': {
    number: 115,
    fields: {
      coin: handle,
      network: oneOf(...networks),
      canDeposit: optional(flag),
      canWithdraw: optional(flag),
      withdrawalFee: optional(units()),
      depositMin: optional(units()),
      withdrawalMin: optional(units()),
      depositConfirmations: optional(integer()),
      withdrawalConfirmations: optional(integer()),
    },
  },
  'fund-house': { number: 13, fields: { account: oneOf('insurance'), coin: handle, amount: units() } },
  'set-index-prices': { number: 14, fields: { prices: listOf(pair(handle, units<bigint>())) } },
  'set-given-prices': {
    number: 33,
    fields: {
      until: integer<number>(),
      contracts: listOf(
        group<GivenContract>({
          instrument: handle,
          markPrice: optional(integer()),
          fundingRate: optional(units()),
        }),
      ),
    },
  },
  transfer: {
    number: 15,
    fields: {
      actorUid: uid,
      scope: oneOf('between-accounts', 'within-account', 'to-main'),
      fromUid: uid,
      toUid: uid,
      fromWallet: wallet,
      toWallet: wallet,
      coin: handle,
      amount: units(),
      clientOid: text,
    },
  },
  borrow: { number: 16, fields: { uid, coin: handle, amount: units() } },
  repay: { number: 17, fields: { uid, coin: handle, amount: units() } },
  'set-leverage': {
    number: 18,
    fields: {
      uid,
      interface: speaker,
      instrument: handle,
      leverage: finite,
      positionSide: anyPositionSide,
      marginMode: anyMarginMode,
    },
  },
  'set-all-leverage': {
    number: 19,
    fields: { uid, line, leverage: finite, instrument: optional(handle), positionSide: anyPositionSide },
  },
  'set-side-leverages': {
    number: 30,
    fields: { uid, interface: speaker, instrument: handle, long: finite, short: finite, marginMode: anyMarginMode },
  },
  'bind-account': { number: 31, fields: { uid, boundAt: optional(integer()) } },
  'set-margin-mode': { number: 20, fields: { uid, interface: speaker, instrument: handle, marginMode } },
  'set-hold-mode': { number: 21, fields: { uid, line: optional(line), holdMode: oneOf('one_way_mode', 'hedge_mode') } },
  'set-stp-mode': { number: 22, fields: { uid, stpMode } },
  'settle-funding': { number: 23, fields: { instrument: handle } },
  'run-timers': { number: 24, fields: {} },
  'configure-venue': {
    number: 25,
    fields: { dailyOrdersRestriction: integer<number>() },
  },
  'set-position-margin': {
    number: 27,
    fields: { uid, interface: speaker, instrument: handle, positionSide: anyPositionSide, amount: units() },
  },
  'set-auto-margin': { number: 28, fields: { uid, interface: speaker, instrument: handle, on: flag } },
  deliver: { number: 29, fields: { instrument: handle, price: integer() } },
  'configure-pricing': {
    number: 50,
    fields: {
      jumpFactor: optional(units()),
      fundingShortfall: oneOf(undefined, 'full', 'cap'),
      premiumMean: oneOf(undefined, 'weighted', 'plain'),
      coins: listOf(group({ coin: handle, indexAgeMsMax: integer<number>() })),
      instruments: listOf(
        group<ContractPricing>({
          instrument: handle,
          impactNotional: optional(units()),
          fundingRateCap: optional(units()),
          fundingIntervalHours: optional(integer()),
        }),
      ),
      fundingInterestRate: optional(units()),
      fundingClamp: optional(units()),
    },
  },
  'record-key-change': { number: 26, fields: { uid, apiKey: text, change: oneOf('created', 'revoked', 'changed') } },
  'place-trigger': {
    number: 40,
    fields: {
      uid,
      interface: speaker,
      category,
      instrument: handle,
      trigger: integer(),
      by: triggerPrice,
      execute: integer(),
      side: oneOf('buy', 'sell'),
      quantity: orderQuantity,
      positionSide: anyPositionSide,
      tradeSide: anyTradeSide,
      reduceOnly: flag,
      marginMode: anyMarginMode,
      marginCoin: optional(handle),
      stpMode: anyStpMode,
      clientOid: text,
      takeProfit: tpslTerms,
      stopLoss: tpslTerms,
      channelCode: text,
    },
  },
  'place-position-triggers': {
    number: 41,
    fields: {
      uid,
      interface: speaker,
      instrument: handle,
      marginCoin: optional(handle),
      positionSide: anyPositionSide,
      takeProfit: triggerLeg,
      stopLoss: triggerLeg,
      stpMode: anyStpMode,
      channelCode: text,
    },
  },
  'modify-trigger': {
    number: 42,
    fields: {
      uid,
      order: orderReference,
      kinds: triggerKinds,
      trigger: integer(),
      by: triggerPrice,
      execute: integer(),
      quantity: optional(orderQuantity),
      takeProfit: tpslTerms,
      stopLoss: tpslTerms,
    },
  },
  'place-trailing': {
    number: 45,
    fields: {
      uid,
      interface: speaker,
      category,
      instrument: handle,
      rate: integer(),
      trigger: integer(),
      by: triggerPrice,
      side: oneOf('buy', 'sell'),
      quantity: orderQuantity,
      positionSide: anyPositionSide,
      tradeSide: anyTradeSide,
      reduceOnly: flag,
      marginMode: anyMarginMode,
      marginCoin: optional(handle),
      stpMode: anyStpMode,
      clientOid: text,
      takeProfitRate: integer(),
      stopLossRate: integer(),
      channelCode: text,
    },
  },
  'place-position-trailing': {
    number: 46,
    fields: {
      uid,
      interface: speaker,
      instrument: handle,
      marginCoin: optional(handle),
      positionSide: anyPositionSide,
      rate: integer(),
      trigger: integer(),
      by: triggerPrice,
      quantity: optional(orderQuantity),
      stpMode: anyStpMode,
      clientOid: text,
      channelCode: text,
    },
  },
  'modify-trailing': {
    number: 47,
    fields: {
      uid,
      order: orderReference,
      kinds: triggerKinds,
      rate: integer(),
      trigger: integer(),
      by: triggerPrice,
      quantity: optional(orderQuantity),
      takeProfitRate: integer(),
      stopLossRate: integer(),
    },
  },
  'cancel-trigger': {
    number: 43,
    fields: {
      uid,
      order: orderReference,
      kinds: triggerKinds,
      category: optional(category),
      instrument: optional(handle),
    },
  },
  'cancel-triggers': {
    number: 44,
    fields: { uid, interface: speaker, category, instrument: optional(handle), kinds: triggerKinds },
  },
  'repay-debts': { number: 51, fields: { uid, debts: listOf(handle), payments: listOf(handle) } },
  'flash-repay': { number: 55, fields: { uid, coin: optional(handle) } },
  'set-coin-leverage': { number: 52, fields: { uid, coin: handle, leverage: finite } },
  'set-loan-terms': {
    number: 53,
    fields: {
      coin: handle,
      borrowable: optional(flag),
      dailyInterestRate: optional(units()),
      borrowLimit: optional(units()),
      lendingPoolLimit: optional(units()),
      leverageMax: optional(finite),
    },
  },
  'set-margin-levels': {
    number: 54,
    fields: {
      transfer: optional(units()),
      borrow: optional(units()),
      call: optional(units()),
      liquidation: optional(units()),
      liquidationFee: optional(units()),
    },
  },
  'set-collateral': {
    number: 60,
    fields: {
      coin: handle,
      collateral: optional(listOf(group<CollateralSlice>({ to: units(), ratio: units() }))),
      debtInitialRate: optional(units()),
      debtMaintenanceRate: optional(units()),
    },
  },
  'set-risk': {
    number: 61,
    fields: {
      adlStartShare: optional(units()),
      adlEndShare: optional(units()),
      orderMarginMarkup: optional(units()),
      orderFeeMarkup: optional(units()),
      profitAsMargin: optional(flag),
      reduceTiers: optional(integer()),
    },
  },
  'amend-order': {
    number: 70,
    fields: {
      uid,
      order: orderReference,
      category: optional(category),
      instrument: optional(handle),
      price: optional(integer()),
      quantity: optional(integer()),
      attachedTpsl,
      autoCancel: flag,
      requestId: text,
    },
  },
  'replace-order': {
    number: 71,
    fields: {
      uid,
      interface: speaker,
      order: orderReference,
      categories: listOf(category),
      instrument: handle,
      price: optional(integer()),
      quantity: optional(orderQuantity),
      attachedTpsl,
      clientOid: text,
      channelCode: text,
    },
  },
  'close-positions': {
    number: 72,
    fields: {
      uid,
      interface: speaker,
      line,
      instrument: optional(handle),
      positionSide: anyPositionSide,
      channelCode: text,
    },
  },
  'reverse-position': {
    number: 73,
    fields: {
      uid,
      instrument: handle,
      marginCoin: optional(handle),
      side: oneOf('buy', 'sell'),
      tradeSide: anyTradeSide,
      quantity: optional(orderQuantity),
      clientOid: text,
      channelCode: text,
    },
  },
  'set-countdown': { number: 74, fields: { uid, ms: integer() } },
  'create-sub-account': {
    number: 90,
    fields: { parentUid: uid, mode: oneOf('unified', 'classic'), name: text, note: text },
  },
  'set-sub-account': {
    number: 91,
    fields: { actorUid: uid, uid, frozen: optional(flag), permissions: optional(listOf(text)) },
  },
  'freeze-account': { number: 34, fields: { uid, frozen: flag } },
  'set-collateral-type': {
    number: 92,
    fields: { uid, choice: oneOf('all', 'mainstream', 'custom'), coins: listOf(handle) },
  },
  'move-position': {
    number: 93,
    fields: {
      actorUid: uid,
      fromUid: uid,
      toUid: uid,
      instrument: handle,
      side: oneOf('long', 'short'),
      quantity: integer(),
    },
  },
  'quote-conversion': {
    number: 120,
    fields: {
      uid,
      fromCoin: handle,
      toCoin: handle,
      fromAmount: optional(units()),
      toAmount: optional(units()),
    },
  },
  'convert-coins': {
    number: 121,
    fields: {
      uid,
      quoteId: integer<number>(),
      fromCoin: handle,
      toCoin: handle,
      fromAmount: units(),
      toAmount: units(),
    },
  },
  'set-conversion': {
    number: 122,
    fields: {
      spread: optional(units()),
      quoteMs: optional(integer()),
      leastUsd: optional(units()),
      mostUsd: optional(units()),
    },
  },
  'upgrade-rules': { number: 130, fields: { rules: integer<number>(), release: text } },
} as const satisfies { readonly [Kind in CommandKind]: Layout<Kind> }

/**
 * `place-order` from before orders had a loan type, read only: its fields without that, which is `autoLoan`. So margin
 * orders borrowed what they lacked, and repaid nothing with what they received.
 */
export const earlierPlaceOrder = { number: 1, loanType: 'autoLoan' } as const

/** Every kind, in the order of the table. */
export const commandKinds = Object.keys(layouts) as CommandKind[]
