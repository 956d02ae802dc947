/**
 * The order ticket: what is being written, what is wrong with it, what it would take, and the draft that it becomes.
 *
 * Whole     all of it is one object, `ticket`: the fields are signals, and so is what follows from them
 * Texts     stay as they were typed; numbers are made of them here, by bigint, and the draft carries the same texts
 * Kinds     what an order can be and bring along is the account's to say; signed out everything can be written
 * Faults    one sentence per field, by the rules of the instrument; the venue checks everything again
 */
import { batch, computed, effect, signal } from '@preact/signals'
import { divFloor, floorTo, maxOf, oneE8, parseUnits, units, unitsText } from '../numbers/decimal.ts'
import { callbackFault, priceFault } from '../numbers/faults.ts'
import { crossPool } from '../trading/collateral.ts'
import { loanBookOf } from '../trading/margin-loans.ts'
import { mostToOpen, type Preview, previewOrder, worstPrice } from '../trading/preview.ts'
import type { OrderCapabilities, OrderDraft, OrderKind, TimeInForce, Tpsl, TriggerBy } from '../venue/account.ts'
import { type Instrument, isFutures, type Tier } from '../venue/instruments.ts'
import { isHedge, leverageOf, positions, positionsOf, settings, wallets } from './account.ts'
import { isLive } from './connection.ts'
import { ratios } from './collateral.ts'
import { book, currentInstrument, markOf, tickers } from './market.ts'
import { ownStpMode } from './preferences.ts'
import { session } from './session.ts'
import { tiers } from './tiers.ts'
import { view } from './view.ts'
import { t } from '../words/words.ts'

const noTpsl: Tpsl = { price: '', by: 'market', limit: '' }

/** What is being written. */
const written = {
  side: signal<'buy' | 'sell'>('buy'),
  kind: signal<OrderKind>('limit'),
  timeInForce: signal<TimeInForce>('gtc'),
  price: signal(''),
  quantity: signal(''),
  triggerPrice: signal(''),
  triggerBy: signal<TriggerBy>('market'),
  /** What a trigger order becomes. */
  triggered: signal<'limit' | 'market' | 'trailing'>('market'),
  /** How far the price turns back before a trailing order is triggered, per cent. */
  callback: signal(''),
  reduceOnly: signal(false),
  /** Hedge mode: whether a position is opened or closed. */
  closes: signal(false),
  withTpsl: signal(false),
  takeProfit: signal<Tpsl>(noTpsl),
  stopLoss: signal<Tpsl>(noTpsl),
}

effect(() => {
  void currentInstrument.value
  batch(() => {
    written.price.value = ''
    written.quantity.value = ''
    written.triggerPrice.value = ''
    written.takeProfit.value = noTpsl
    written.stopLoss.value = noTpsl
    written.closes.value = false
    written.reduceOnly.value = false
  })
})

const allCapabilities: OrderCapabilities = {
  kinds: ['limit', 'market', 'trigger'],
  tpslBy: ['market', 'mark'],
  coinStep: undefined,
}

const orderCapabilities = computed<OrderCapabilities>(() => {
  const instrument = currentInstrument.value
  const shape = { kind: written.kind.value, triggerBy: written.triggerBy.value }
  return instrument === undefined
    ? allCapabilities
    : (session.value?.account.orderCapabilities(instrument, shape) ?? allCapabilities)
})

effect(() => {
  if (!orderCapabilities.value.kinds.includes(written.kind.value)) written.kind.value = 'limit'
})

/** Futures alone have trailing orders. */
const trails = computed(() => {
  const instrument = currentInstrument.value
  const asked = written.kind.value === 'trigger' && written.triggered.value === 'trailing'
  return asked && instrument !== undefined && isFutures(instrument)
})

/** It brings a take-profit or stop-loss along. */
const bringsTpsl = computed(
  () => written.withTpsl.value && !trails.value && !onlyReduces.value && orderCapabilities.value.tpslBy.length > 0,
)

/** The price that a take-profit or stop-loss waits for: what was chosen, or what there is. */
function triggerByOf({ by }: Tpsl): TriggerBy {
  const { tpslBy } = orderCapabilities.value
  return tpslBy.includes(by) ? by : (tpslBy[0] ?? by)
}

/** After an order: what would surprise in the next one goes, its price stays. */
function empty(): void {
  batch(() => {
    written.quantity.value = ''
    written.triggerPrice.value = ''
    written.withTpsl.value = false
    written.takeProfit.value = noTpsl
    written.stopLoss.value = noTpsl
  })
}

/** A level of the book was clicked. */
function takePrice(text: string): void {
  if (written.kind.value === 'market') written.kind.value = 'limit'
  written.price.value = text
  if (view.value === 'book') view.value = 'trade'
}

/** Market buys of pairs are written in what they spend. */
const quoteSized = computed(() => {
  const instrument = currentInstrument.value
  const market =
    written.kind.value === 'market' || (written.kind.value === 'trigger' && written.triggered.value !== 'limit')
  return instrument !== undefined && !isFutures(instrument) && written.side.value === 'buy' && market
})

