/** Generated commands of every kind, for properties. A kind that is missing here does not compile. */
import fc from 'fast-check'
import type { CommandKind, CommandOf } from '../../src/runtime/command-layout.ts'

/** Generators know plain numbers; which of them are ticks or amounts is the codec's to keep. */
type Plain<Value> = Value extends number
  ? number
  : Value extends bigint
    ? bigint
    : Value extends string | boolean | undefined
      ? Value
      : { [Name in keyof Value]: Plain<Value[Name]> }

const uid = fc.maxSafeNat()
const handle = fc.nat()
const units = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const text = fc.oneof(fc.string({ maxLength: 64 }), fc.string({ unit: 'binary', maxLength: 300 }), fc.constant(''))
const speaker = fc.constantFrom('v2', 'v3')
const line = fc.constantFrom('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
const category = fc.constantFrom('SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
const wallet = fc.constantFrom('spot', 'p2p', 'usdt_futures', 'coin_futures', 'usdc_futures', 'crossed_margin', 'uta')
const stpMode = fc.constantFrom('none', 'cancel_taker', 'cancel_maker', 'cancel_both')
const marginMode = fc.constantFrom('isolated', 'cross')
const positionSide = fc.constantFrom('long', 'short')
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined })
const triggerPrice = fc.constantFrom('last', 'mark')
const preset = optional(fc.record({ trigger: uid, execute: uid, by: triggerPrice }))
const triggerKinds = fc.array(
  fc.constantFrom(
    'plan',
    'stop-loss',
    'position-take-profit',
    'trailing-plan',
    'trailing-stop',
    'position-trailing-stop',
  ),
)
const orderReference = fc.record({ orderId: optional(uid), clientOid: text })
const quantity = fc.oneof(
  fc.record({ unit: fc.constant('lots'), lots: fc.maxSafeInteger() }),
  fc.record({ unit: fc.constantFrom('quote', 'base'), amount: units }),
)
const leg = optional(
  fc.record({ trigger: uid, execute: uid, by: triggerPrice, quantity: optional(quantity), clientOid: text }),
)
const money = { uid, wallet, coin: handle, amount: units }
const tiers = fc.array(fc.record({ from: units, to: units, leverageMax: fc.nat(), maintenanceRate: units }))
const instrument = {
  symbol: text,
  base: handle,
  quote: fc.oneof(handle, fc.constant(-1)),
  priceDecimals: fc.nat(8),
  priceStep: fc.nat(),
  quantityDecimals: fc.nat(8),
  quantityStep: fc.nat(),
  quantityMin: uid,
  quantityMax: uid,
  marketQuantityMax: uid,
  notionalMin: units,
  makerFeeRate: units,
  takerFeeRate: units,
  limitBand: units,
  marketBand: units,
  status: fc.constantFrom('online', 'cancel_only', 'halted'),
}

