/**
 * Traders who do anything at any time: the commands of the random simulation, from a seed.
 *
 * People    every mode and kind of account, in one-way and hedge mode, isolated and cross, with little money, so that
 *           what they try is often refused and what they lose is sometimes more than they have
 * Order     the next command depends on the seed and on what the exchange answers to queries, on nothing else
 */
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import {
  depositAddress,
  type FuturesInstrument,
  type Instrument,
  isFutures,
  productLines,
} from '../../../src/engine/catalog/catalog.ts'
import { amount, type Amount, type Lots, type Ticks } from '../../../src/engine/numbers/numbers.ts'
import type { Command, PlaceOrder } from '../../../src/engine/protocol/command.ts'
import type { PositionView } from '../../../src/engine/protocol/query.ts'
import {
  type MarginMode,
  type OrderQuantity,
  type TpslTerms,
  type StpMode,
  type TimeInForce,
  walletTypes,
} from '../../../src/engine/vocabulary.ts'
import { type Exchange, hourMs, secondMs } from './exchange.ts'
import { share } from './figures.ts'
import { coinListings, coinNames } from './listings.ts'

const names = ['ann', 'cy', 'ella', 'uma', 'una', 'hugo', 'nora', 'theo', 'leo', 'mia', 'brook'] as const

/** Lets the random traders join with money for a few trades each, or for one that goes well. */
export function admitRandomTraders(exchange: Exchange): void {
  const usdt = '20000 USDT'
  const futures = { usdt_futures: usdt, coin_futures: '0.4 BTC', usdc_futures: '20000 USDC' }
  const classic = { ...futures, spot: '1 BTC, 5 ETH, 40000 USDT, 9000 USDC', crossed_margin: '0.1 BTC, 10000 USDT' }
  const unified = { uta: '1 BTC, 3 ETH, 50 SOL, 50000 USDT, 5000 USDC', spot: '1000 USDT' }
  exchange.join('ann', { mode: 'classic', funds: classic })
  exchange.join('cy', { mode: 'classic', funds: classic })
  exchange.join('ella', { mode: 'classic', parent: 'ann', funds: { ...futures, spot: usdt } })
  exchange.join('uma', { mode: 'unified', funds: unified })
  exchange.join('una', { mode: 'unified', parent: 'uma', funds: unified })
  exchange.join('hugo', { mode: 'hybrid', funds: { ...classic, ...unified } })
  exchange.join('nora', { mode: 'unified', funds: { uta: '0.01 BTC, 600 USDT' } })
  exchange.join('theo', { mode: 'classic', funds: classic })
  const little = { usdt_futures: '300 USDT', coin_futures: '0.006 BTC', usdc_futures: '300 USDC' }
  exchange.join('leo', { mode: 'classic', funds: { ...little, crossed_margin: '300 USDT' } })
  exchange.join('mia', { mode: 'classic', funds: { ...little, crossed_margin: '0.1 ETH' } })
  exchange.join('brook', { mode: 'classic' })
  exchange.must({ kind: 'set-broker', uid: exchange.uid('brook'), channelCode: 'brook', rebateRate: share('0.3') })
  for (const who of ['cy', 'una', 'mia']) {
    exchange.must({ kind: 'set-hold-mode', uid: exchange.uid(who), line: undefined, holdMode: 'hedge_mode' })
  }
  dare(exchange, 'leo', 'cross')
  dare(exchange, 'mia', 'isolated')
}

/** Leverage as high as it goes: a small move of the price is the end of such positions. */
function dare(exchange: Exchange, who: string, marginMode: MarginMode): void {
  const uid = exchange.uid(who)
  for (const { id } of exchange.query({ kind: 'catalog' }).instruments.filter(isFutures)) {
    exchange.must({ kind: 'set-margin-mode', uid, interface: 'v2', instrument: id, marginMode })
    const leverage = { leverage: 125, positionSide: undefined, marginMode: undefined }
    exchange.must({ kind: 'set-leverage', uid, interface: 'v2', instrument: id, ...leverage })
  }
}

