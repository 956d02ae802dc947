/**
 * What a person does: each tells how it ended in a notice, and none is repeated by itself.
 *
 * Names     every order has a `clientOid` of its own, so that nothing can be placed twice by one press
 * Reading   the streams bring what came of it; settings are read anew, since nothing pushes them
 */
import { money, titled } from '../numbers/format.ts'
import {
  chosenTerms,
  leverageOf,
  orders,
  readAnew,
  readSettings,
  readTerms,
  triggers,
  wallets,
} from '../store/account.ts'
import { instrumentNamed } from '../store/market.ts'
import { notify } from '../store/notices.ts'
import { session } from '../store/session.ts'
import { emptyTicket } from '../store/ticket.ts'
import type { Account, OrderChange, OrderDraft, Transfer, TriggerChange } from '../venue/account.ts'
import type { ContractTerms, HoldMode, Order, Position, Trigger } from '../venue/account-records.ts'
import type { Category } from '../venue/categories.ts'
import type { Instrument } from '../venue/instruments.ts'
import { VenueError } from '../venue/rest.ts'

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

export function placeOrder(draft: OrderDraft): Promise<boolean> {
  const what = `${titled(draft.side)} ${draft.quantity} ${draft.instrument.symbol}`
  return carryOut(`${what}: not placed`, async (account) => {
    const displaced = await account.place(draft)
    emptyTicket()
    // What a market order did its fills will say.
    const silent = draft.orderType === 'market' && draft.trigger === undefined && !displaced
    if (!silent) notify('info', `${what}: placed`, displaced ? 'Earlier reduce-only orders made way for it.' : '')
    return undefined
  })
}

export function cancelOrder(order: Order): Promise<boolean> {
  return carryOut(`${order.symbol}: not canceled`, async (account) => {
    await account.cancel(order)
    return undefined
  })
}

export function cancelTrigger(trigger: Trigger): Promise<boolean> {
  return carryOut(`${trigger.symbol}: not canceled`, async (account) => {
    await account.cancelTrigger(trigger)
    return undefined
  })
}

/** Of every category in which something is open, or of one instrument; triggers with them. */
export function cancelAll(only?: Pick<Instrument, 'category' | 'symbol'>): Promise<boolean> {
  const meant = ({ category, symbol }: { category: Category; symbol: string }) =>
    only === undefined || (only.category === category && only.symbol === symbol)
  const open = [...orders.value.values()].filter(meant)
  const waiting = triggers.value.filter(meant)
  return carryOut('Not everything was canceled', async (account) => {
    await account.cancelAll(open, waiting, only?.symbol)
    const count = open.length + waiting.length
    return count === 1 ? '1 order canceled' : `${count} orders canceled`
  })
}

export function changeOrder(order: Order, change: OrderChange): Promise<boolean> {
  return carryOut(`${order.symbol}: not changed`, async (account) => {
    await account.change(order, change)
    return `${order.symbol}: order changed`
  })
}

export function changeTrigger(trigger: Trigger, change: TriggerChange): Promise<boolean> {
  return carryOut(`${trigger.symbol}: not changed`, async (account) => {
    await account.changeTrigger(trigger, change)
    return `${trigger.symbol}: order changed`
  })
}

/** A part at market or at a price; all of it at market by the venue's own call. */
export function closePosition(position: Position, part?: { quantity: string; price?: string }): Promise<boolean> {
  const { category, symbol, side, hedge, marginMode } = position
  return carryOut(`${symbol}: not closed`, async (account) => {
    const instrument = instrumentNamed(category, symbol)
    if (part === undefined || instrument === undefined) {
      await account.close(position)
      return undefined
    }
    const { quantity, price = '' } = part
    await account.place({
      instrument,
      quantity,
      price,
      marginMode,
      side: side === 'long' ? 'sell' : 'buy',
      orderType: price === '' ? 'market' : 'limit',
      timeInForce: 'gtc',
      posSide: hedge ? side : undefined,
      reduces: true,
      trigger: undefined,
      takeProfit: undefined,
      stopLoss: undefined,
      stpMode: undefined,
      clientOid: newName(),
    })
    return undefined
  })
}

export function reversePosition(position: Position): Promise<boolean> {
  return carryOut(`${position.symbol}: not reversed`, async (account) => {
    await account.reverse(position, newName)
    return undefined
  })
}