const generators = {
  'place-order': {
    uid,
    interface: speaker,
    category,
    instrument: handle,
    side: fc.constantFrom('buy', 'sell'),
    orderType: fc.constantFrom('limit', 'market'),
    price: uid,
    quantity,
    timeInForce: fc.constantFrom('gtc', 'ioc', 'fok', 'post_only'),
    positionSide: optional(positionSide),
    tradeSide: optional(fc.constantFrom('open', 'close')),
    reduceOnly: fc.boolean(),
    marginMode: optional(marginMode),
    marginCoin: optional(handle),
    stpMode: optional(stpMode),
    clientOid: text,
    takeProfit: preset,
    stopLoss: preset,
    loanType: fc.constantFrom('normal', 'autoLoan', 'autoRepay', 'autoLoanAndRepay'),
    channelCode: text,
  },
  'cancel-order': {
    uid,
    order: fc.record({ orderId: optional(uid), clientOid: text }),
    category: optional(category),
    instrument: optional(handle),
  },
  'cancel-orders': { uid, interface: speaker, category, instrument: optional(handle) },
  'create-account': {
    account: fc.constantFrom('main', 'sub'),
    parentUid: optional(uid),
    mode: fc.constantFrom('unified', 'hybrid', 'classic'),
    name: text,
  },
  'set-account-mode': { uid, mode: fc.constantFrom('unified', 'classic') },
  'set-broker': { uid, channelCode: text, rebateRate: units },
  'bind-account': { uid, boundAt: optional(fc.nat()) },
  'set-copy-trader': { uid, instruments: fc.array(handle) },
  'list-coin': {
    coin: fc.record({
      name: text,
      listingPriceE8: units,
      borrowable: fc.boolean(),
      dailyInterestRate: units,
      borrowLimit: units,
      lendingPoolLimit: units,
      marginLeverageMax: fc.nat(),
      collateral: fc.array(fc.record({ to: units, ratio: units })),
      debtInitialRate: units,
      debtMaintenanceRate: units,
    }),
  },
  'list-instrument': {
    instrument: fc.oneof(
      fc.record({
        ...instrument,
        kind: fc.constant('spot'),
        category: fc.constant('SPOT'),
        quoteDecimals: fc.nat(8),
        marginable: fc.boolean(),
      }),
      fc.record({
        ...instrument,
        kind: fc.constantFrom('linear', 'inverse'),
        category: line,
        settle: handle,
        leverageMin: fc.nat(),
        leverageMax: fc.nat(),
        leverageDefault: fc.nat(),
        tiers,
        sizeDecimals: fc.nat(8),
        fundingIntervalHours: fc.nat(8),
        fundingRateCap: units,
      }),
    ),
  },
  'set-instrument': {
    instrument: handle,
    status: optional(fc.constantFrom('online', 'cancel_only', 'halted')),
    tiers: optional(tiers),
    makerFeeRate: optional(units),
    takerFeeRate: optional(units),
    limitBand: optional(units),
    marketBand: optional(units),
  },
  'set-collateral': {
    coin: handle,
    collateral: optional(fc.array(fc.record({ to: units, ratio: units }))),
    debtInitialRate: optional(units),
    debtMaintenanceRate: optional(units),
  },
  'set-risk': {
    adlStartShare: optional(units),
    adlEndShare: optional(units),
    orderMarginMarkup: optional(units),
    orderFeeMarkup: optional(units),
    profitAsMargin: optional(fc.boolean()),
    reduceTiers: optional(fc.nat()),
  },
  deposit: money,
  withdraw: money,
  'fund-house': { account: fc.constant('insurance'), coin: handle, amount: units },
  'set-index-prices': { prices: fc.array(fc.tuple(handle, units)) },
  transfer: {
    actorUid: uid,
    scope: fc.constantFrom('between-accounts', 'within-account', 'to-main'),
    fromUid: uid,
    toUid: uid,
    fromWallet: wallet,
    toWallet: wallet,
    coin: handle,
    amount: units,
    clientOid: text,
  },
  borrow: { uid, coin: handle, amount: units },
  repay: { uid, coin: handle, amount: units },
  'repay-debts': { uid, debts: fc.array(handle), payments: fc.array(handle) },
  'set-coin-leverage': { uid, coin: handle, leverage: fc.nat() },
  'set-loan-terms': {
    coin: handle,
    borrowable: optional(fc.boolean()),
    dailyInterestRate: optional(units),
    borrowLimit: optional(units),
    lendingPoolLimit: optional(units),
    leverageMax: optional(fc.nat()),
  },
  'set-margin-levels': {
    transfer: optional(units),
    borrow: optional(units),
    call: optional(units),
    liquidation: optional(units),
    liquidationFee: optional(units),
  },
  'set-leverage': {
    uid,
    interface: speaker,
    instrument: handle,
    leverage: fc.double({ noNaN: true, noDefaultInfinity: true }),
    positionSide: optional(positionSide),
    marginMode: optional(marginMode),
  },
  'set-side-leverages': {
    uid,
    interface: speaker,
    instrument: handle,
    long: fc.double({ noNaN: true, noDefaultInfinity: true }),
    short: fc.double({ noNaN: true, noDefaultInfinity: true }),
    marginMode: optional(marginMode),
  },
  'set-all-leverage': {
    uid,
    line,
    leverage: fc.nat(),
    instrument: optional(handle),
    positionSide: optional(positionSide),
  },
  'set-margin-mode': { uid, interface: speaker, instrument: handle, marginMode },
  'set-hold-mode': { uid, line: optional(line), holdMode: fc.constantFrom('one_way_mode', 'hedge_mode') },
  'set-stp-mode': { uid, stpMode },
  'settle-funding': { instrument: handle },
  'set-position-margin': {
    uid,
    interface: speaker,
    instrument: handle,
    positionSide: optional(positionSide),
    amount: units,
  },
  'set-auto-margin': { uid, interface: speaker, instrument: handle, on: fc.boolean() },
  deliver: { instrument: handle, price: fc.nat() },
  'run-timers': {},
  'configure-venue': { dailyOrdersRestriction: fc.nat() },
  'configure-pricing': {
    jumpFactor: optional(units),
    fundingShortfall: optional(fc.constantFrom('full', 'cap')),
    premiumMean: optional(fc.constantFrom('weighted', 'plain')),
    fundingInterestRate: optional(units),
    fundingClamp: optional(units),
    coins: fc.array(fc.record({ coin: handle, indexAgeMsMax: uid })),
    instruments: fc.array(
      fc.record({
        instrument: handle,
        impactNotional: optional(units),
        fundingRateCap: optional(units),
        fundingIntervalHours: optional(uid),
      }),
    ),
  },
  'quote-conversion': { uid, fromCoin: handle, toCoin: handle, fromAmount: optional(units), toAmount: optional(units) },
  'convert-coins': { uid, quoteId: uid, fromCoin: handle, toCoin: handle, fromAmount: units, toAmount: units },
  'set-conversion': {
    spread: optional(units),
    quoteMs: optional(uid),
    leastUsd: optional(units),
    mostUsd: optional(units),
  },
  'record-key-change': { uid, apiKey: text, change: fc.constantFrom('created', 'revoked', 'changed') },
  'create-sub-account': { parentUid: uid, mode: fc.constantFrom('unified', 'classic'), name: text, note: text },
  'move-position': {
    actorUid: uid,
    fromUid: uid,
    toUid: uid,
    instrument: handle,
    side: positionSide,
    quantity: uid,
  },
  'set-collateral-type': { uid, choice: fc.constantFrom('all', 'mainstream', 'custom'), coins: fc.array(handle) },
  'set-sub-account': {
    actorUid: uid,
    uid,
    frozen: optional(fc.boolean()),
    permissions: optional(fc.array(text)),
  },
  'place-trigger': {
    uid,
    interface: speaker,
    category,
    instrument: handle,
    trigger: uid,
    by: triggerPrice,
    execute: uid,
    side: fc.constantFrom('buy', 'sell'),
    quantity,
    positionSide: optional(positionSide),
    tradeSide: optional(fc.constantFrom('open', 'close')),
    reduceOnly: fc.boolean(),
    marginMode: optional(marginMode),
    marginCoin: optional(handle),
    stpMode: optional(stpMode),
    clientOid: text,
    takeProfit: preset,
    stopLoss: preset,
    channelCode: text,
  },
  'place-position-triggers': {
    uid,
    interface: speaker,
    instrument: handle,
    marginCoin: optional(handle),
    positionSide: optional(positionSide),
    takeProfit: leg,
    stopLoss: leg,
    stpMode: optional(stpMode),
    channelCode: text,
  },
  'modify-trigger': {
    uid,
    order: orderReference,
    kinds: triggerKinds,
    trigger: uid,
    by: triggerPrice,
    execute: uid,
    quantity: optional(quantity),
    takeProfit: preset,
    stopLoss: preset,
  },
  'place-trailing': {
    uid,
    interface: speaker,
    category,
    instrument: handle,
    rate: uid,
    trigger: uid,
    by: triggerPrice,
    side: fc.constantFrom('buy', 'sell'),
    quantity,
    positionSide: optional(positionSide),
    tradeSide: optional(fc.constantFrom('open', 'close')),
    reduceOnly: fc.boolean(),
    marginMode: optional(marginMode),
    marginCoin: optional(handle),
    stpMode: optional(stpMode),
    clientOid: text,
    takeProfitRate: uid,
    stopLossRate: uid,
    channelCode: text,
  },
  'place-position-trailing': {
    uid,
    interface: speaker,
    instrument: handle,
    marginCoin: optional(handle),
    positionSide: optional(positionSide),
    rate: uid,
    trigger: uid,
    by: triggerPrice,
    quantity: optional(quantity),
    stpMode: optional(stpMode),
    clientOid: text,
    channelCode: text,
  },
  'modify-trailing': {
    uid,
    order: orderReference,
    kinds: triggerKinds,
    rate: uid,
    trigger: uid,
    by: triggerPrice,
    quantity: optional(quantity),
    takeProfitRate: uid,
    stopLossRate: uid,
  },
  'cancel-trigger': {
    uid,
    order: orderReference,
    kinds: triggerKinds,
    category: optional(category),
    instrument: optional(handle),
  },
  'cancel-triggers': { uid, interface: speaker, category, instrument: optional(handle), kinds: triggerKinds },
  'amend-order': {
    uid,
    order: orderReference,
    category: optional(category),
    instrument: optional(handle),
    price: optional(uid),
    quantity: optional(uid),
    attachedTpsl: optional(fc.record({ takeProfit: preset, stopLoss: preset })),
    autoCancel: fc.boolean(),
    requestId: text,
  },
  'replace-order': {
    uid,
    interface: speaker,
    order: orderReference,
    categories: fc.array(category),
    instrument: handle,
    price: optional(uid),
    quantity: optional(quantity),
    attachedTpsl: optional(fc.record({ takeProfit: preset, stopLoss: preset })),
    clientOid: text,
    channelCode: text,
  },
  'close-positions': {
    uid,
    interface: speaker,
    line,
    instrument: optional(handle),
    positionSide: optional(positionSide),
    channelCode: text,
  },
  'reverse-position': {
    uid,
    instrument: handle,
    marginCoin: optional(handle),
    side: fc.constantFrom('buy', 'sell'),
    tradeSide: optional(fc.constantFrom('open', 'close')),
    quantity: optional(quantity),
    clientOid: text,
    channelCode: text,
  },
  'set-countdown': { uid, ms: uid },
} satisfies {
  [Kind in CommandKind]: {
    [Name in Exclude<keyof CommandOf<Kind>, 'kind'>]: fc.Arbitrary<Plain<CommandOf<Kind>[Name]>>
  }
}

export function commandOf<Kind extends CommandKind>(kind: Kind): fc.Arbitrary<CommandOf<Kind>> {
  const fields = generators[kind] as Record<string, fc.Arbitrary<unknown>>
  return fc.record({ kind: fc.constant(kind), ...fields }) as unknown as fc.Arbitrary<CommandOf<Kind>>
}