/** Fills the insurance funds, which pay for what the random traders lose beyond its money. */
export function fillFunds(exchange: Exchange): void {
  for (let coin = 0; coin < coinNames.length; coin++) {
    exchange.must({ kind: 'fund-house', account: 'insurance', coin, amount: amount(100_000_000_000_000n) })
  }
}

export class RandomTraders {
  private readonly exchange: Exchange
  private readonly draw: () => number
  private readonly usd: bigint[]
  private transfers = 0

  constructor(exchange: Exchange, seed: number) {
    this.exchange = exchange
    this.usd = exchange.query({ kind: 'catalog' }).coins.map(({ listingPriceE8 }) => listingPriceE8)
    const generator = xoroshiro128plus(seed)
    for (let warmUp = 0; warmUp < 32; warmUp++) generator.next()
    this.draw = () => generator.next()
  }

  /** The next thing that somebody does; time may pass before it. */
  next(): Command {
    if (this.happens(0.02)) this.exchange.wait(this.below(2 * hourMs))
    else if (this.happens(0.3)) this.exchange.wait(this.below(secondMs))
    const kind = this.below(1000)
    if (kind < 480) return this.order()
    if (kind < 500) return this.trailing()
    if (kind < 512) return this.chain()
    if (kind < 520) return this.conversion()
    if (kind < 580) return this.amend()
    if (kind < 590) return this.closing()
    if (kind < 660) return this.trigger()
    if (kind < 740) return this.cancel()
    if (kind < 750) return this.cancelMany()
    if (kind < 800) return this.prices()
    if (kind < 840) return this.money()
    if (kind < 880) return this.transfer()
    if (kind < 910) return this.loan()
    if (kind < 950) return this.setting()
    if (kind < 960) return this.margin()
    if (kind < 975) return { kind: 'settle-funding', instrument: this.contract.id }
    if (kind < 990) return { kind: 'run-timers' }
    return this.rarely()
  }

  private get instruments(): readonly Instrument[] {
    return this.exchange.query({ kind: 'catalog' }).instruments
  }

  private get uid(): number {
    return this.exchange.uid(this.one(names))
  }

  /** A contract, with a chance of a pair. */
  private get contract(): Instrument {
    return this.happens(0.05) ? this.one(this.instruments) : this.one(this.instruments.filter(isFutures))
  }

  /** A version of the interface, mostly one that serves the account. */
  private speaks(uid: number): 'v2' | 'v3' {
    const mode = this.exchange.query({ kind: 'account', uid })?.mode
    if (mode === 'classic') return this.happens(0.02) ? 'v3' : 'v2'
    return this.one(['v2', 'v3'] as const)
  }

