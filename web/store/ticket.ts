/**
 * The order ticket: what is being written, what is wrong with it, what it would take, and the draft that it becomes.
 *
 * Texts     stay as they were typed; numbers are made of them here, by bigint, and the draft carries the same texts
 * Kinds     what an order can be and bring along is the account's to say; signed out everything can be written
 * Faults    one sentence per field, by the rules of the instrument; the venue checks everything again
 */
import { batch, computed, effect, signal } from '@preact/signals'
import { divFloor, floorTo, maxOf, oneE8, parseUnits, units, unitsText } from '../numbers/decimal.ts'
import { crossPool } from '../trading/collateral.ts'
import { loanBookOf } from '../trading/margin-loans.ts'
import { mostToOpen, type Preview, previewOrder, worstPrice } from '../trading/preview.ts'
import type { OrderCapabilities, OrderDraft, OrderKind, TimeInForce, Tpsl, TriggerBy } from '../venue/account.ts'
import { type Instrument, isFutures, loadTiers, type Tier } from '../venue/instruments.ts'
import { isHedge, leverageOf, positions, positionsOf, settings, wallets } from './account.ts'
import { ratios } from './collateral.ts'
import { book, currentInstrument, markOf, tickers } from './market.ts'
import { ownStpMode } from './preferences.ts'
import { session } from './session.ts'
import { view } from './view.ts'

export const side = signal<'buy' | 'sell'>('buy')
export const kind = signal<OrderKind>('limit')
export const timeInForce = signal<TimeInForce>('gtc')
export const price = signal('')
export const quantity = signal('')
export const triggerPrice = signal('')
export const triggerBy = signal<TriggerBy>('market')
/** What a trigger order becomes. */
export const triggered = signal<'limit' | 'market'>('market')
export const reduceOnly = signal(false)
/** Hedge mode: whether a position is opened or closed. */
export const closes = signal(false)
export const withTpsl = signal(false)

const noTpsl: Tpsl = { price: '', by: 'market', limit: '' }
export const takeProfit = signal<Tpsl>(noTpsl)
export const stopLoss = signal<Tpsl>(noTpsl)

export const tiers = signal<readonly Tier[]>([])

effect(() => {
  const instrument = currentInstrument.value
  batch(() => {
    price.value = ''
    quantity.value = ''
    triggerPrice.value = ''
    takeProfit.value = noTpsl
    stopLoss.value = noTpsl
    closes.value = false
    reduceOnly.value = false
    tiers.value = []
  })
  if (instrument !== undefined && isFutures(instrument)) {
    void loadTiers(instrument).then((found) => {
      if (currentInstrument.peek() === instrument) tiers.value = found
    })
  }
})

const allCapabilities: OrderCapabilities = {
  kinds: ['limit', 'market', 'trigger'],
  tpslBy: ['market', 'mark'],
  coinStep: undefined,
}

export const orderCapabilities = computed<OrderCapabilities>(() => {
  const instrument = currentInstrument.value
  const shape = { kind: kind.value, triggerBy: triggerBy.value }
  return instrument === undefined
    ? allCapabilities
    : (session.value?.account.orderCapabilities(instrument, shape) ?? allCapabilities)
})

effect(() => {
  if (!orderCapabilities.value.kinds.includes(kind.value)) kind.value = 'limit'
})

/** It brings a take-profit or stop-loss along. */
export const bringsTpsl = computed(
  () => withTpsl.value && !onlyReduces.value && orderCapabilities.value.tpslBy.length > 0,
)

/** The price that a take-profit or stop-loss waits for: what was chosen, or what there is. */
export function triggerByOf({ by }: Tpsl): TriggerBy {
  const { tpslBy } = orderCapabilities.value
  return tpslBy.includes(by) ? by : (tpslBy[0] ?? by)
}

/** After an order: what would surprise in the next one goes, its price stays. */
export function emptyTicket(): void {
  batch(() => {
    quantity.value = ''
    triggerPrice.value = ''
    withTpsl.value = false
    takeProfit.value = noTpsl
    stopLoss.value = noTpsl
  })
}

/** A level of the book was clicked. */
export function takePrice(text: string): void {
  if (kind.value === 'market') kind.value = 'limit'
  price.value = text
  if (view.value === 'book') view.value = 'trade'
}

/** Market buys of pairs are written in what they spend. */
export const quoteSized = computed(() => {
  const instrument = currentInstrument.value
  const market = kind.value === 'market' || (kind.value === 'trigger' && triggered.value === 'market')
  return instrument !== undefined && !isFutures(instrument) && side.value === 'buy' && market
})

/** Stands before the coin where the quantity counts something else: `USDT of `, and `USD of ` for coin-margined contracts. */
export const countedIn = computed(() => {
  const instrument = currentInstrument.value
  return instrument !== undefined && (quoteSized.value || instrument.kind === 'inverse')
    ? `${instrument.quote} of `
    : ''
})