/** Stands before the coin where the quantity counts something else: `USDT of `, and `USD of ` for coin-margined contracts. */
const countedIn = computed(() => {
  const instrument = currentInstrument.value
  return instrument !== undefined && (quoteSized.value || instrument.kind === 'inverse')
    ? t.ticket.countedIn(instrument.quote)
    : ''
})

const hasLimitPrice = computed(
  () => written.kind.value === 'limit' || (written.kind.value === 'trigger' && written.triggered.value === 'limit'),
)

interface TicketFaults {
  price?: string
  quantity?: string
  triggerPrice?: string
  callback?: string
  takeProfit?: string
  stopLoss?: string
}

/** Nothing is said of a field that is still empty, except when it is sent. */
const faults = computed<TicketFaults>(() => {
  const instrument = currentInstrument.value
  if (instrument === undefined) return {}
  const found: TicketFaults = {}
  const note = (name: keyof TicketFaults, fault: string | undefined) => {
    if (fault !== undefined) found[name] = fault
  }
  if (hasLimitPrice.value) note('price', priceFault(written.price.value, instrument.priceStep, instrument.quote))
  if (written.kind.value === 'trigger')
    note('triggerPrice', priceFault(written.triggerPrice.value, instrument.priceStep, instrument.quote))
  if (trails.value) note('callback', callbackFault(written.callback.value))
  note('quantity', quantityFault(written.quantity.value, instrument))
  if (bringsTpsl.value) {
    note('takeProfit', tpslFault(written.takeProfit.value, instrument, written.side.value === 'buy' ? 1 : -1))
    note('stopLoss', tpslFault(written.stopLoss.value, instrument, written.side.value === 'buy' ? -1 : 1))
  }
  return found
})

function quantityFault(text: string, instrument: Instrument): string | undefined {
  if (text === '') return undefined
  const value = parseUnits(text)
  if (value === undefined || value <= 0n) return t.faults.quantity
  if (quoteSized.value) {
    return value < instrument.notionalMin
      ? t.faults.atLeast(`${unitsText(instrument.notionalMin)} ${instrument.quote}`)
      : undefined
  }
  if (value < instrument.quantityMin)
    return t.faults.atLeast(`${unitsText(instrument.quantityMin)} ${instrument.quantityUnit}`)
  if (value % instrument.quantityStep !== 0n)
    return t.faults.steps(unitsText(instrument.quantityStep), instrument.quantityUnit)
  const at = orderPrice.value
  if (at === 0n || onlyReduces.value) return undefined
  const notional = instrument.kind === 'inverse' ? value : divFloor(value * at, oneE8)
  return notional < instrument.notionalMin
    ? t.faults.valueAtLeast(`${unitsText(instrument.notionalMin)} ${instrument.quote}`)
    : undefined
}

/** `wanted` 1: above what the order trades at, −1: below. */
function tpslFault(tpsl: Tpsl, instrument: Instrument, wanted: 1 | -1): string | undefined {
  const { priceStep, quote } = instrument
  const fault = priceFault(tpsl.price, priceStep, quote) ?? priceFault(tpsl.limit, priceStep, quote)
  if (fault !== undefined || tpsl.price === '' || orderPrice.value === 0n) return fault
  const difference = units(tpsl.price) - orderPrice.value
  if (difference * BigInt(wanted) > 0n) return undefined
  return wanted === 1 ? t.faults.aboveOrder : t.faults.belowOrder
}

const onlyReduces = computed(() => {
  const instrument = currentInstrument.value
  return (
    instrument !== undefined &&
    isFutures(instrument) &&
    (isHedge(instrument) ? written.closes.value : written.reduceOnly.value)
  )
})

/** In hedge mode: the position that is meant. */
const posSide = computed<'long' | 'short'>(() =>
  (written.side.value === 'buy') !== written.closes.value ? 'long' : 'short',
)

/** What it is reckoned at; zero: unknown. */
const orderPrice = computed<bigint>(() => {
  const instrument = currentInstrument.value
  if (instrument === undefined) return 0n
  if (hasLimitPrice.value) return units(written.price.value)
  if (written.kind.value === 'trigger') {
    return units(written.triggerPrice.value) || (trails.value ? units(markOf(instrument)) : 0n)
  }
  const levels = written.side.value === 'buy' ? book.value.asks : book.value.bids
  return worstPrice(levels, quoteSized.value ? 0n : units(written.quantity.value)) ?? units(markOf(instrument))
})

