/**
 * An engine with a full house for the benches: instruments, many funded accounts, and orders that rest.
 *
 * Instruments  bitcoin on spot, as a linear and as an inverse contract, as the demo venue lists them; the index stands still.
 *              More linear contracts where a bench wants them, over up to 200 coins with bitcoin's price
 * Accounts     unified, so that everything trades from one wallet, or classic; funds that no run uses up
 * Orders       prices crowd towards the touch (cube of a uniform share of `spanTicks`), buys below and sells above
 */
import type { CoinId, InstrumentId } from '../src/engine/catalog/catalog.ts'
import { Engine } from '../src/engine/engine.ts'
import {
  type Amount,
  lots,
  type Lots,
  rate,
  type Rate,
  rateOne,
  ticks,
  type Ticks,
} from '../src/engine/numbers/numbers.ts'
import type { Command, PlaceOrder } from '../src/engine/protocol/command.ts'
import type { Event } from '../src/engine/protocol/event.ts'
import type { Reply } from '../src/engine/protocol/reply.ts'
import type { OrderId, Side, Uid } from '../src/engine/vocabulary.ts'

export type Traded = 'spot' | 'linear' | 'inverse'

const spanTicks = 10_000
const crossingTicks = 50
const startAt = Date.UTC(2026, 0, 1)
/** Coins under contracts; a venue lists 256 coins. */
const coinsMax = 200
/** Commands that share a millisecond: about what the venue would take in one. */
const commandsPerMs = 500

/** `wallets` are those of a classic account. */
const shape = {
  spot: { instrument: 0, category: 'SPOT', wallets: ['spot', 'spot'], middle: 6_000_000, lotsMin: 100, lotsMax: 1_000 },
  linear: {
    instrument: 1,
    category: 'USDT-FUTURES',
    wallets: ['usdt_futures'],
    middle: 600_000,
    lotsMin: 1,
    lotsMax: 20,
  },
  inverse: {
    instrument: 2,
    category: 'COIN-FUTURES',
    wallets: [undefined, 'coin_futures'],
    middle: 600_000,
    lotsMin: 6,
    lotsMax: 120,
  },
} as const
const [usdt, btc] = [0, 1]

const units = (coins: number) => (BigInt(coins) * 100_000_000n) as Amount
const ppm = (share: number) => rate(BigInt(share) * 1_000_000n)

export interface Limit {
  readonly uid: Uid
  readonly side: Side
  readonly price: number
  readonly quantity: number
  /** Undefined: that of the floor. */
  readonly instrument?: InstrumentId
}

interface FloorOptions {
  readonly mode?: 'unified' | 'classic'
  /** Of orders for contracts; undefined: as the account has it, which is cross. */
  readonly marginMode?: 'isolated' | undefined
  /** Begins with this state. */
  readonly saved?: readonly Uint8Array[]
  /** All commands are added to it, so that they can be given to another engine. */
  readonly sent?: Command[]
}

/** Sends commands one after another, each with the next sequence. */
export class TradingFloor {
  readonly engine: Engine
  /** What its orders are for from now on. */
  what: Traded
  events = 0
  onEvent: ((event: Event) => void) | undefined
  readonly mode: 'unified' | 'classic'
  readonly marginMode: 'isolated' | undefined
  readonly #sent: Command[] | undefined
  #waitedMs = 0

  constructor(what: Traded, { mode = 'unified', marginMode, saved, sent }: FloorOptions = {}) {
    this.what = what
    this.mode = mode
    this.marginMode = marginMode
    this.#sent = sent
    const emit = (event: Event) => {
      this.events++
      this.onEvent?.(event)
    }
    this.engine = saved === undefined ? new Engine(emit) : Engine.load(saved, emit)
    if (saved === undefined) this.list()
  }

  apply(command: Command): Reply {
    this.#sent?.push(command)
    const sequence = this.engine.sequence + 1
    return this.engine.apply(command, sequence, this.now)
  }

  /** As one batch of a venue's: the engine gets ready for some at a time. */
  applyAll(commands: readonly Command[], hear: (reply: Reply, place: number) => void): void {
    let prefetched = 0
    for (let place = 0; place < commands.length; place++) {
      if (place === prefetched) prefetched = this.engine.prefetch(commands, place)
      hear(this.apply(commands[place]), place)
    }
  }

  /** Of the next command. */
  get now(): number {
    return startAt + this.#waitedMs + Math.floor((this.engine.sequence + 1) / commandsPerMs)
  }