export const hasLimitPrice = computed(
  () => kind.value === 'limit' || (kind.value === 'trigger' && triggered.value === 'limit'),
)

export interface TicketFaults {
  price?: string
  quantity?: string
  triggerPrice?: string
  takeProfit?: string
  stopLoss?: string
}

/** Nothing is said of a field that is still empty, except when it is sent. */
export const faults = computed<TicketFaults>(() => {
  const instrument = currentInstrument.value
  if (instrument === undefined) return {}
  const found: TicketFaults = {}
  const note = (name: keyof TicketFaults, fault: string | undefined) => {
    if (fault !== undefined) found[name] = fault
  }
  if (hasLimitPrice.value) note('price', priceFault(price.value, instrument))
  if (kind.value === 'trigger') note('triggerPrice', priceFault(triggerPrice.value, instrument))
  note('quantity', quantityFault(quantity.value, instrument))
  if (bringsTpsl.value) {
    note('takeProfit', tpslFault(takeProfit.value, instrument, side.value === 'buy' ? 1 : -1))
    note('stopLoss', tpslFault(stopLoss.value, instrument, side.value === 'buy' ? -1 : 1))
  }
  return found
})

function priceFault(text: string, { priceStep, quote }: Instrument): string | undefined {
  if (text === '') return undefined
  const value = parseUnits(text)
  if (value === undefined || value <= 0n) return 'A price is a number above zero'
  return value % priceStep === 0n ? undefined : `Steps of ${unitsText(priceStep)} ${quote}`
}

function quantityFault(text: string, instrument: Instrument): string | undefined {
  if (text === '') return undefined
  const value = parseUnits(text)
  if (value === undefined || value <= 0n) return 'A quantity is a number above zero'
  if (quoteSized.value) {
    return value < instrument.notionalMin
      ? `At least ${unitsText(instrument.notionalMin)} ${instrument.quote}`
      : undefined
  }
  if (value < instrument.quantityMin) return `At least ${unitsText(instrument.quantityMin)} ${instrument.quantityUnit}`
  if (value % instrument.quantityStep !== 0n)
    return `Steps of ${unitsText(instrument.quantityStep)} ${instrument.quantityUnit}`
  const at = orderPrice.value
  if (at === 0n || onlyReduces.value) return undefined
  const notional = instrument.kind === 'inverse' ? value : divFloor(value * at, oneE8)
  return notional < instrument.notionalMin
    ? `Value at least ${unitsText(instrument.notionalMin)} ${instrument.quote}`
    : undefined
}

/** `wanted` 1: above what the order trades at, −1: below. */
function tpslFault(tpsl: Tpsl, instrument: Instrument, wanted: 1 | -1): string | undefined {
  const fault = priceFault(tpsl.price, instrument) ?? priceFault(tpsl.limit, instrument)
  if (fault !== undefined || tpsl.price === '' || orderPrice.value === 0n) return fault
  const difference = units(tpsl.price) - orderPrice.value
  if (difference * BigInt(wanted) > 0n) return undefined
  return `Has to lie ${wanted === 1 ? 'above' : 'below'} the price of the order`
}

export const onlyReduces = computed(() => {
  const instrument = currentInstrument.value
  return instrument !== undefined && isFutures(instrument) && (isHedge(instrument) ? closes.value : reduceOnly.value)
})

/** In hedge mode: the position that is meant. */
const posSide = computed<'long' | 'short'>(() => ((side.value === 'buy') !== closes.value ? 'long' : 'short'))

/** What it is reckoned at; zero: unknown. */
export const orderPrice = computed<bigint>(() => {
  const instrument = currentInstrument.value
  if (instrument === undefined) return 0n
  if (hasLimitPrice.value) return units(price.value)
  if (kind.value === 'trigger') return units(triggerPrice.value)
  const levels = side.value === 'buy' ? book.value.asks : book.value.bids
  return worstPrice(levels, quoteSized.value ? 0n : units(quantity.value)) ?? units(markOf(instrument))
})

/** In base coin or contracts, whatever was written. */
const orderQuantity = computed<bigint>(() => {
  const written = units(quantity.value)
  const instrument = currentInstrument.value
  if (!quoteSized.value || instrument === undefined) return written
  return orderPrice.value === 0n ? 0n : floorTo(divFloor(written * oneE8, orderPrice.value), instrument.quantityStep)
})

/** Of a coin in USDT, as its pair traded last; a coin without one counts as a dollar or nothing. */
function priceOf(coin: string): bigint {
  return coin === 'USDT' || coin === 'USDC' ? oneE8 : units(tickers.value.get(`SPOT/${coin}USDT`)?.last)
}

/** The wallet that the instrument in view is traded from. */
const tradedWallet = computed(() => {
  const instrument = currentInstrument.value
  const name = instrument && session.value?.account.walletOf(instrument.category)
  return wallets.value?.find((wallet) => wallet.name === name)
})