/** In base coin or contracts, whatever was written. */
const orderQuantity = computed<bigint>(() => {
  const typed = units(written.quantity.value)
  const instrument = currentInstrument.value
  if (!quoteSized.value || instrument === undefined) return typed
  return orderPrice.value === 0n ? 0n : floorTo(divFloor(typed * oneE8, orderPrice.value), instrument.quantityStep)
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

const preview = computed<Preview | undefined>(() => {
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
    side: written.side.value,
    price: orderPrice.value,
    quantity: orderQuantity.value,
    maker: written.kind.value === 'limit' && written.timeInForce.value === 'post_only',
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
    ? {
        ...found,
        notional: units(written.quantity.value),
        cost: units(written.quantity.value),
        hold: units(written.quantity.value),
      }
    : found
})

/** The most of a contract that so much money opens, where the venue does not say. */
function mostReckoned(available: bigint, within: readonly Tier[] = tiers.value): bigint | undefined {
  const instrument = currentInstrument.value
  const markPrice = units(instrument && markOf(instrument))
  const reckonedAt = orderPrice.value || markPrice
  if (instrument === undefined || reckonedAt <= 0n) return undefined
  const hedge = isHedge(instrument)
  const of = (wanted: 'long' | 'short') =>
    units(positionsOf(instrument).find((position) => position.side === wanted)?.quantity)
  const [own, other] = written.side.value === 'buy' ? [of('long'), of('short')] : [of('short'), of('long')]
  return mostToOpen({
    instrument,
    side: written.side.value,
    price: reckonedAt,
    leverage: BigInt(leverageOf(instrument).leverage),
    markPrice,
    available,
    tiers: within,
    held: own,
    reducible: hedge ? 0n : other,
  })
}

/** The value that a position of this leverage goes up to, where that is less than so much money opens. */
function tierCap(available: bigint): bigint | undefined {
  const instrument = currentInstrument.value
  if (instrument === undefined || !isFutures(instrument)) return undefined
  const { leverage } = leverageOf(instrument)
  const tier = tiers.value.findLast(({ leverageMax }) => leverageMax >= leverage)
  const [most, byMoney] = [mostReckoned(available), mostReckoned(available, [])]
  return most === undefined || byMoney === undefined || most >= byMoney ? undefined : tier?.to
}

/** What is missing or wrong, in the order of the fields; the ticket can be sent when nothing is. */
const blockedBecause = computed<string | undefined>(() => {
  if (session.value === undefined) return t.ticket.signInToTrade
  if (session.value.account.readOnly) return t.ticket.mayOnlyRead
  if (settings.value === undefined) return t.ticket.readingAccount
  if (!isLive.value) return t.ticket.heldBack
  if (trails.value && written.callback.value === '') return t.ticket.enterCallback
  const needsTrigger = written.kind.value === 'trigger' && !trails.value
  if (needsTrigger && written.triggerPrice.value === '') return t.ticket.enterTrigger
  if (hasLimitPrice.value && written.price.value === '') return t.ticket.enterPrice
  if (written.quantity.value === '') return quoteSized.value ? t.ticket.enterAmount : t.ticket.enterQuantity
  const [fault] = Object.values(faults.value) as string[]
  return fault
})

/** The name makes a repetition harmless: a second order with it is refused. */
function draft(clientOid: string): OrderDraft | undefined {
  const instrument = currentInstrument.value
  if (instrument === undefined) return undefined
  const futures = isFutures(instrument)
  const waits = written.kind.value === 'trigger'
  return {
    instrument,
    side: written.side.value,
    orderType: hasLimitPrice.value ? 'limit' : 'market',
    quantity: written.quantity.value,
    price: hasLimitPrice.value ? written.price.value : '',
    timeInForce: waits ? 'gtc' : written.timeInForce.value,
    trigger: waits ? triggerNow() : undefined,
    marginMode: leverageOf(instrument).marginMode,
    posSide: futures && isHedge(instrument) ? posSide.value : undefined,
    reduces: onlyReduces.value,
    takeProfit: tpslNow(written.takeProfit.value),
    stopLoss: tpslNow(written.stopLoss.value),
    // What the account keeps holds for every order by itself.
    stpMode: settings.value?.stpMode === undefined ? ownStpMode.value : undefined,
    clientOid,
  }
}

function triggerNow() {
  const trigger = { price: written.triggerPrice.value, by: written.triggerBy.value }
  return trails.value ? { ...trigger, callback: written.callback.value } : trigger
}

function tpslNow(tpsl: Tpsl): Tpsl | undefined {
  return !bringsTpsl.value || tpsl.price === '' ? undefined : { ...tpsl, by: triggerByOf(tpsl) }
}

/** A share of the most that can be ordered, in whole steps. */
function takeShare(most: bigint, share: bigint): void {
  const instrument = currentInstrument.value
  if (instrument === undefined) return
  const part = divFloor(most * share, 100n)
  written.quantity.value = unitsText(
    maxOf(0n, quoteSized.value ? floorTo(part, oneE8 / 100n) : floorTo(part, instrument.quantityStep)),
  )
}

/** The fields as signals, what follows from them, and what is done with the ticket as a whole. */
export const ticket = {
  ...written,
  orderCapabilities,
  hasLimitPrice,
  quoteSized,
  countedIn,
  onlyReduces,
  bringsTpsl,
  triggerByOf,
  trails,
  orderPrice,
  orderQuantity,
  faults,
  blockedBecause,
  preview,
  mostReckoned,
  tierCap,
  draft,
  empty,
  takePrice,
  takeShare,
}