  /** Of two instruments out of three everybody's favourite, so that orders meet. */
  private order(): PlaceOrder {
    const instrument = this.happens(0.6) ? this.instruments[this.one([0, 4, 4, 7])] : this.one(this.instruments)
    const uid = this.uid
    const market = this.happens(0.2)
    const speaks = this.speaks(uid)
    const position = isFutures(instrument) && this.happens(0.4) ? this.position(uid, speaks, instrument) : undefined
    const closes = position === undefined ? undefined : ({ long: 'sell', short: 'buy' } as const)[position.side]
    const side = closes ?? this.one(['buy', 'sell'] as const)
    const category =
      instrument.kind === 'spot' && instrument.marginable && this.happens(0.4) ? 'MARGIN' : instrument.category
    const hedged = isFutures(instrument) && this.holdMode(uid, instrument) === 'hedge_mode'
    const v2Hedge = speaks === 'v2' && hedged
    return {
      kind: 'place-order',
      uid,
      interface: speaks,
      category,
      instrument: instrument.id,
      side: v2Hedge && position !== undefined ? ({ long: 'buy', short: 'sell' } as const)[position.side] : side,
      orderType: market ? 'market' : 'limit',
      price: market ? 0 : this.price(instrument),
      quantity: this.quantity(instrument, side, market),
      timeInForce: this.one<TimeInForce>(['gtc', 'gtc', 'gtc', 'gtc', 'gtc', 'ioc', 'fok', 'post_only']),
      positionSide: v2Hedge ? undefined : (position?.side ?? this.one(['long', 'short'] as const)),
      tradeSide: position === undefined ? this.one(['open', 'open', 'close'] as const) : 'close',
      reduceOnly: position !== undefined || this.happens(0.03),
      marginMode: this.happens(0.15) ? this.one<MarginMode>(['cross', 'isolated']) : undefined,
      marginCoin: undefined,
      stpMode: this.one<StpMode | undefined>([
        undefined,
        'none',
        'none',
        'cancel_taker',
        'cancel_maker',
        'cancel_both',
      ]),
      clientOid: this.happens(0.5) ? '' : `oid-${this.below(2000)}`,
      takeProfit: this.happens(0.1) ? this.preset(instrument) : undefined,
      stopLoss: this.happens(0.1) ? this.preset(instrument) : undefined,
      loanType: this.one(['normal', 'autoLoan', 'autoRepay', 'autoLoanAndRepay', 'autoLoanAndRepay'] as const),
      channelCode: this.one(['', '', 'brook', 'nobody']),
    } satisfies PlaceOrder
  }

  private position(uid: number, speaks: 'v2' | 'v3', { id, category }: FuturesInstrument): PositionView | undefined {
    const found = this.exchange.query({ kind: 'positions', uid, interface: speaks, line: category, instrument: id })
    return found.length === 0 ? undefined : this.one(found)
  }

  private anyPosition(uid: number, speaks: 'v2' | 'v3'): PositionView | undefined {
    const ask = { kind: 'positions', uid, interface: speaks, instrument: undefined } as const
    const found = productLines.flatMap((line) => this.exchange.query({ ...ask, line }))
    return found.length === 0 ? undefined : this.one(found)
  }

  private holdMode(uid: number, { category }: FuturesInstrument): string | undefined {
    return this.exchange.query({ kind: 'account', uid })?.holdMode[category]
  }

  /** Around the mark, on few prices, so that orders meet. */
  private price(instrument: Instrument): Ticks {
    const { markPrice } = this.exchange.query({ kind: 'prices', instrument: instrument.id })
    const step = Math.max(1, Math.floor(markPrice / 200))
    return Math.max(1, markPrice + step * (this.below(9) - 4)) as Ticks
  }

  private quantity(instrument: Instrument, side: 'buy' | 'sell', market: boolean): OrderQuantity {
    const value = BigInt(this.one([10, 100, 400, 2000, 8000, 20_000])) * BigInt(1 + this.below(100)) * 1_000_000n
    if (instrument.kind === 'spot' && side === 'buy' && market) return { unit: 'quote', amount: amount(value) }
    const price = this.usd[instrument.base]
    const base = (value * 100_000_000n) / price
    if (instrument.kind === 'inverse') {
      if (this.happens(0.4)) return { unit: 'base', amount: amount(base) }
      return { unit: 'lots', lots: Number(value / 100_000_000n) as Lots }
    }
    return { unit: 'lots', lots: Number(base / 10n ** BigInt(8 - instrument.quantityDecimals)) as Lots }
  }

  private preset(instrument: Instrument): TpslTerms {
    const by = this.one(['last', 'mark'] as const)
    return { trigger: this.price(instrument), execute: this.happens(0.4) ? this.price(instrument) : 0, by }
  }