  /** Time passes before the next command. */
  wait(ms: number): void {
    this.#waitedMs += ms
  }

  /** As `apply`, for what must not be refused. */
  do(command: Command): Reply {
    const reply = this.apply(command)
    if (reply.kind === 'refused') throw new Error(`${command.kind}: ${JSON.stringify(reply.refusal, printable)}`)
    return reply
  }

  openAccounts(count: number): Uid[] {
    return Array.from({ length: count }, () => {
      const { mode } = this
      const reply = this.do({ kind: 'create-account', account: 'main', parentUid: undefined, mode, name: '' })
      if (reply.kind !== 'account-created') throw new Error('an account was not created')
      const { uid } = reply
      const [ofUsdt, ofBtc] = mode === 'unified' ? (['uta', 'uta'] as const) : shape[this.what].wallets
      if (ofUsdt) this.do({ kind: 'deposit', uid, wallet: ofUsdt, coin: usdt, amount: units(20_000) })
      if (ofBtc) this.do({ kind: 'deposit', uid, wallet: ofBtc, coin: btc, amount: units(5) })
      return uid
    })
  }

  /** Each two buy and sell of each other, once; the pairs take these contracts in turn. `uids` are even in number. */
  openPositions(draw: () => number, uids: readonly Uid[], contracts: readonly InstrumentId[]): void {
    const price = shape[this.what].middle
    for (let index = 0; index + 1 < uids.length; index += 2) {
      const order = { price, quantity: this.drawLots(draw), instrument: contracts[(index / 2) % contracts.length] }
      this.do(this.limit({ ...order, uid: uids[index], side: 'sell' }))
      this.do(this.limit({ ...order, uid: uids[index + 1], side: 'buy' }))
    }
  }

  /** Linear contracts, the first of them bitcoin's, and the coins that their indexes follow. */
  listContracts(count: number): { readonly contracts: InstrumentId[]; readonly coins: CoinId[] } {
    const contracts: InstrumentId[] = [shape.linear.instrument]
    const coins: CoinId[] = [btc]
    for (let number = 1; number < count; number++) {
      const coin = btc + (number % coinsMax)
      if (number < coinsMax) {
        coins.push(coin)
        this.do({ kind: 'list-coin', coin: { name: `C${number}`, listingPriceE8: bitcoinE8, ...lending } })
      }
      contracts.push(shape.inverse.instrument + number)
      this.do({ kind: 'list-instrument', instrument: linear(`C${number}USDT`, coin) })
    }
    return { contracts, coins }
  }

  /** Another floor in the same state. */
  copy(): TradingFloor {
    const { mode, marginMode } = this
    return new TradingFloor(this.what, { mode, marginMode, saved: this.engine.save() })
  }

  get instrument(): InstrumentId {
    return shape[this.what].instrument
  }

  /** Where bids and asks meet. */
  get middle(): number {
    return shape[this.what].middle
  }

  /** A limit order far from meeting another, drawn. */
  drawResting(draw: () => number, uid: Uid): Limit {
    const { middle } = shape[this.what]
    const side: Side = draw() < 0.5 ? 'buy' : 'sell'
    const away = 1 + Math.floor(spanTicks * draw() ** 3)
    return { uid, side, price: side === 'buy' ? middle - away : middle + away, quantity: this.drawLots(draw) }
  }

  /** A limit order that meets what rests near the touch, drawn; what it does not find rests. */
  drawCrossing(draw: () => number, uid: Uid): Limit {
    const { middle } = shape[this.what]
    const side: Side = draw() < 0.5 ? 'buy' : 'sell'
    const through = Math.floor(draw() * crossingTicks)
    return { uid, side, price: side === 'buy' ? middle + through : middle - through, quantity: this.drawLots(draw) }
  }

  drawLots(draw: () => number): number {
    const { lotsMin, lotsMax } = shape[this.what]
    return lotsMin + Math.floor(draw() * (lotsMax - lotsMin))
  }

  limit({ uid, side, price, quantity, instrument }: Limit): PlaceOrder {
    return this.order(uid, side, ticks(price), { unit: 'lots', lots: lots(quantity) }, instrument)
  }

  /** A spot market buy spends quote coin: about what the lots cost. */
  market(uid: Uid, side: Side, quantity: number): PlaceOrder {
    const byQuote = this.what === 'spot' && side === 'buy'
    const amount = BigInt(quantity * shape.spot.middle) as Amount
    return this.order(uid, side, 0, byQuote ? { unit: 'quote', amount } : { unit: 'lots', lots: lots(quantity) })
  }

