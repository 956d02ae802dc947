/**
 * One account, one of its symbols or one order in plain decimals: why a balance is what it is, for a person.
 *
 * Holds   reads only; every number is the engine's own, written with the scales of its coin or instrument
 */
import type { WalletType } from '../engine/accounts/accounts.ts'
import { walletTypes } from '../engine/accounts/accounts.ts'
import type { Catalog, Instrument } from '../engine/catalog/catalog.ts'
import { productLines } from '../engine/catalog/catalog.ts'
import type { OrderRecord } from '../engine/event.ts'
import { formatDecimal, rateDecimals } from '../engine/numbers/numbers.ts'
import type { AccountView, BalanceView, PositionView } from '../engine/query.ts'
import type { Core } from '../runtime/runtime.ts'
import { body, optional, symbol, uid, wholeNumber } from './fields.ts'
import type { StaticDecode } from 'typebox'
import { fieldWrong, unknownThing } from './refusals.ts'

export const explainAsk = body({
  uid: optional(uid),
  symbol: optional(symbol),
  orderId: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
})

export function explain(core: Core, ask: StaticDecode<typeof explainAsk>) {
  const catalog = core.query({ kind: 'catalog' })
  if (ask.orderId !== undefined) {
    const order = findOrder(core, ask.orderId, ask.uid)
    if (order === undefined) throw unknownThing('orderId', ask.orderId, 'order')
    const { symbol: of } = catalog.instruments[order.instrument]
    return { order: orderText(catalog, order), ...accountPicture(core, catalog, order.uid, of) }
  }
  if (ask.uid === undefined) throw fieldWrong('uid', 'or orderId is required')
  return accountPicture(core, catalog, ask.uid, ask.symbol)
}

function findOrder(core: Core, orderId: number, of: number | undefined): OrderRecord | undefined {
  const owners = of === undefined ? core.query({ kind: 'accounts' }).map((account) => account.uid) : [of]
  for (const owner of owners) {
    const order = core.query({ kind: 'order', uid: owner, order: { orderId, clientOid: '' } })
    if (order !== undefined) return order
  }
  return undefined
}

function accountPicture(core: Core, catalog: Catalog, of: number, only: string | undefined) {
  const account = core.query({ kind: 'account', uid: of })
  if (account === undefined) throw unknownThing('uid', of, 'account')
  const wanted = catalog.instruments.filter((one) => only === undefined || one.symbol === only)
  if (wanted.length === 0) throw unknownThing('symbol', only ?? '', 'instrument')
  const ids = new Set(wanted.map((one) => one.id))
  const positions = productLines
    .flatMap((line) => positionsOf(core, account, line))
    .filter((one) => ids.has(one.instrument))
  const orders = core
    .query({ kind: 'open-orders', uid: of, interface: 'v3', category: undefined, instrument: undefined })
    .filter((one) => ids.has(one.instrument))
  return {
    account: accountText(catalog, account),
    wallets: walletTexts(core, catalog, account),
    positions: positions.map((one) => positionText(catalog, one)),
    openOrders: orders.map((one) => orderText(catalog, one)),
    prices: only === undefined ? undefined : wanted.map((one) => priceText(core, one)),
  }
}

/** A hybrid account holds positions in `uta` and in its classic wallets; each interface sees its own. */
function positionsOf(core: Core, account: AccountView, line: (typeof productLines)[number]): PositionView[] {
  const seen = new Map<number, PositionView>()
  for (const version of ['v2', 'v3'] as const) {
    const views = core.query({ kind: 'positions', uid: account.uid, interface: version, line, instrument: undefined })
    for (const view of views) seen.set(view.positionId, view)
  }
  return [...seen.values()]
}

function accountText(catalog: Catalog, account: AccountView) {
  return {
    uid: String(account.uid),
    kind: account.kind,
    parentUid: account.parentUid === undefined ? undefined : String(account.parentUid),
    name: account.name,
    mode: account.mode,
    holdMode: account.holdMode,
    stpMode: account.stpMode,
    channelCode: account.broker?.channelCode,
    rebateRate: account.broker && rateText(account.broker.rebateRate),
    announced: account.copyTrader?.map((id) => catalog.instruments[id]?.symbol),
    dailyOrders: account.dailyOrders,
  }
}