  /** Sets, changes or takes away a trigger order: a plan, or the TP/SL of a position. */
  private trigger(): Command {
    const order = this.order()
    const { uid, category, clientOid, channelCode, stpMode, marginMode } = order
    const instrument = this.instruments[order.instrument]
    const kind = this.below(10)
    if (kind < 4) {
      const { side, quantity, positionSide, tradeSide, reduceOnly, takeProfit, stopLoss } = order
      const tpsl = { takeProfit, stopLoss, ...this.preset(instrument), execute: order.price }
      const what = { side, quantity, positionSide, tradeSide, reduceOnly, marginMode, marginCoin: undefined, stpMode }
      const where = { interface: order.interface, category, instrument: instrument.id }
      return { kind: 'place-trigger', uid, ...where, ...tpsl, ...what, clientOid, channelCode }
    }
    if (kind < 7) {
      const leg = () => {
        const quantity = this.happens(0.5) ? undefined : order.quantity
        return { ...this.preset(instrument), quantity, clientOid: this.happens(0.8) ? '' : clientOid }
      }
      const held = this.anyPosition(uid, order.interface)
      return {
        kind: 'place-position-triggers',
        uid,
        interface: order.interface,
        instrument: held?.instrument ?? instrument.id,
        marginCoin: undefined,
        positionSide: this.happens(0.5) ? held?.side : this.one([undefined, 'long', 'short'] as const),
        takeProfit: this.happens(0.7) ? leg() : undefined,
        stopLoss: this.happens(0.7) ? leg() : undefined,
        stpMode,
        channelCode,
      }
    }
    const all = { interface: order.interface, category: undefined, instrument: undefined, kinds: [] } as const
    const waiting = this.exchange.query({ kind: 'triggers', uid, ...all })
    const chosen = waiting.length === 0 ? undefined : this.one(waiting)
    const named = { orderId: chosen?.orderId, clientOid: chosen?.clientOid ?? 'none' }
    if (kind < 9) {
      const attachedTpsl = { takeProfit: undefined, stopLoss: this.happens(0.3) ? this.preset(instrument) : undefined }
      const quantity = this.happens(0.5) ? undefined : order.quantity
      return {
        kind: 'modify-trigger',
        uid,
        order: named,
        kinds: [],
        ...this.preset(instrument),
        quantity,
        ...attachedTpsl,
      }
    }
    if (this.happens(0.5)) {
      return { kind: 'cancel-trigger', uid, order: named, kinds: [], category: undefined, instrument: undefined }
    }
    return { kind: 'cancel-triggers', uid, interface: order.interface, category, instrument: instrument.id, kinds: [] }
  }

  /** A trailing order: a plan, a stop of a position, or another rate or activation price for one that waits. */
  private trailing(): Command {
    const { uid, interface: speaks, side, quantity, positionSide, tradeSide, reduceOnly, ...order } = this.order()
    const held = this.anyPosition(uid, speaks)
    const instrument = held === undefined ? this.contract : this.instruments[held.instrument]
    const { category, id } = instrument
    const trigger = this.happens(0.5) ? 0 : this.price(instrument)
    const terms = { rate: this.one([1, 20, 100, 300, 1000]), trigger, by: this.one(['last', 'mark'] as const) } as const
    const { clientOid, stpMode, marginMode, channelCode } = order
    const shared = { uid, interface: speaks, instrument: id, marginCoin: undefined, stpMode, clientOid, channelCode }
    const rates = { takeProfitRate: this.one([0, 100]), stopLossRate: this.one([0, 100]) }
    const part = this.happens(0.5) ? undefined : quantity
    const kind = this.below(10)
    if (kind < 4) {
      const what = { side, quantity, positionSide, tradeSide, reduceOnly, marginMode }
      return { kind: 'place-trailing', ...shared, category, ...terms, ...what, ...rates }
    }
    if (kind < 8) {
      return { kind: 'place-position-trailing', ...shared, positionSide: held?.side, ...terms, quantity: part }
    }
    const all = { interface: speaks, category: undefined, instrument: undefined, kinds: [] } as const
    const waiting = this.exchange.query({ kind: 'triggers', uid, ...all }).filter((other) => other.trailing)
    const orderId = waiting.length === 0 ? undefined : this.one(waiting).orderId
    const named = { orderId, clientOid: 'none' }
    return { kind: 'modify-trailing', uid, order: named, kinds: [], ...terms, quantity: part, ...rates }
  }

