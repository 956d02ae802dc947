/**
 * A journal record as a command: version 1 byte, number of the kind 1, stamp 8 (double), then the fields of its kind.
 *
 * Own     this table is written from the format, not from the server's code: two readings of one format
 * Strict  a byte left over, a choice that does not exist, a flag that is neither 0 nor 1, text that is no UTF-8, a whole
 *         number with a fraction: the record is no command
 */
const recordVersion = 2

export interface Command {
  readonly kind: string
  readonly at: number
  readonly fields: Readonly<Record<string, unknown>>
}

class Bytes {
  readonly #buffer: Buffer
  #at = 0

  constructor(buffer: Buffer) {
    this.#buffer = buffer
  }

  get rest(): number {
    return this.#buffer.length - this.#at
  }

  take(length: number): Buffer {
    if (length > this.rest) throw new Error('it ends inside a field')
    this.#at += length
    return this.#buffer.subarray(this.#at - length, this.#at)
  }
}

type Read = (bytes: Bytes) => unknown

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const u8 = (bytes: Bytes) => bytes.take(1).readUInt8()
const u32 = (bytes: Bytes) => bytes.take(4).readUInt32LE()
const handle: Read = u32
const units: Read = (bytes) => bytes.take(8).readBigInt64LE()
const double = (bytes: Bytes) => bytes.take(8).readDoubleLE()
const text: Read = (bytes) => utf8.decode(bytes.take(bytes.take(2).readUInt16LE()))
const json: Read = (bytes) => JSON.parse(utf8.decode(bytes.take(u32(bytes)))) as unknown

const finite: Read = (bytes) => {
  const value = double(bytes)
  if (!Number.isFinite(value)) throw new Error(`${value} is not a number`)
  return value
}