function walletTexts(core: Core, catalog: Catalog, account: AccountView) {
  const shown: Partial<Record<WalletType, ReturnType<typeof balanceText>[]>> = {}
  for (const wallet of walletTypes) {
    const balances = core.query({ kind: 'balances', uid: account.uid, wallet }).filter(isWorthShowing)
    if (balances.length > 0) shown[wallet] = balances.map((one) => balanceText(catalog, one))
  }
  return shown
}

function isWorthShowing(one: BalanceView): boolean {
  return one.balance !== 0n || one.held !== 0n || one.principal !== 0n || one.interest !== 0n
}

function balanceText(catalog: Catalog, one: BalanceView) {
  return {
    coin: catalog.coins[one.coin]?.name,
    balance: amountText(one.balance),
    held: amountText(one.held),
    available: amountText(one.available),
    transferable: amountText(one.transferable),
    debt: amountText(one.principal + one.interest),
    interest: amountText(one.interest),
  }
}

function positionText(catalog: Catalog, one: PositionView) {
  const instrument = catalog.instruments[one.instrument]
  return {
    category: instrument.category,
    symbol: instrument.symbol,
    wallet: one.wallet,
    side: one.side,
    quantity: quantityText(instrument, one.quantity),
    locked: quantityText(instrument, one.locked),
    entryPrice: formatDecimal(one.entryPriceE8, 8),
    markPrice: priceOf(instrument, one.markPrice),
    liquidationPrice: one.liquidationPrice === 0 ? undefined : priceOf(instrument, one.liquidationPrice),
    marginMode: one.marginMode,
    leverage: one.leverage,
    margin: amountText(one.margin),
    marginRatio: rateText(one.marginRatio),
    realizedPnl: amountText(one.realizedPnl),
    unrealizedPnl: amountText(one.unrealizedPnl),
    fees: amountText(one.fees),
    funding: one.funding === undefined ? undefined : amountText(one.funding),
  }
}

function orderText(catalog: Catalog, one: OrderRecord) {
  const instrument = catalog.instruments[one.instrument]
  return {
    orderId: String(one.orderId),
    clientOid: one.clientOid,
    uid: String(one.uid),
    wallet: one.wallet,
    category: one.category,
    symbol: instrument.symbol,
    side: one.side,
    orderType: one.orderType,
    timeInForce: one.timeInForce,
    price: one.price === 0 ? undefined : priceOf(instrument, one.price),
    quantity: quantityText(instrument, one.quantity),
    filled: quantityText(instrument, one.filled),
    status: one.status,
    cause: one.cause,
    reduceOnly: one.reduceOnly,
    createdAt: one.createdAt,
  }
}

function priceText(core: Core, instrument: Instrument) {
  const prices = core.query({ kind: 'prices', instrument: instrument.id })
  return {
    category: instrument.category,
    symbol: instrument.symbol,
    lastPrice: prices.lastPrice === 0 ? undefined : priceOf(instrument, prices.lastPrice),
    markPrice: priceOf(instrument, prices.markPrice),
    indexPrice: priceOf(instrument, prices.indexPrice),
    fundingRate: rateText(prices.fundingRate),
    frozen: prices.frozen,
  }
}

function amountText(units: bigint): string {
  return formatDecimal(units, 8)
}

function rateText(value: bigint): string {
  return formatDecimal(value, rateDecimals)
}

function priceOf(instrument: Instrument, ticks: number): string {
  return formatDecimal(BigInt(ticks) * BigInt(instrument.priceStep), instrument.priceDecimals)
}

function quantityText(instrument: Instrument, lots: number): string {
  return formatDecimal(BigInt(lots) * BigInt(instrument.quantityStep), instrument.quantityDecimals)
}