  /** Money over a network, to another account at once, or taken back. */
  private chain(): Command {
    const uid = this.uid
    const coin = this.below(coinNames.length)
    const network = this.one(['BTC', 'ERC20', 'TRC20', 'SOL'] as const)
    const steps = amount((this.sum(coin) / 10_000n) * 100n)
    const kind = this.below(10)
    if (kind < 3) return { kind: 'send-deposit', uid, coin, network, amount: steps }
    if (kind < 5) return { kind: 'cancel-withdrawal', uid, id: undefined, clientOid: `w-${this.transfers}` }
    const inside = this.happens(0.4)
    const { address } = depositAddress(network, coinNames[coin], this.uid)
    return {
      kind: 'request-withdrawal',
      uid,
      wallets: this.happens(0.5) ? ['uta', 'spot'] : ['spot'],
      coin,
      amount: steps,
      network: inside ? undefined : network,
      address: inside ? '' : address,
      tag: '',
      toUid: inside ? this.uid : undefined,
      clientOid: `w-${this.happens(0.1) ? this.transfers : ++this.transfers}`,
      remark: '',
    }
  }

  /** Asks the house for a price, or takes the last that it gave. */
  private conversion(): Command {
    // An exchange that only writes commands down has no replies: nobody takes a price there.
    const applied: Exchange['applied'] | undefined = this.exchange.applied
    const last = applied?.findLast(({ reply }) => reply.kind === 'conversion-quoted')
    if (last?.reply.kind === 'conversion-quoted' && last.command.kind === 'quote-conversion' && this.happens(0.5)) {
      const { uid, fromCoin, toCoin } = last.command
      const { quoteId, fromAmount, toAmount } = last.reply
      return { kind: 'convert-coins', uid, quoteId, fromCoin, toCoin, fromAmount, toAmount }
    }
    const [fromCoin, toCoin] = [this.below(coinNames.length), this.below(coinNames.length)]
    const fromAmount = this.happens(0.5) ? this.sum(fromCoin) : undefined
    const toAmount = fromAmount === undefined ? this.sum(toCoin) : undefined
    return { kind: 'quote-conversion', uid: this.uid, fromCoin, toCoin, fromAmount, toAmount }
  }

  /** Other terms for somebody's order, or a new order in its place. */
  private amend(): Command {
    const uid = this.uid
    const ask = { kind: 'open-orders', uid, interface: this.speaks(uid) } as const
    const open = this.exchange.query({ ...ask, category: undefined, instrument: undefined })
    if (open.length === 0) return this.order()
    const { orderId, clientOid, instrument: id, quantity, category } = this.one(open)
    const instrument = this.instruments[id]
    const price = this.happens(0.5) ? this.price(instrument) : undefined
    const attachedTpsl = this.happens(0.2)
      ? { takeProfit: this.preset(instrument), stopLoss: this.happens(0.5) ? this.preset(instrument) : undefined }
      : undefined
    const lots = this.happens(0.7) ? (Math.max(0, Math.floor((quantity * this.below(180)) / 100)) as Lots) : undefined
    const order = { orderId, clientOid }
    if (this.happens(0.6)) {
      const where = {
        category: this.happens(0.2) ? category : undefined,
        instrument: this.happens(0.2) ? id : undefined,
      }
      const how = { autoCancel: this.happens(0.2), requestId: '' }
      return { kind: 'amend-order', uid, order, ...where, price, quantity: lots, attachedTpsl, ...how }
    }
    const base = instrument.kind === 'inverse' && this.happens(0.4)
    return {
      kind: 'replace-order',
      uid,
      interface: ask.interface,
      order,
      categories: ['SPOT', 'MARGIN', ...productLines],
      instrument: id,
      price,
      quantity: base
        ? this.quantity(instrument, 'sell', false)
        : lots === undefined
          ? undefined
          : { unit: 'lots', lots },
      attachedTpsl,
      clientOid: this.happens(0.7) ? '' : `oid-${this.below(2000)}`,
      channelCode: this.one(['', 'brook']),
    }
  }

