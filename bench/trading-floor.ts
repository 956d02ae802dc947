/**
 * An engine with a full house for the benches: two instruments, many funded accounts, and orders that rest.
 *
 * Instruments  BTCUSDT on spot and BTCUSDT as a linear contract, as the demo venue lists them; the index stands still
 * Accounts     unified, so that spot and futures trade from one wallet; funds that no run uses up
 * Orders       prices crowd towards the touch (cube of a uniform share of `spanTicks`), buys below and sells above
 */
import type { Command, OrderId, PlaceOrder, Side, Uid } from '../src/engine/command.ts'
import { Engine } from '../src/engine/engine.ts'
import type { Event } from '../src/engine/event.ts'
import {
  type Amount,
  type Lots,
  lots,
  type Rate,
  rate,
  rateOne,
  type Ticks,
  ticks,
} from '../src/engine/numbers/numbers.ts'
import type { Reply } from '../src/engine/reply.ts'

export const traded = ['spot', 'linear'] as const
export type Traded = (typeof traded)[number]

const spanTicks = 10_000
const crossingTicks = 50
const startAt = Date.UTC(2026, 0, 1)
/** Commands that share a millisecond: about what the venue would take in one. */
const commandsPerMs = 500

const shape = {
  spot: { instrument: 0, category: 'SPOT', middle: 6_000_000, lotsMin: 100, lotsMax: 1_000 },
  linear: { instrument: 1, category: 'USDT-FUTURES', middle: 600_000, lotsMin: 1, lotsMax: 20 },
} as const

const units = (coins: number) => (BigInt(coins) * 100_000_000n) as Amount
const ppm = (share: number) => rate(BigInt(share) * 1_000_000n)

export interface Limit {
  readonly uid: Uid
  readonly side: Side
  readonly price: number
  readonly quantity: number
}

/** Sends commands one after another, each with the next sequence. */
export class TradingFloor {
  readonly engine: Engine
  readonly what: Traded
  events = 0
  onEvent: ((event: Event) => void) | undefined
  readonly #sent: Command[] | undefined

  /** All commands are added to `sent`, so that they can be given to another engine. */
  constructor(what: Traded, saved?: Uint8Array, sent?: Command[]) {
    this.what = what
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
    return this.engine.apply(command, sequence, startAt + Math.floor(sequence / commandsPerMs))
  }

  /** As `apply`, for what must not be refused. */
  do(command: Command): Reply {
    const reply = this.apply(command)
    if (reply.kind === 'refused') throw new Error(`${command.kind}: ${JSON.stringify(reply.refusal, printable)}`)
    return reply
  }

  openAccounts(count: number): Uid[] {
    return Array.from({ length: count }, () => {
      const account = { account: 'main', parentUid: undefined, mode: 'unified', name: '' } as const
      const reply = this.do({ kind: 'create-account', ...account })
      if (reply.kind !== 'account-created') throw new Error('an account was not created')
      const deposit = { kind: 'deposit', uid: reply.uid, wallet: 'uta' } as const
      this.do({ ...deposit, coin: 0, amount: units(50_000) })
      this.do({ ...deposit, coin: 1, amount: units(5) })
      return reply.uid
    })
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

  limit({ uid, side, price, quantity }: Limit): PlaceOrder {
    return this.order(uid, side, 'limit', ticks(price), { unit: 'lots', lots: lots(quantity) })
  }

  /** A spot market buy spends quote coin: about what the lots cost. */
  market(uid: Uid, side: Side, quantity: number): PlaceOrder {
    const byQuote = this.what === 'spot' && side === 'buy'
    const amount = BigInt(quantity * shape.spot.middle) as Amount
    return this.order(
      uid,
      side,
      'market',
      0,
      byQuote ? { unit: 'quote', amount } : { unit: 'lots', lots: lots(quantity) },
    )
  }

  cancel(uid: Uid, orderId: OrderId): Command {
    const order = { orderId, clientOid: '' }
    return { kind: 'cancel-order', uid, order, category: undefined, instrument: undefined }
  }

  private order(
    uid: Uid,
    side: Side,
    orderType: PlaceOrder['orderType'],
    price: Ticks | 0,
    quantity: PlaceOrder['quantity'],
  ): PlaceOrder {
    const { instrument, category } = shape[this.what]
    return {
      kind: 'place-order',
      uid,
      interface: 'v3',
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
      marginMode: undefined,
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
    this.do({ kind: 'list-coin', coin: { name: 'USDT', listingPriceE8: 100_000_000n, ...lending } })
    this.do({ kind: 'list-coin', coin: { name: 'BTC', listingPriceE8: 60_000n * 100_000_000n, ...lending } })
    const shared = {
      symbol: 'BTCUSDT',
      base: 1,
      quote: 0,
      priceStep: 1,
      quantityStep: 1,
      quantityMin: 1 as Lots,
      quantityMax: 0 as Lots,
      marketQuantityMax: 0 as Lots,
      limitBand: 0n as Rate,
      marketBand: ppm(50_000),
      status: 'online',
    } as const
    const spot = { kind: 'spot', category: 'SPOT', quoteDecimals: 6, marginable: true } as const
    this.do({
      kind: 'list-instrument',
      instrument: {
        ...shared,
        ...spot,
        priceDecimals: 2,
        quantityDecimals: 6,
        notionalMin: units(1),
        makerFeeRate: ppm(1_000),
        takerFeeRate: ppm(1_000),
      },
    })
    const contract = { kind: 'linear', category: 'USDT-FUTURES', settle: 0, sizeDecimals: 4 } as const
    const leverage = { leverageMin: 1, leverageMax: 125, leverageDefault: 20 }
    this.do({
      kind: 'list-instrument',
      instrument: {
        ...shared,
        ...contract,
        ...leverage,
        priceDecimals: 1,
        quantityDecimals: 4,
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
      },
    })
  }
}

function printable(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