const whole: Read = (bytes) => {
  const value = double(bytes)
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number`)
  return value
}

const bit = (bytes: Bytes): boolean => {
  const value = u8(bytes)
  if (value > 1) throw new Error(`${value} is neither yes nor no`)
  return value === 1
}
const flag: Read = bit

/** A choice by its place; an empty word: none of them. */
const choice =
  (words: string): Read =>
  (bytes) => {
    const list = words.split('|')
    const place = u8(bytes)
    if (place >= list.length) throw new Error(`choice ${place} of ${words}`)
    return list[place]
  }

const maybe =
  (read: Read): Read =>
  (bytes) =>
    bit(bytes) ? read(bytes) : undefined

const list =
  (read: Read): Read =>
  (bytes) => {
    const length = u32(bytes)
    if (length > bytes.rest) throw new Error('a list is longer than its record')
    return Array.from({ length }, () => read(bytes))
  }

const group =
  (fields: Readonly<Record<string, Read>>): Read =>
  (bytes) =>
    Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, read(bytes)]))

const uid = whole
const speaker = choice('v2|v3')
const lines = 'USDT-FUTURES|COIN-FUTURES|USDC-FUTURES'
const category = choice(`SPOT|MARGIN|${lines}`)
const wallet = choice('spot|p2p|usdt_futures|coin_futures|usdc_futures|crossed_margin|uta')
const marginMode = choice('isolated|cross')
const anyMarginMode = choice('|isolated|cross')
const anySide = choice('|long|short')
const side = choice('buy|sell')
const by = choice('last|mark')
const stpModes = 'none|cancel_taker|cancel_maker|cancel_both'
const attachedLeg = maybe(group({ trigger: whole, execute: whole, by }))
const attachedTpsl = maybe(group({ takeProfit: attachedLeg, stopLoss: attachedLeg }))
const triggerKinds = list(
  choice(
    'plan|take-profit|stop-loss|position-take-profit|position-stop-loss|trailing-plan|trailing-stop|position-trailing-stop',
  ),
)
const order = group({ orderId: maybe(whole), clientOid: text })
const networks = 'BTC|ERC20|TRC20|BEP20|SOL|XRP|DOGE'
const money = { uid, wallet, coin: handle, amount: units }

const quantity: Read = (bytes) => {
  const unit = choice('lots|quote|base')(bytes)
  return unit === 'lots' ? { unit, lots: whole(bytes) } : { unit, amount: units(bytes) }
}
const leg = maybe(group({ trigger: whole, execute: whole, by, quantity: maybe(quantity), clientOid: text }))
/** How an order asks for its position, and what it carries along. */
const direction = { positionSide: anySide, tradeSide: choice('|open|close'), reduceOnly: flag }
const terms = { marginMode: anyMarginMode, marginCoin: maybe(handle), stpMode: choice(`|${stpModes}`), clientOid: text }
const attachedFields = { takeProfit: attachedLeg, stopLoss: attachedLeg }
const place = { uid, interface: speaker, category, instrument: handle }
const ordered = {
  ...place,
  side,
  orderType: choice('limit|market'),
  price: whole,
  quantity,
  timeInForce: choice('gtc|ioc|fok|post_only'),
  ...direction,
  ...terms,
}
const loanType = choice('normal|autoLoan|autoRepay|autoLoanAndRepay')

type Kind = readonly [name: string, fields: Readonly<Record<string, Read>>]

const kinds: Readonly<Record<number, Kind>> = {
  1: ['place-order', { ...ordered, ...attachedFields, channelCode: text }],
  2: ['cancel-order', { uid, order, category: maybe(category), instrument: maybe(handle) }],
  3: ['cancel-orders', { uid, interface: speaker, category, instrument: maybe(handle) }],
  4: [
    'create-account',
    { account: choice('main|sub'), parentUid: maybe(uid), mode: choice('unified|hybrid|classic'), name: text },
  ],
  5: ['set-account-mode', { uid, mode: choice('unified|classic') }],
  6: ['set-broker', { uid, channelCode: text, rebateRate: units }],
  7: ['set-copy-trader', { uid, instruments: list(handle) }],
  8: ['list-coin', { coin: json }],
  9: ['list-instrument', { instrument: json }],
  10: [
    'set-instrument',
    {
      instrument: handle,
      status: choice('|online|cancel_only|halted'),
      tiers: maybe(json),
      makerFeeRate: maybe(units),
      takerFeeRate: maybe(units),
      limitBand: maybe(units),
      marketBand: maybe(units),
    },
  ],
  11: ['deposit', money],
  12: ['withdraw', money],
  13: ['fund-house', { account: choice('insurance'), coin: handle, amount: units }],
  14: ['set-index-prices', { prices: list(group({ coin: handle, usdE8: units })) }],
  15: [
    'transfer',
    {
      actorUid: uid,
      scope: choice('between-accounts|within-account|to-main'),
      fromUid: uid,
      toUid: uid,
      fromWallet: wallet,
      toWallet: wallet,
      coin: handle,
      amount: units,
      clientOid: text,
    },
  ],
  16: ['borrow', { uid, coin: handle, amount: units }],
  17: ['repay', { uid, coin: handle, amount: units }],
  18: [
    'set-leverage',
    { uid, interface: speaker, instrument: handle, leverage: finite, positionSide: anySide, marginMode: anyMarginMode },
  ],
  19: [
    'set-all-leverage',
    { uid, line: choice(lines), leverage: finite, instrument: maybe(handle), positionSide: anySide },
  ],
  20: ['set-margin-mode', { uid, interface: speaker, instrument: handle, marginMode }],
  21: ['set-hold-mode', { uid, line: maybe(choice(lines)), holdMode: choice('one_way_mode|hedge_mode') }],
  22: ['set-stp-mode', { uid, stpMode: choice(stpModes) }],
  23: ['settle-funding', { instrument: handle }],
  24: ['run-timers', {}],
  25: ['configure-venue', { dailyOrdersRestriction: whole }],
  26: ['record-key-change', { uid, apiKey: text, change: choice('created|revoked|changed') }],
  27: ['set-position-margin', { uid, interface: speaker, instrument: handle, positionSide: anySide, amount: units }],
  28: ['set-auto-margin', { uid, interface: speaker, instrument: handle, on: flag }],
  29: ['deliver', { instrument: handle, price: whole }],
  30: [
    'set-side-leverages',
    { uid, interface: speaker, instrument: handle, long: finite, short: finite, marginMode: anyMarginMode },
  ],
  31: ['bind-account', { uid, boundAt: maybe(whole) }],
  32: ['set-order-minimum', { instrument: handle, quantityMin: whole }],
  33: [
    'set-given-prices',
    {
      until: whole,
      contracts: list(group({ instrument: handle, markPrice: maybe(whole), fundingRate: maybe(units) })),
    },
  ],
  34: ['freeze-account', { uid, frozen: flag }],
  40: [
    'place-trigger',
    {
      ...place,
      trigger: whole,
      by,
      execute: whole,
      side,
      quantity,
      ...direction,
      ...terms,
      ...attachedFields,
      channelCode: text,
    },
  ],
  41: [
    'place-position-triggers',
    {
      uid,
      interface: speaker,
      instrument: handle,
      marginCoin: maybe(handle),
      positionSide: anySide,
      takeProfit: leg,
      stopLoss: leg,
      stpMode: choice(`|${stpModes}`),
      channelCode: text,
    },
  ],
  42: [
    'modify-trigger',
    {
      uid,
      order,
      kinds: triggerKinds,
      trigger: whole,
      by,
      execute: whole,
      quantity: maybe(quantity),
      takeProfit: attachedLeg,
      stopLoss: attachedLeg,
    },
  ],
  43: ['cancel-trigger', { uid, order, kinds: triggerKinds, category: maybe(category), instrument: maybe(handle) }],
  44: ['cancel-triggers', { uid, interface: speaker, category, instrument: maybe(handle), kinds: triggerKinds }],
  45: [
    'place-trailing',
    {
      ...place,
      rate: whole,
      trigger: whole,
      by,
      side,
      quantity,
      ...direction,
      ...terms,
      takeProfitRate: whole,
      stopLossRate: whole,
      channelCode: text,
    },
  ],
  46: [
    'place-position-trailing',
    {
      uid,
      interface: speaker,
      instrument: handle,
      marginCoin: maybe(handle),
      positionSide: anySide,
      rate: whole,
      trigger: whole,
      by,
      quantity: maybe(quantity),
      stpMode: choice(`|${stpModes}`),
      clientOid: text,
      channelCode: text,
    },
  ],
  47: [
    'modify-trailing',
    {
      uid,
      order,
      kinds: triggerKinds,
      rate: whole,
      trigger: whole,
      by,
      quantity: maybe(quantity),
      takeProfitRate: whole,
      stopLossRate: whole,
    },
  ],
  50: [
    'configure-pricing',
    {
      jumpFactor: maybe(units),
      fundingShortfall: choice('|full|cap'),
      premiumMean: choice('|weighted|plain'),
      coins: list(group({ coin: handle, indexAgeMsMax: whole })),
      instruments: list(
        group({
          instrument: handle,
          impactNotional: maybe(units),
          fundingRateCap: maybe(units),
          fundingIntervalHours: maybe(whole),
        }),
      ),
      fundingInterestRate: maybe(units),
      fundingClamp: maybe(units),
    },
  ],
  51: ['repay-debts', { uid, debts: list(handle), payments: list(handle) }],
  52: ['set-coin-leverage', { uid, coin: handle, leverage: finite }],
  53: [
    'set-loan-terms',
    {
      coin: handle,
      borrowable: maybe(flag),
      dailyInterestRate: maybe(units),
      borrowLimit: maybe(units),
      lendingPoolLimit: maybe(units),
      leverageMax: maybe(finite),
    },
  ],
  54: [
    'set-margin-levels',
    {
      transfer: maybe(units),
      borrow: maybe(units),
      call: maybe(units),
      liquidation: maybe(units),
      liquidationFee: maybe(units),
    },
  ],
  55: ['flash-repay', { uid, coin: maybe(handle) }],
  60: [
    'set-collateral',
    {
      coin: handle,
      collateral: maybe(list(group({ to: units, ratio: units }))),
      debtInitialRate: maybe(units),
      debtMaintenanceRate: maybe(units),
    },
  ],
  61: [
    'set-risk',
    {
      adlStartShare: maybe(units),
      adlEndShare: maybe(units),
      orderMarginMarkup: maybe(units),
      orderFeeMarkup: maybe(units),
      profitAsMargin: maybe(flag),
      reduceTiers: maybe(whole),
    },
  ],
  70: [
    'amend-order',
    {
      uid,
      order,
      category: maybe(category),
      instrument: maybe(handle),
      price: maybe(whole),
      quantity: maybe(whole),
      attachedTpsl,
      autoCancel: flag,
      requestId: text,
    },
  ],
  71: [
    'replace-order',
    {
      uid,
      interface: speaker,
      order,
      categories: list(category),
      instrument: handle,
      price: maybe(whole),
      quantity: maybe(quantity),
      attachedTpsl,
      clientOid: text,
      channelCode: text,
    },
  ],
  72: [
    'close-positions',
    {
      uid,
      interface: speaker,
      line: choice(lines),
      instrument: maybe(handle),
      positionSide: anySide,
      channelCode: text,
    },
  ],
  73: [
    'reverse-position',
    {
      uid,
      instrument: handle,
      marginCoin: maybe(handle),
      side,
      tradeSide: choice('|open|close'),
      quantity: maybe(quantity),
      clientOid: text,
      channelCode: text,
    },
  ],
  74: ['set-countdown', { uid, ms: whole }],
  90: ['create-sub-account', { parentUid: uid, mode: choice('unified|classic'), name: text, note: text }],
  91: ['set-sub-account', { actorUid: uid, uid, frozen: maybe(flag), permissions: maybe(list(text)) }],
  92: ['set-collateral-type', { uid, choice: choice('all|mainstream|custom'), coins: list(handle) }],
  93: [
    'move-position',
    { actorUid: uid, fromUid: uid, toUid: uid, instrument: handle, side: choice('long|short'), quantity: whole },
  ],
  120: [
    'quote-conversion',
    { uid, fromCoin: handle, toCoin: handle, fromAmount: maybe(units), toAmount: maybe(units) },
  ],
  121: ['convert-coins', { uid, quoteId: whole, fromCoin: handle, toCoin: handle, fromAmount: units, toAmount: units }],
  122: [
    'set-conversion',
    { spread: maybe(units), quoteMs: maybe(whole), leastUsd: maybe(units), mostUsd: maybe(units) },
  ],
  110: [
    'request-withdrawal',
    {
      uid,
      wallets: list(wallet),
      coin: handle,
      amount: units,
      network: choice(`|${networks}`),
      address: text,
      tag: text,
      toUid: maybe(uid),
      clientOid: text,
      remark: text,
    },
  ],
  111: ['cancel-withdrawal', { uid, id: maybe(whole), clientOid: text }],
  112: ['reject-withdrawal', { id: whole }],
  113: ['send-deposit', { uid, coin: handle, network: choice(networks), amount: units }],
  114: ['set-deposit-wallet', { uid, coin: handle, wallet }],
  115: [
    'set-coin-chain',
    {
      coin: handle,
      network: choice(networks),
      canDeposit: maybe(flag),
      canWithdraw: maybe(flag),
      withdrawalFee: maybe(units),
      depositMin: maybe(units),
      withdrawalMin: maybe(units),
      depositConfirmations: maybe(whole),
      withdrawalConfirmations: maybe(whole),
    },
  ],
  116: ['limit-withdrawals', { usdPerDayMax: units }],
  130: ['upgrade-rules', { rules: whole, release: text }],
  100: ['place-order', { ...ordered, ...attachedFields, loanType, channelCode: text }],
}

/** Throws with the reason when the record is no command. */
export function readCommand(record: Buffer): Command {
  const bytes = new Bytes(record)
  const version = u8(bytes)
  if (version !== recordVersion) throw new Error(`its format is ${version}; this program reads ${recordVersion}`)
  const number = u8(bytes)
  const kind = kinds[number]
  if (kind === undefined) throw new Error(`no kind has the number ${number}`)
  const at = double(bytes)
  const fields = group(kind[1])(bytes) as Command['fields']
  if (bytes.rest > 0) throw new Error(`${bytes.rest} bytes behind the last field`)
  return { kind: kind[0], at, fields }
}