  /** Positions closed at once or turned round, and the switch that cancels everything. */
  private closing(): Command {
    const uid = this.uid
    const speaks = this.speaks(uid)
    const kind = this.below(10)
    if (kind < 2) return { kind: 'set-countdown', uid, ms: this.one([0, 5, 60]) * secondMs }
    const held = this.anyPosition(uid, speaks)
    const instrument = this.instruments[held?.instrument ?? this.contract.id]
    if (kind < 6 || !isFutures(instrument)) {
      return {
        kind: 'close-positions',
        uid,
        interface: speaks,
        line: isFutures(instrument) ? instrument.category : this.one(productLines),
        instrument: this.happens(0.7) ? instrument.id : undefined,
        positionSide: this.one([undefined, 'long', 'short'] as const),
        channelCode: '',
      }
    }
    const quantity = this.happens(0.5) ? undefined : this.quantity(instrument, 'sell', false)
    return {
      kind: 'reverse-position',
      uid,
      instrument: instrument.id,
      marginCoin: undefined,
      side: this.one(['buy', 'sell'] as const),
      tradeSide: this.one([undefined, 'open', 'close'] as const),
      quantity,
      clientOid: this.happens(0.7) ? '' : `oid-${this.below(2000)}`,
      channelCode: '',
    }
  }

  private cancel(): Command {
    const uid = this.uid
    const ask = { kind: 'open-orders', uid, interface: this.speaks(uid) } as const
    const open = this.exchange.query({ ...ask, category: undefined, instrument: undefined })
    const order = open.length === 0 ? undefined : this.one(open)
    const byNumber = this.happens(0.5)
    return {
      kind: 'cancel-order',
      uid: this.happens(0.05) ? this.uid : uid,
      order: { orderId: byNumber ? order?.orderId : undefined, clientOid: order?.clientOid ?? 'none' },
      category: undefined,
      instrument: undefined,
    }
  }

  private cancelMany(): Command {
    const { category, id } = this.one(this.instruments)
    const instrument = this.happens(0.5) ? id : undefined
    return { kind: 'cancel-orders', uid: this.uid, interface: this.one(['v2', 'v3'] as const), category, instrument }
  }

  /** Coins move by a percent or so; now and then one falls or jumps by much more than most margins, or a feed slips. */
  private prices(): Command {
    const coin = this.below(coinNames.length)
    if (this.happens(0.02)) return { kind: 'set-index-prices', prices: [[coin, this.usd[coin] * 5n]] }
    const listed = coinListings[coin]?.listingPriceE8
    const far = this.happens(0.1)
    const percent = BigInt(this.below(far ? 4000 : 200) - (far ? 2000 : 100))
    const moved = (this.usd[coin] * (10_000n + percent)) / 10_000n
    this.usd[coin] = moved < listed / 3n || moved > listed * 3n ? listed : moved
    return { kind: 'set-index-prices', prices: [[coin, this.usd[coin]]] }
  }

  private money(): Command {
    const coin = this.below(coinNames.length)
    const wallet = this.one(walletTypes)
    const kind = this.one(['deposit', 'withdraw', 'withdraw'] as const)
    return { kind, uid: this.uid, wallet, coin, amount: this.sum(coin) }
  }

  private transfer(): Command {
    const coin = this.happens(0.6) ? 3 : this.below(coinNames.length)
    const within = this.happens(0.5)
    const actorUid = within ? this.uid : this.exchange.uid(this.one(['ann', 'uma']))
    const family = this.exchange.query({ kind: 'sub-accounts', uid: actorUid }).map(({ uid }) => uid)
    const other = this.happens(0.1) || family.length === 0 ? this.uid : this.one(family)
    return {
      kind: 'transfer',
      actorUid,
      scope: within ? 'within-account' : 'between-accounts',
      fromUid: this.happens(0.5) || within ? actorUid : other,
      toUid: within ? actorUid : this.happens(0.5) ? actorUid : other,
      fromWallet: this.one(walletTypes),
      toWallet: this.one(walletTypes),
      coin,
      amount: this.sum(coin),
      clientOid: `t-${this.happens(0.1) ? this.transfers : ++this.transfers}`,
    }
  }