  cancel(uid: Uid, orderId: OrderId): Command {
    const order = { orderId, clientOid: '' }
    return { kind: 'cancel-order', uid, order, category: undefined, instrument: undefined }
  }

  /** `price` 0: at market. */
  private order(
    uid: Uid,
    side: Side,
    price: Ticks | 0,
    quantity: PlaceOrder['quantity'],
    instrument: InstrumentId = shape[this.what].instrument,
  ): PlaceOrder {
    const { category } = shape[this.what]
    const orderType = price === 0 ? 'market' : 'limit'
    return {
      kind: 'place-order',
      uid,
      interface: this.mode === 'unified' ? 'v3' : 'v2',
      category,
      instrument,
      side,
      orderType,
      price,
      quantity,
      timeInForce: orderType === 'market' ? 'ioc' : 'gtc',
      positionSide: undefined,
      tradeSide: undefined,
      reduceOnly: false,
      marginMode: category === 'SPOT' ? undefined : this.marginMode,
      marginCoin: undefined,
      stpMode: undefined,
      clientOid: '',
      takeProfit: undefined,
      stopLoss: undefined,
      loanType: 'normal',
      channelCode: '',
    }
  }

  private list(): void {
    this.do({ kind: 'list-coin', coin: { name: 'USDT', listingPriceE8: 100_000_000n, ...lending } })
    this.do({ kind: 'list-coin', coin: { name: 'BTC', listingPriceE8: bitcoinE8, ...lending } })
    this.do({ kind: 'list-instrument', instrument: spot })
    this.do({ kind: 'list-instrument', instrument: linear('BTCUSDT', btc) })
    this.do({ kind: 'list-instrument', instrument: inverse })
  }
}

const bitcoinE8 = 60_000n * 100_000_000n

const lending = {
  borrowable: true,
  dailyInterestRate: ppm(100),
  borrowLimit: units(1_000_000),
  lendingPoolLimit: units(100_000_000),
  marginLeverageMax: 3,
  collateral: [{ to: units(1_000_000_000), ratio: rate(rateOne) }],
  debtInitialRate: ppm(100_000),
  debtMaintenanceRate: ppm(40_000),
}

const everyInstrument = {
  priceStep: 1,
  quantityStep: 1,
  quantityMin: 1 as Lots,
  quantityMax: 0 as Lots,
  marketQuantityMax: 0 as Lots,
  limitBand: 0n as Rate,
  marketBand: ppm(50_000),
  status: 'online',
} as const

const everyContract = {
  sizeDecimals: 4,
  leverageMin: 1,
  leverageMax: 125,
  leverageDefault: 20,
  priceDecimals: 1,
  notionalMin: units(5),
  makerFeeRate: ppm(200),
  takerFeeRate: ppm(600),
  tiers: [
    { from: units(0), to: units(200_000), leverageMax: 125, maintenanceRate: ppm(4_000) },
    { from: units(200_000), to: units(1_000_000), leverageMax: 100, maintenanceRate: ppm(5_000) },
    { from: units(1_000_000), to: units(5_000_000), leverageMax: 50, maintenanceRate: ppm(10_000) },
    { from: units(5_000_000), to: units(20_000_000), leverageMax: 25, maintenanceRate: ppm(20_000) },
  ],
  fundingIntervalHours: 8,
  fundingRateCap: ppm(3_000),
}

const spot = {
  ...everyInstrument,
  kind: 'spot',
  category: 'SPOT',
  symbol: 'BTCUSDT',
  base: btc,
  quote: usdt,
  quoteDecimals: 6,
  marginable: true,
  priceDecimals: 2,
  quantityDecimals: 6,
  notionalMin: units(1),
  makerFeeRate: ppm(1_000),
  takerFeeRate: ppm(1_000),
} as const

function linear(symbol: string, base: CoinId) {
  const margin = { category: 'USDT-FUTURES', quote: usdt, settle: usdt, quantityDecimals: 4 } as const
  return { ...everyInstrument, ...everyContract, ...margin, kind: 'linear', symbol, base } as const
}

/** In contracts of one dollar. */
const inverse = {
  ...everyInstrument,
  ...everyContract,
  kind: 'inverse',
  category: 'COIN-FUTURES',
  symbol: 'BTCUSD',
  base: btc,
  quote: -1,
  settle: btc,
  quantityDecimals: 0,
} as const

function printable(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
