/**
 * What a person does, as requests: each tells how it ended in a notice, and none is repeated by itself.
 *
 * Names     every order has a `clientOid` of its own, so that nothing can be placed twice by one press
 * Reading   the streams bring what came of it; settings are read anew, since nothing pushes them
 */
import { fixedText, parseUnits, unitsText } from '../numbers/decimal.ts'
import { money, titled } from '../numbers/format.ts'
import { assets, chosenModes, orders, readAssets, readPositions, readSettings, triggers } from '../store/account.ts'
import { instrumentNamed } from '../store/market.ts'
import { notify } from '../store/notices.ts'
import { session } from '../store/session.ts'
import { emptyTicket, type OrderRequest } from '../store/ticket.ts'
import type { Order, Position, Trigger } from '../venue/account-records.ts'
import type { Category } from '../venue/categories.ts'
import { type Account, VenueError } from '../venue/rest.ts'

/** Letters and digits, at most 32, never twice. */
export function newName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return `web-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Runs it for whoever is signed in; true when it went well. */
async function carryOut(failed: string, run: (account: Account) => Promise<string | undefined>): Promise<boolean> {
  const account = session.value?.account
  if (account === undefined) return false
  try {
    const said = await run(account)
    if (said !== undefined) notify('good', said)
    return true
  } catch (error) {
    notifyFailure(failed, error)
    return false
  }
}

interface Acknowledgement {
  readonly orderId: string | null
  readonly clientOid: string
}

export function placeOrder({ path, body }: OrderRequest): Promise<boolean> {
  const what = `${titled(body['side'] ?? '')} ${body['qty']} ${body['symbol']}`
  return carryOut(`${what}: not placed`, async (account) => {
    const { orderId } = await account.post<Acknowledgement>(path, body)
    emptyTicket()
    // What a market order did its fills will say.
    const displaced = orderId === null ? 'Earlier reduce-only orders made way for it.' : ''
    if (body['orderType'] !== 'market' || displaced !== '') notify('info', `${what}: placed`, displaced)
    return undefined
  })
}

export function cancelOrder({ id, category, symbol }: Order): Promise<boolean> {
  return carryOut(`${symbol}: not canceled`, async (account) => {
    await account.post('/api/v3/trade/cancel-order', { orderId: id, category, symbol })
    return undefined
  })
}

export function cancelTrigger({ id, symbol }: Trigger): Promise<boolean> {
  return carryOut(`${symbol}: not canceled`, async (account) => {
    await account.post('/api/v3/trade/cancel-strategy-order', { orderId: id })
    return undefined
  })
}

/** Triggers are cancelled one by one, as fast as the venue takes it. */
const cancelsPerSecond = 9

/** Of every category in which something is open, triggers with them. */
export function cancelAll(category?: Category, symbol?: string): Promise<boolean> {
  const meant = (one: { category: Category; symbol: string }) =>
    (category === undefined || one.category === category) && (symbol === undefined || one.symbol === symbol)
  const open = [...orders.value.values()].filter(meant)
  const waiting = triggers.value.filter(meant)
  return carryOut('Not everything was canceled', async (account) => {
    const path = '/api/v3/trade/cancel-symbol-order'
    const groups = [...new Set(open.map((one) => one.category))]
    await Promise.all(
      groups.map((one) => account.post(path, { category: one, ...(symbol === undefined ? {} : { symbol }) })),
    )
    for (const [index, { id }] of waiting.entries()) {
      if (index > 0 && index % cancelsPerSecond === 0) await new Promise((resolve) => setTimeout(resolve, 1_100))
      await account.post('/api/v3/trade/cancel-strategy-order', { orderId: id })
    }
    const count = open.length + waiting.length
    return count === 1 ? '1 order canceled' : `${count} orders canceled`
  })
}

export interface OrderChange {
  readonly price?: string
  readonly qty?: string
  readonly takeProfit?: string
  readonly stopLoss?: string
}

export function changeOrder({ id, category, symbol }: Order, change: OrderChange): Promise<boolean> {
  return carryOut(`${symbol}: not changed`, async (account) => {
    await account.post('/api/v3/trade/modify-order', { orderId: id, category, symbol, ...change })
    return `${symbol}: order changed`
  })
}

export function changeTrigger({ id, symbol }: Trigger, change: Readonly<Record<string, string>>): Promise<boolean> {
  return carryOut(`${symbol}: not changed`, async (account) => {
    await account.post('/api/v3/trade/modify-strategy-order', { orderId: id, ...change })
    return `${symbol}: order changed`
  })
}

function namedSide({ hedge, side }: Position): { posSide?: 'long' | 'short' } {
  return hedge ? { posSide: side } : {}
}

/** A part at market or at a price; all of it at market by the venue's own call. */
export function closePosition(position: Position, part?: { quantity: string; price?: string }): Promise<boolean> {
  const { category, symbol, side, hedge } = position
  return carryOut(`${symbol}: not closed`, async (account) => {
    if (part === undefined) {
      await account.post('/api/v3/trade/close-positions', { category, symbol, ...namedSide(position) })
      return undefined
    }
    const { quantity: qty, price } = part
    await account.post('/api/v3/trade/place-order', {
      category,
      symbol,
      qty,
      side: side === 'long' ? 'sell' : 'buy',
      orderType: price === undefined ? 'market' : 'limit',
      ...(price === undefined ? {} : { price, timeInForce: 'gtc' }),
      ...(hedge ? { posSide: side } : { reduceOnly: 'yes' }),
      clientOid: newName(),
    })
    return undefined
  })
}

/** Closes it and opens as much the other way: in one-way mode with one order of twice the size. */
export function reversePosition(position: Position): Promise<boolean> {
  const { category, symbol, side, hedge, quantity: size } = position
  const away = side === 'long' ? 'sell' : 'buy'
  const market = { category, symbol, side: away, orderType: 'market' }
  return carryOut(`${symbol}: not reversed`, async (account) => {
    if (!hedge) {
      const twice = unitsText((parseUnits(size) ?? 0n) * 2n)
      await account.post('/api/v3/trade/place-order', { ...market, qty: twice, clientOid: newName() })
      return undefined
    }
    await account.post('/api/v3/trade/place-order', { ...market, qty: size, posSide: side, clientOid: newName() })
    const other = side === 'long' ? 'short' : 'long'
    await account.post('/api/v3/trade/place-order', { ...market, qty: size, posSide: other, clientOid: newName() })
    return undefined
  })
}

export function changeMargin(position: Position, operation: 'add' | 'remove', amount: string): Promise<boolean> {
  const { category, symbol, marginCoin } = position
  return carryOut(`${symbol}: margin not changed`, async (account) => {
    const named = { category, symbol, ...namedSide(position) }
    await account.post('/api/v3/account/set-margin', { ...named, operation, amount })
    void readPositions(account)
    return `${symbol}: ${money(amount)} ${marginCoin} ${operation === 'add' ? 'added to' : 'taken from'} the margin`
  })
}

/** Take-profit and stop-loss of the whole position; what is empty is left away. */
export function guardPosition(position: Position, guards: { takeProfit: string; stopLoss: string }): Promise<boolean> {
  const { category, symbol, side } = position
  const prices = Object.fromEntries(Object.entries(guards).filter(([, text]) => text !== ''))
  return carryOut(`${symbol}: take-profit and stop-loss not set`, async (account) => {
    const body = { category, symbol, type: 'tpsl', tpslMode: 'full', posSide: side, ...prices }
    await account.post('/api/v3/trade/place-strategy-order', body)
    return `${symbol}: take-profit and stop-loss set`
  })
}

export interface LeverageChange {
  readonly category: Category
  readonly symbol: string
  readonly leverage: string
  readonly marginMode: 'crossed' | 'isolated'
}

export function setLeverage({ category, symbol, leverage, marginMode }: LeverageChange): Promise<boolean> {
  return carryOut(`${symbol}: leverage not changed`, async (account) => {
    await account.post('/api/v3/account/set-leverage', { category, symbol, leverage, marginMode })
    chosenModes.value = new Map(chosenModes.value).set(`${category}/${symbol}`, marginMode)
    await readSettings(account)
    return `${symbol}: ${marginMode === 'crossed' ? 'cross' : 'isolated'}, ${leverage}x`
  })
}

export function setCoinLeverage(coin: string, leverage: string): Promise<boolean> {
  return carryOut(`${coin}: leverage not changed`, async (account) => {
    await account.post('/api/v3/account/set-leverage', { category: 'MARGIN', coin, leverage })
    await readSettings(account)
    return `${coin} is borrowed at up to ${leverage}x`
  })
}

export function setHoldMode(holdMode: string): Promise<boolean> {
  return carryOut('Position mode not changed', async (account) => {
    await account.post('/api/v3/account/set-hold-mode', { holdMode })
    await readSettings(account)
    return holdMode === 'hedge_mode' ? 'Hedge mode' : 'One-way mode'
  })
}

export function setStpMode(stpMode: string): Promise<boolean> {
  return carryOut('Self-trade prevention not changed', async (account) => {
    await account.post('/api/v3/account/set-stp-mode', { stpMode })
    await readSettings(account)
    return `Self-trade prevention: ${stpMode.replace('_', ' ')}`
  })
}

export interface Transfer {
  readonly coin: string
  readonly amount: string
  readonly from: { readonly uid: string; readonly wallet: string }
  readonly to: { readonly uid: string; readonly wallet: string }
}

/** Between own wallets by one call, with a sub-account by another, and up from a sub-account by a third. */
export function transfer({ coin, amount, from, to }: Transfer): Promise<boolean> {
  const common = { fromType: from.wallet, toType: to.wallet, amount, coin, clientOid: newName() }
  const here = session.value
  return carryOut('Not transferred', async (account) => {
    if (from.uid === to.uid && from.uid === here?.uid) await account.post('/api/v3/account/transfer', common)
    else if (to.uid === here?.parentUid) await account.post('/api/v3/account/sub-master-transfer', common)
    else {
      await account.post('/api/v3/account/sub-transfer', { ...common, fromUserId: from.uid, toUserId: to.uid })
    }
    void readAssets(account)
    return `${money(amount)} ${coin} transferred`
  })
}

export function borrow(coin: string, amount: string): Promise<boolean> {
  return carryOut('Not borrowed', async (account) => {
    await account.post('/api/v2/margin/crossed/account/borrow', { coin, borrowAmount: amount })
    void readAssets(account)
    return `${money(amount)} ${coin} borrowed`
  })
}

/** With the coin itself as far as that goes, or with another that is sold for it. */
export function repay(coin: string, payment: string): Promise<boolean> {
  return carryOut('Not repaid', async (account) => {
    const body = { repayableCoinList: [coin], paymentCoinList: [payment] }
    const { repayAmount } = await account.post<{ repayAmount: string }>('/api/v3/account/repay', body)
    await readAssets(account)
    return `Repaid, worth ${fixedText(parseUnits(repayAmount) ?? 0n, 2)} USDT`
  })
}

export function owes(): { coin: string; debt: string }[] {
  return (assets.value?.coins ?? []).filter(({ debt }) => Number(debt) > 0).map(({ coin, debt }) => ({ coin, debt }))
}

export function precisionOf(category: Category, symbol: string): { price: number; quantity: number } {
  const one = instrumentNamed(category, symbol)
  return { price: one?.pricePrecision ?? 2, quantity: one?.quantityPrecision ?? 4 }
}

/** What the venue refused, in its own words. */
function notifyFailure(title: string, error: unknown): void {
  if (error instanceof VenueError) {
    const advice = error.isUnknown ? ' The outcome is unknown: look at your orders before you try again.' : ''
    const code = error.code === 'network' ? '' : ` (${error.code})`
    notify('bad', title, `${error.message}${code}.${advice}`.replace('..', '.'))
  } else {
    notify('bad', title, error instanceof Error ? error.message : String(error))
  }
}