  private loan(): Command {
    const coin = this.below(coinNames.length)
    if (this.happens(0.1)) {
      const some = () => coinNames.map((_name, id) => id).filter(() => this.happens(0.5))
      return { kind: 'repay-debts', uid: this.uid, debts: some(), payments: some() }
    }
    if (this.happens(0.1)) return { kind: 'flash-repay', uid: this.uid, coin: this.happens(0.5) ? coin : undefined }
    if (this.happens(0.1)) {
      return { kind: 'set-coin-leverage', uid: this.uid, coin, leverage: this.one([1, 2, 3, 4]) }
    }
    return { kind: this.one(['borrow', 'repay'] as const), uid: this.uid, coin, amount: this.sum(coin) }
  }

  /** Money worth between a cent and some ten thousand dollars, to the last unit. */
  private sum(coin: number): Amount {
    const dollars = BigInt(this.one([1, 100, 10_000, 1_000_000])) * BigInt(1 + this.below(300)) * 1_000_000n
    return amount((dollars * 100_000_000n) / this.usd[coin] + BigInt(this.below(3)))
  }

  private setting(): Command {
    const uid = this.uid
    const instrument = this.contract.id
    const speaks = this.speaks(uid)
    const leverage = this.one([1, 3, 10, 20, 50, 100, 125, 126])
    const positionSide = this.one([undefined, 'long', 'short'] as const)
    const line = this.one(productLines)
    switch (this.below(6)) {
      case 0:
      case 1: {
        const marginMode = this.one<MarginMode | undefined>([undefined, undefined, 'cross', 'isolated'])
        return { kind: 'set-leverage', uid, interface: speaks, instrument, leverage, positionSide, marginMode }
      }
      case 2:
        return { kind: 'set-all-leverage', uid, line, leverage, instrument: undefined, positionSide }
      case 3: {
        const marginMode = this.one<MarginMode>(['cross', 'isolated'])
        return { kind: 'set-margin-mode', uid, interface: speaks, instrument, marginMode }
      }
      case 4: {
        const holdMode = this.one(['one_way_mode', 'hedge_mode'] as const)
        return { kind: 'set-hold-mode', uid, line: this.happens(0.5) ? line : undefined, holdMode }
      }
      default: {
        const stpMode = this.one<StpMode>(['none', 'cancel_taker', 'cancel_maker', 'cancel_both'])
        return { kind: 'set-stp-mode', uid, stpMode }
      }
    }
  }

  /** Margin of a position by hand, mostly of one that is there. */
  private margin(): Command {
    const uid = this.uid
    const speaks = this.speaks(uid)
    const held = this.anyPosition(uid, speaks)
    const instrument = held === undefined ? this.contract : this.instruments[held.instrument]
    const where = { uid, interface: speaks, instrument: instrument.id } as const
    if (this.happens(0.3)) return { kind: 'set-auto-margin', ...where, on: this.happens(0.5) }
    const coin = isFutures(instrument) ? instrument.settle : 3
    const units = amount(this.sum(coin) / 100n)
    const positionSide = this.happens(0.5) ? held?.side : this.one([undefined, 'long', 'short'] as const)
    return { kind: 'set-position-margin', ...where, positionSide, amount: this.happens(0.6) ? units : amount(-units) }
  }

