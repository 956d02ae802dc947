/**
 * What people do: trade, set TP/SL, cancel, move and borrow money, change their settings; now and then nonsense.
 *
 * Decides   by the seed and by what the floor shows, by nothing else
 */
import { type FuturesInstrument, type Instrument, isFutures, productLines } from '../../src/engine/catalog/catalog.ts'
import { amount, type Amount, type Lots, type Ticks } from '../../src/engine/numbers/numbers.ts'
import type { Command, OrderReference, PlaceOrder } from '../../src/engine/protocol/command.ts'
import {
  type MarginMode,
  type OrderQuantity,
  type TpslTerms,
  type StpMode,
  type WalletType,
  walletTypes,
} from '../../src/engine/vocabulary.ts'
import type { Floor, PlacedOrder } from './floor.ts'
import { garbage } from './garbage.ts'

/** How often people do what, by the kind of day. */
export const habits = {
  trading: {
    order: 700,
    trigger: 40,
    cancel: 110,
    cancelMany: 8,
    money: 30,
    transfer: 20,
    loan: 20,
    setting: 20,
    margin: 8,
    mode: 1,
    garbage: 10,
  },
  borrowing: {
    order: 520,
    trigger: 20,
    cancel: 90,
    cancelMany: 10,
    money: 50,
    transfer: 60,
    loan: 180,
    setting: 20,
    margin: 5,
    mode: 3,
    garbage: 10,
  },
  tinkering: {
    order: 500,
    trigger: 120,
    cancel: 100,
    cancelMany: 20,
    money: 40,
    transfer: 40,
    loan: 40,
    setting: 90,
    margin: 40,
    mode: 6,
    garbage: 20,
  },
} as const
export type Habit = keyof typeof habits

/** Of a busy day: next to nothing but orders, most of which go at once or are canceled soon. */
const busy = { order: 60, cancel: 38, rest: 2 } as const

export class RandomTraders {
  readonly #floor: Floor
  readonly #habit: Habit

  constructor(floor: Floor, habit: Habit) {
    this.#floor = floor
    this.#habit = habit
  }

  next(): Command {
    switch (this.#random.weighed(habits[this.#habit])) {
      case 'order':
        return this.#order()
      case 'trigger':
        return this.#trigger()
      case 'cancel':
        return this.#cancel()
      case 'cancelMany':
        return this.#cancelMany()
      case 'money':
        return this.#money()
      case 'transfer':
        return this.#transfer()
      case 'loan':
        return this.#loan()
      case 'setting':
        return this.#setting()
      case 'margin':
        return this.#margin()
      case 'mode':
        return { kind: 'set-account-mode', uid: this.#floor.uid(), mode: this.#random.pick(['unified', 'classic']) }
      case 'garbage':
        return garbage(this.#floor, this.#order())
    }
  }

  /** What comes by the hundred thousand. */
  nextBusy(): Command {
    switch (this.#random.weighed(busy)) {
      case 'order':
        return this.#plainOrder()
      case 'cancel':
        return this.#cancel()
      case 'rest':
        return this.next()
    }
  }

  get #random() {
    return this.#floor.random
  }

  #order(): PlaceOrder {
    const floor = this.#floor
    const random = this.#random
    const instrument = floor.instrument()
    const uid = floor.uid()
    const speaks = floor.speaks(uid)
    const market = random.happens(0.15)
    const position = isFutures(instrument) && random.happens(0.05) ? floor.position(uid, speaks, instrument) : undefined
    const closes = position === undefined ? undefined : ({ long: 'sell', short: 'buy' } as const)[position.side]
    const side = closes ?? random.pick(['buy', 'sell'] as const)
    const onMargin = instrument.kind === 'spot' && instrument.marginable && random.happens(0.4)
    const hedged = isFutures(instrument) && floor.account(uid).holdMode[instrument.category] === 'hedge_mode'
    const v2Hedge = speaks === 'v2' && hedged
    return {
      kind: 'place-order',
      uid,
      interface: speaks,
      category: onMargin ? 'MARGIN' : instrument.category,
      instrument: instrument.id,
      side: v2Hedge && position !== undefined ? ({ long: 'buy', short: 'sell' } as const)[position.side] : side,
      orderType: market ? 'market' : 'limit',
      price: market ? 0 : this.#price(instrument),
      quantity:
        position !== undefined && random.happens(0.5)
          ? { unit: 'lots', lots: position.quantity }
          : this.#quantity(instrument, side, market),
      timeInForce: random.pick(['gtc', 'gtc', 'gtc', 'gtc', 'gtc', 'ioc', 'fok', 'post_only']),
      positionSide: v2Hedge ? undefined : (position?.side ?? random.pick(['long', 'short'])),
      tradeSide: position === undefined ? random.pick(['open', 'open', 'open', 'close']) : 'close',
      reduceOnly: position !== undefined || random.happens(0.02),
      marginMode: random.happens(0.1) ? random.pick<MarginMode>(['cross', 'isolated']) : undefined,
      marginCoin: undefined,
      stpMode: random.pick<StpMode | undefined>([
        undefined,
        undefined,
        'none',
        'none',
        'cancel_taker',
        'cancel_maker',
        'cancel_both',
      ]),
      loanType: random.pick(['normal', 'autoLoan', 'autoLoan', 'autoRepay', 'autoLoanAndRepay'] as const),
      clientOid: random.happens(0.6) ? '' : floor.newId('o'),
      takeProfit: random.happens(0.05) ? this.#preset(instrument) : undefined,
      stopLoss: random.happens(0.05) ? this.#preset(instrument) : undefined,
      channelCode: random.pick(['', '', '', 'broker-1', 'nobody']),
    }
  }