export function changeMargin(position: Position, operation: 'add' | 'remove', amount: string): Promise<boolean> {
  const { symbol, marginCoin } = position
  return carryOut(`${symbol}: margin not changed`, async (account) => {
    await account.changeMargin(position, operation, amount)
    readAnew('positions')
    return `${symbol}: ${money(amount)} ${marginCoin} ${operation === 'add' ? 'added to' : 'taken from'} the margin`
  })
}

/** Take-profit and stop-loss of the whole position; what is empty is left away. */
export function guardPosition(position: Position, guards: { takeProfit: string; stopLoss: string }): Promise<boolean> {
  const { symbol } = position
  return carryOut(`${symbol}: take-profit and stop-loss not set`, async (account) => {
    await account.guard(position, guards)
    return `${symbol}: take-profit and stop-loss set`
  })
}

export function setContractTerms(one: Instrument, terms: ContractTerms): Promise<boolean> {
  return carryOut(`${one.symbol}: leverage not changed`, async (account) => {
    await account.setContractTerms(one, terms)
    chosenTerms.value = new Map(chosenTerms.value).set(one.key, terms)
    await readTerms(account, one)
    return `${one.symbol}: ${terms.marginMode === 'crossed' ? 'cross' : 'isolated'}, ${leverageOf(one).leverage}x`
  })
}

export function setCoinLeverage(coin: string, leverage: string): Promise<boolean> {
  return carryOut(`${coin}: leverage not changed`, async (account) => {
    await account.setCoinLeverage(coin, leverage)
    await readSettings(account)
    return `${coin} is borrowed at up to ${leverage}x`
  })
}

export function setHoldMode(lines: readonly Category[], mode: HoldMode): Promise<boolean> {
  return carryOut('Position mode not changed', async (account) => {
    await account.setHoldMode(lines, mode)
    await readSettings(account)
    return mode === 'hedge_mode' ? 'Hedge mode' : 'One-way mode'
  })
}

export function setStpMode(mode: string): Promise<boolean> {
  return carryOut('Self-trade prevention not changed', async (account) => {
    await account.setStpMode(mode)
    await readSettings(account)
    return `Self-trade prevention: ${mode.replace('_', ' ')}`
  })
}

export function transfer(asked: Omit<Transfer, 'clientOid'>): Promise<boolean> {
  return carryOut('Not transferred', async (account) => {
    await account.transfer({ ...asked, clientOid: newName() })
    readAnew('wallets')
    return `${money(asked.amount)} ${asked.coin} transferred`
  })
}

export function borrow(coin: string, amount: string): Promise<boolean> {
  return carryOut('Not borrowed', async (account) => {
    await account.borrow(coin, amount)
    readAnew('wallets')
    return `${money(amount)} ${coin} borrowed`
  })
}

/** With another coin, or so much of the coin itself: as the account repays. */
export function repay(coin: string, payment: string): Promise<boolean> {
  return carryOut('Not repaid', async (account) => {
    const said = await account.repay(coin, payment)
    readAnew('wallets')
    return said
  })
}

export function owes(): { coin: string; debt: string }[] {
  const coins = (wallets.value ?? []).flatMap((wallet) => wallet.coins)
  return coins.filter(({ debt }) => Number(debt) > 0).map(({ coin, debt }) => ({ coin, debt }))
}

export function precisionOf(category: Category, symbol: string): { price: number; quantity: number } {
  const one = instrumentNamed(category, symbol)
  return { price: one?.pricePrecision ?? 2, quantity: one?.quantityPrecision ?? 4 }
}

/** What the venue refused, in its own words; where nobody knows, the title does not say that it did. */
function notifyFailure(failed: string, error: unknown): void {
  if (error instanceof VenueError) {
    const title = error.isUnknown ? failed.replace(/\bnot\b/, 'perhaps not').replace(/^Not\b/, 'Perhaps not') : failed
    const advice = error.isUnknown ? ' The outcome is unknown: look at your orders before you try again.' : ''
    const code = error.code === 'network' ? '' : ` (${error.code})`
    notify('bad', title, `${error.message}${code}.${advice}`.replace('..', '.'))
  } else {
    notify('bad', failed, error instanceof Error ? error.message : String(error))
  }
}