export const preview = computed<Preview | undefined>(() => {
  const instrument = currentInstrument.value
  if (instrument === undefined || orderPrice.value <= 0n || orderQuantity.value <= 0n) return undefined
  const { leverage, marginMode } = leverageOf(instrument)
  const hedge = isHedge(instrument)
  const open = positionsOf(instrument)
  const held = open.find((position) => !hedge || position.side === posSide.value)
  const opposite = hedge ? open.find((position) => position.side !== posSide.value) : undefined
  const markPrice = units(markOf(instrument))
  const found = previewOrder({
    instrument,
    side: side.value,
    price: orderPrice.value,
    quantity: orderQuantity.value,
    maker: kind.value === 'limit' && timeInForce.value === 'post_only',
    leverage: BigInt(leverage),
    marginMode,
    markPrice,
    tiers: tiers.value,
    reduces: onlyReduces.value,
    position: held && {
      side: held.side,
      quantity: units(held.quantity),
      entryPrice: units(held.entryPrice),
      margin: units(held.margin),
    },
    opposite: units(opposite?.quantity),
    pool:
      tradedWallet.value &&
      crossPool(instrument, tradedWallet.value, { ratios: ratios.value, markPrice, positions: positions.value }),
    loans:
      tradedWallet.value?.name === 'crossed_margin' ? loanBookOf(instrument, tradedWallet.value, priceOf) : undefined,
  })
  return quoteSized.value
    ? { ...found, notional: units(quantity.value), cost: units(quantity.value), hold: units(quantity.value) }
    : found
})

/** The most of a contract that so much money opens, where the venue does not say. */
export function mostReckoned(available: bigint): bigint | undefined {
  const instrument = currentInstrument.value
  const markPrice = units(instrument && markOf(instrument))
  const reckonedAt = orderPrice.value || markPrice
  if (instrument === undefined || reckonedAt === 0n) return undefined
  const hedge = isHedge(instrument)
  const of = (wanted: 'long' | 'short') =>
    units(positionsOf(instrument).find((position) => position.side === wanted)?.quantity)
  const [own, other] = side.value === 'buy' ? [of('long'), of('short')] : [of('short'), of('long')]
  return mostToOpen({
    instrument,
    side: side.value,
    price: reckonedAt,
    leverage: BigInt(leverageOf(instrument).leverage),
    markPrice,
    available,
    tiers: tiers.value,
    held: own,
    reducible: hedge ? 0n : other,
  })
}

/** What is missing or wrong, in the order of the fields; the ticket can be sent when nothing is. */
export const blockedBecause = computed<string | undefined>(() => {
  if (session.value === undefined) return 'Sign in to trade'
  if (session.value.account.readOnly) return 'This key may only read'
  if (settings.value === undefined) return 'Reading the account …'
  if (kind.value === 'trigger' && triggerPrice.value === '') return 'Enter a trigger price'
  if (hasLimitPrice.value && price.value === '') return 'Enter a price'
  if (quantity.value === '') return quoteSized.value ? 'Enter an amount' : 'Enter a quantity'
  const [fault] = Object.values(faults.value) as string[]
  return fault
})

/** The name makes a repetition harmless: a second order with it is refused. */
export function orderDraft(clientOid: string): OrderDraft | undefined {
  const instrument = currentInstrument.value
  if (instrument === undefined) return undefined
  const futures = isFutures(instrument)
  const waits = kind.value === 'trigger'
  return {
    instrument,
    side: side.value,
    orderType: hasLimitPrice.value ? 'limit' : 'market',
    quantity: quantity.value,
    price: hasLimitPrice.value ? price.value : '',
    timeInForce: waits ? 'gtc' : timeInForce.value,
    trigger: waits ? { price: triggerPrice.value, by: triggerBy.value } : undefined,
    marginMode: leverageOf(instrument).marginMode,
    posSide: futures && isHedge(instrument) ? posSide.value : undefined,
    reduces: onlyReduces.value,
    takeProfit: tpslNow(takeProfit.value),
    stopLoss: tpslNow(stopLoss.value),
    // What the account keeps holds for every order by itself.
    stpMode: settings.value?.stpMode === undefined ? ownStpMode.value : undefined,
    clientOid,
  }
}

function tpslNow(tpsl: Tpsl): Tpsl | undefined {
  return !bringsTpsl.value || tpsl.price === '' ? undefined : { ...tpsl, by: triggerByOf(tpsl) }
}

/** A share of the most that can be ordered, in whole steps. */
export function takeShare(most: bigint, share: bigint): void {
  const instrument = currentInstrument.value
  if (instrument === undefined) return
  const part = divFloor(most * share, 100n)
  quantity.value = unitsText(
    maxOf(0n, quoteSized.value ? floorTo(part, oneE8 / 100n) : floorTo(part, instrument.quantityStep)),
  )
}