  /** Mostly where it rests. */
  #awayFrom(instrument: Instrument, side: 'buy' | 'sell'): Ticks {
    const { markPrice } = this.#floor.prices(instrument.id)
    const away = Math.max(1, Math.floor(markPrice / 2000)) * (this.#random.below(20) - 2)
    return Math.max(1, side === 'buy' ? markPrice - away : markPrice + away) as Ticks
  }

  #plainOrder(): PlaceOrder {
    const floor = this.#floor
    const random = this.#random
    const instrument = floor.instrument()
    const uid = floor.uid()
    const side = random.pick(['buy', 'sell'] as const)
    return {
      kind: 'place-order',
      uid,
      interface: floor.account(uid).mode === 'classic' ? 'v2' : 'v3',
      category: instrument.category,
      instrument: instrument.id,
      side,
      orderType: 'limit',
      price: this.#awayFrom(instrument, side),
      quantity: { unit: 'lots', lots: (instrument.quantityMin + random.below(20)) as Lots },
      timeInForce: random.pick(['gtc', 'gtc', 'ioc', 'fok', 'post_only']),
      positionSide: side === 'buy' ? 'long' : 'short',
      tradeSide: 'open',
      reduceOnly: false,
      marginMode: undefined,
      marginCoin: undefined,
      stpMode: random.pick([undefined, 'cancel_maker']),
      clientOid: '',
      takeProfit: undefined,
      stopLoss: undefined,
      loanType: 'normal',
      channelCode: '',
    }
  }

  /** Around the mark, on few prices, so that orders meet. */
  #price(instrument: Instrument): Ticks {
    const { markPrice } = this.#floor.prices(instrument.id)
    const random = this.#random
    const step = Math.max(1, Math.floor(markPrice / random.pick([400, 1000, 5000])))
    return Math.max(1, markPrice + step * (random.below(11) - 5)) as Ticks
  }

  #quantity(instrument: Instrument, side: 'buy' | 'sell', market: boolean): OrderQuantity {
    const random = this.#random
    const dollars = random.pick([1, 10, 100, 400, 2000, 8000, 20_000, 100_000]) * (1 + random.below(100))
    const value = BigInt(dollars) * 1_000_000n
    if (instrument.kind === 'spot' && side === 'buy' && market) return { unit: 'quote', amount: amount(value) }
    const price = this.#floor.indexPrices.usd[instrument.base] ?? 100_000_000n
    const base = (value * 100_000_000n) / price
    if (instrument.kind === 'inverse') {
      if (random.happens(0.4)) return { unit: 'base', amount: amount(base) }
      return { unit: 'lots', lots: Number(value / 100_000_000n / BigInt(instrument.quantityStep)) as Lots }
    }
    const lot = 10n ** BigInt(8 - instrument.quantityDecimals) * BigInt(instrument.quantityStep)
    return { unit: 'lots', lots: Number(base / lot) as Lots }
  }

  #preset(instrument: Instrument): TpslTerms {
    const by = this.#random.pick(['last', 'mark'] as const)
    return { trigger: this.#price(instrument), execute: this.#random.happens(0.4) ? this.#price(instrument) : 0, by }
  }

  /** Sets, changes or takes away a trigger order: a plan, or the TP/SL of a position. */
  #trigger(): Command {
    const floor = this.#floor
    const random = this.#random
    const order = this.#order()
    const { uid, category, clientOid, channelCode, stpMode, marginMode, side } = order
    const instrument = floor.catalog.instruments[order.instrument]
    const chosen: PlacedOrder | undefined = floor.triggers.length === 0 ? undefined : random.pick(floor.triggers)
    switch (random.weighed({ plan: 40, tpsl: 35, modify: 12, cancel: 10, cancelAll: 3 })) {
      case 'plan': {
        const { quantity, positionSide, tradeSide, reduceOnly, takeProfit, stopLoss } = order
        const price = { ...this.#preset(instrument), execute: order.price }
        const what = { side, quantity, positionSide, tradeSide, reduceOnly, marginMode, marginCoin: undefined, stpMode }
        const where = { interface: order.interface, category, instrument: instrument.id }
        return { kind: 'place-trigger', uid, ...where, takeProfit, stopLoss, ...price, ...what, clientOid, channelCode }
      }
      case 'tpsl': {
        const contract = isFutures(instrument) ? instrument : (floor.contract() ?? undefined)
        const held = contract && floor.position(uid, order.interface, contract, true)
        const leg = () => {
          const quantity = random.happens(0.5) ? undefined : order.quantity
          return { ...this.#preset(instrument), quantity, clientOid: random.happens(0.8) ? '' : floor.newId('g') }
        }
        return {
          kind: 'place-position-triggers',
          uid,
          interface: order.interface,
          instrument: held?.instrument ?? instrument.id,
          marginCoin: undefined,
          positionSide: random.happens(0.5) ? held?.side : random.pick([undefined, 'long', 'short']),
          takeProfit: random.happens(0.7) ? leg() : undefined,
          stopLoss: random.happens(0.7) ? leg() : undefined,
          stpMode,
          channelCode,
        }
      }
      case 'modify': {
        const attachedTpsl = {
          takeProfit: undefined,
          stopLoss: random.happens(0.3) ? this.#preset(instrument) : undefined,
        }
        const quantity = random.happens(0.5) ? undefined : order.quantity
        const changed = { ...this.#preset(instrument), quantity, ...attachedTpsl }
        return { kind: 'modify-trigger', uid: chosen?.uid ?? uid, order: referenceTo(chosen), kinds: [], ...changed }
      }
      case 'cancel': {
        const any = { kinds: [], category: undefined, instrument: undefined }
        return { kind: 'cancel-trigger', uid: chosen?.uid ?? uid, order: referenceTo(chosen), ...any }
      }
      case 'cancelAll': {
        const which = random.happens(0.5) ? instrument.id : undefined
        return { kind: 'cancel-triggers', uid, interface: order.interface, category, instrument: which, kinds: [] }
      }
    }
  }

  #cancel(): Command {
    const floor = this.#floor
    const random = this.#random
    const chosen = floor.anyPlaced()
    const { orderId, clientOid } = referenceTo(chosen)
    const uid = chosen === undefined || random.happens(0.02) ? floor.uid() : chosen.uid
    const order = { orderId: random.happens(0.5) ? orderId : undefined, clientOid }
    return { kind: 'cancel-order', uid, order, category: undefined, instrument: undefined }
  }

  #cancelMany(): Command {
    const random = this.#random
    const uid = this.#floor.uid()
    const { category, id, kind } = this.#floor.instrument()
    const instrument = random.happens(0.5) ? id : undefined
    const which = kind === 'spot' && random.happens(0.5) ? 'MARGIN' : category
    return { kind: 'cancel-orders', uid, interface: this.#floor.speaks(uid), category: which, instrument }
  }

  #money(): Command {
    const uid = this.#floor.uid()
    const wallet = this.#random.happens(0.05) ? this.#random.pick(walletTypes) : this.#floor.wallet(uid)
    const coin = this.#coinFor(wallet)
    const kind = this.#random.pick(['deposit', 'deposit', 'withdraw'] as const)
    return { kind, uid, wallet, coin, amount: this.#sum(coin) }
  }

  #transfer(): Command {
    const floor = this.#floor
    const random = this.#random
    const actorUid = floor.uid()
    const within = random.happens(0.5)
    const family = within ? [] : floor.ask({ kind: 'sub-accounts', uid: actorUid })
    const other = family.length === 0 || random.happens(0.05) ? floor.uid() : random.pick(family).uid
    const fromUid = within || random.happens(0.5) ? actorUid : other
    const toUid = within ? actorUid : fromUid === actorUid ? other : actorUid
    const fromWallet = floor.wallet(fromUid)
    const coin = this.#coinFor(fromWallet)
    return {
      kind: 'transfer',
      actorUid,
      scope: within ? 'within-account' : 'between-accounts',
      fromUid,
      toUid,
      fromWallet,
      toWallet: floor.wallet(toUid),
      coin,
      amount: this.#sum(coin),
      clientOid: within && random.happens(0.5) ? '' : floor.newId('t'),
    }
  }

  #loan(): Command {
    const floor = this.#floor
    const random = this.#random
    const uid = floor.uid()
    const coin = random.below(floor.catalog.coins.length)
    if (random.happens(0.1)) {
      const some = () => floor.catalog.coins.map(({ id }) => id).filter(() => random.happens(0.5))
      return { kind: 'repay-debts', uid, debts: some(), payments: some() }
    }
    if (random.happens(0.1)) return { kind: 'set-coin-leverage', uid, coin, leverage: random.pick([1, 2, 3, 4]) }
    return { kind: random.pick(['borrow', 'borrow', 'repay'] as const), uid, coin, amount: this.#sum(coin) }
  }

  #coinFor(wallet: WalletType): number {
    const random = this.#random
    const { coins } = this.#floor.catalog
    const coinOf = (name: string) => coins.findIndex((coin) => coin.name === name)
    if (random.happens(0.05)) return random.below(coins.length)
    if (wallet === 'usdt_futures') return coinOf('USDT')
    if (wallet === 'usdc_futures') return coinOf('USDC')
    if (wallet === 'coin_futures') return random.below(3)
    return random.happens(0.4) ? coinOf('USDT') : random.below(coins.length)
  }

  /** Money worth between a cent and some ten thousand dollars, to the last unit. */
  #sum(coin: number): Amount {
    const random = this.#random
    const dollars = BigInt(random.pick([1, 100, 10_000, 1_000_000])) * BigInt(1 + random.below(300)) * 1_000_000n
    const price = this.#floor.indexPrices.usd[coin] ?? 100_000_000n
    return amount((dollars * 100_000_000n) / price + BigInt(random.below(3)))
  }

  #setting(): Command {
    const floor = this.#floor
    const random = this.#random
    const uid = floor.uid()
    const contract = floor.contract()
    const instrument = contract?.id ?? 0
    const speaks = floor.speaks(uid)
    const leverage = random.pick([1, 3, 10, 20, 50, 100, 125, 126])
    const positionSide = random.pick([undefined, 'long', 'short'] as const)
    const line = random.pick(productLines)
    switch (random.below(6)) {
      case 0:
      case 1: {
        const marginMode = random.pick<MarginMode | undefined>([undefined, undefined, 'cross', 'isolated'])
        return { kind: 'set-leverage', uid, interface: speaks, instrument, leverage, positionSide, marginMode }
      }
      case 2:
        return { kind: 'set-all-leverage', uid, line, leverage, instrument: undefined, positionSide }
      case 3:
        return {
          kind: 'set-margin-mode',
          uid,
          interface: speaks,
          instrument,
          marginMode: random.pick(['cross', 'isolated']),
        }
      case 4: {
        const holdMode = random.pick(['one_way_mode', 'hedge_mode'] as const)
        return { kind: 'set-hold-mode', uid, line: random.happens(0.5) ? line : undefined, holdMode }
      }
      default:
        return {
          kind: 'set-stp-mode',
          uid,
          stpMode: random.pick(['none', 'cancel_taker', 'cancel_maker', 'cancel_both']),
        }
    }
  }

  /** Margin of a position by hand, mostly of one that is there. */
  #margin(): Command {
    const floor = this.#floor
    const random = this.#random
    const uid = floor.uid()
    const speaks = floor.speaks(uid)
    const contract = floor.contract()
    if (contract === undefined) return this.#setting()
    const held = floor.position(uid, speaks, contract, true)
    const { id, settle } = (held ? floor.catalog.instruments[held.instrument] : contract) as FuturesInstrument
    const where = { uid, interface: speaks, instrument: id } as const
    if (random.happens(0.3)) return { kind: 'set-auto-margin', ...where, on: random.happens(0.5) }
    const units = amount(this.#sum(settle) / 100n)
    const positionSide = random.happens(0.5) ? held?.side : random.pick([undefined, 'long', 'short'] as const)
    return { kind: 'set-position-margin', ...where, positionSide, amount: random.happens(0.6) ? units : amount(-units) }
  }
}

function referenceTo(chosen: PlacedOrder | undefined): OrderReference {
  return chosen?.order ?? { orderId: undefined, clientOid: 'none' }
}