  private rarely(): Command {
    const instrument = this.below(this.instruments.length)
    switch (this.below(10)) {
      case 0:
        return { kind: 'set-account-mode', uid: this.uid, mode: this.one(['unified', 'classic'] as const) }
      case 1: {
        const status = this.happens(0.1) ? this.one(['cancel_only', 'halted'] as const) : 'online'
        const none = {
          tiers: undefined,
          makerFeeRate: undefined,
          takerFeeRate: undefined,
          limitBand: undefined,
          marketBand: undefined,
        }
        return { kind: 'set-instrument', instrument, status, ...none }
      }
      case 2: {
        const makerFeeRate = share(this.one(['-0.0001', '0', '0.0002']))
        const none = {
          status: undefined,
          tiers: undefined,
          takerFeeRate: undefined,
          limitBand: undefined,
          marketBand: undefined,
        }
        return { kind: 'set-instrument', instrument, makerFeeRate, ...none }
      }
      case 3:
        return { kind: 'set-copy-trader', uid: this.exchange.uid('theo'), instruments: this.happens(0.5) ? [4, 5] : [] }
      case 4:
        return { kind: 'fund-house', account: 'insurance', coin: 3, amount: amount(100_000_000n) }
      case 5: {
        const coin = this.below(coinNames.length)
        const dailyInterestRate = share(this.one(['0', '0.0001', '0.001']))
        const same = { borrowLimit: undefined, lendingPoolLimit: undefined, leverageMax: undefined }
        return { kind: 'set-loan-terms', coin, borrowable: this.happens(0.9), dailyInterestRate, ...same }
      }
      case 6: {
        const same = { transfer: undefined, borrow: undefined, liquidationFee: undefined }
        const [call, liquidation] = this.one([
          ['1.3', '1.1'],
          ['1.4', '1.3'],
        ] as const)
        return { kind: 'set-margin-levels', ...same, call: share(call), liquidation: share(liquidation) }
      }
      case 7: {
        const fundingShortfall = this.one(['full', 'cap'] as const)
        const same = {
          jumpFactor: undefined,
          premiumMean: undefined,
          fundingInterestRate: undefined,
          fundingClamp: undefined,
        }
        const setting = { impactNotional: undefined, fundingIntervalHours: this.one([1, 8]) }
        const instruments = [{ instrument, fundingRateCap: share(this.one(['0.003', '0.05'])), ...setting }]
        return { kind: 'configure-pricing', fundingShortfall, ...same, coins: [], instruments }
      }
      case 8:
        return this.happens(0.1) ? this.delivery() : { kind: 'run-timers' }
      default:
        return {
          kind: 'set-instrument',
          instrument,
          status: 'online',
          tiers: undefined,
          makerFeeRate: undefined,
          takerFeeRate: undefined,
          limitBand: undefined,
          marketBand: undefined,
        }
    }
  }

  /** A contract ends at its mark or near it, for good. */
  private delivery(): Command {
    const instrument = this.one(this.instruments)
    return { kind: 'deliver', instrument: instrument.id, price: this.price(instrument) }
  }

  private below(bound: number): number {
    return (this.draw() >>> 0) % bound
  }

  private happens(probability: number): boolean {
    return this.below(1_000_000) < probability * 1_000_000
  }

  private one<T>(list: readonly T[]): T {
    return list[this.below(list.length)]
  }
}

/** Cancels everything that rests anywhere. */
export function cancelEverything(exchange: Exchange): void {
  const { instruments } = exchange.query({ kind: 'catalog' })
  const categories = new Set(['MARGIN', ...instruments.map(({ category }) => category)] as const)
  for (const who of names) {
    for (const category of categories) {
      for (const speaks of ['v2', 'v3'] as const) {
        exchange.must({
          kind: 'cancel-orders',
          uid: exchange.uid(who),
          interface: speaks,
          category,
          instrument: undefined,
        })
      }
    }
  }
}

/** Everything that anybody still holds; none after everything was canceled. */
export function holdsLeft(exchange: Exchange): string[] {
  return names.flatMap((who) =>
    walletTypes.flatMap((wallet) =>
      coinNames
        .filter((coin) => exchange.balance(who, wallet, coin).held !== 0n)
        .map((coin) => `${who} ${wallet} ${coin}`),
    ),
  )
}
