/**
 * A core with just enough of a venue in it: a catalogue, resting orders, and no matching, so that what rests is what the
 * agents put there. It checks each order as it comes.
 */
import type { Catalog, Instrument } from '../../src/engine/catalog/catalog.ts'
import { amount, type Amount, lots, rate, rateOne } from '../../src/engine/numbers/numbers.ts'
import type { Command, PlaceOrder } from '../../src/engine/protocol/command.ts'
import type { Reply } from '../../src/engine/protocol/reply.ts'
import type { Core } from '../../src/runtime/runtime.ts'

const names = ['BTC', 'ETH', 'DOGE', 'USDT', 'USDC']
const listed = [60_000, 3_000, 0.15, 1, 1]

export const coins = names.map((name, id) => ({
  id,
  name,
  listingPriceE8: BigInt(Math.round(listed[id] * 1e8)),
  borrowable: true,
  dailyInterestRate: rate(0n),
  borrowLimit: amount(0n),
  lendingPoolLimit: amount(0n),
  marginLeverageMax: 3,
  collateral: [{ to: (10n ** 18n) as Amount, ratio: rate(rateOne) }],
  debtInitialRate: rate(rateOne / 10n),
  debtMaintenanceRate: rate(rateOne / 25n),
}))

type Shape = Partial<Instrument> & Pick<Instrument, 'symbol' | 'base' | 'quote' | 'priceDecimals' | 'quantityDecimals'>

function instrument(id: number, shape: Shape): Instrument {
  const common = {
    id,
    priceStep: 1,
    quantityStep: 1,
    quantityMin: lots(1),
    quantityMax: lots(0),
    marketQuantityMax: lots(0),
    notionalMin: amount(500_000_000n),
    makerFeeRate: rate(0n),
    takerFeeRate: rate(0n),
    limitBand: rate(0n),
    marketBand: rate(0n),
    status: 'online',
    listedAt: 0,
  }
  const kind =
    shape.category === undefined
      ? { kind: 'spot', category: 'SPOT', quoteDecimals: 6, marginable: true }
      : { kind: 'linear', settle: shape.quote, leverageMin: 1, leverageMax: 125, leverageDefault: 20, tiers: [] }
  return { ...common, ...kind, ...shape } as unknown as Instrument
}

export const instruments: readonly Instrument[] = [
  instrument(0, { symbol: 'BTCUSDT', base: 0, quote: 3, priceDecimals: 2, quantityDecimals: 6 }),
  instrument(1, { symbol: 'DOGEUSDT', base: 2, quote: 3, priceDecimals: 5, quantityDecimals: 1 }),
  instrument(2, {
    symbol: 'BTCUSDT',
    category: 'USDT-FUTURES',
    base: 0,
    quote: 3,
    priceDecimals: 1,
    quantityDecimals: 4,
    quantityMax: lots(2_000),
    marketQuantityMax: lots(500),
  }),
  // Steps coarser than any spread, and a minimum above any usual quote.
  instrument(3, {
    symbol: 'ETHUSDT',
    category: 'USDT-FUTURES',
    base: 1,
    quote: 3,
    priceDecimals: 1,
    priceStep: 50,
    quantityDecimals: 2,
    quantityMin: lots(3_000),
  }),
  instrument(4, {
    kind: 'inverse',
    symbol: 'BTCUSD',
    category: 'COIN-FUTURES',
    base: 0,
    quote: -1,
    priceDecimals: 1,
    quantityDecimals: 0,
  }),
  instrument(5, {
    symbol: 'ETHPERP',
    category: 'USDC-FUTURES',
    base: 1,
    quote: 4,
    priceDecimals: 2,
    quantityDecimals: 2,
  }),
]

interface Resting extends PlaceOrder {
  readonly orderId: number
}

export class FakeVenue implements Core {
  readonly submissions: (readonly Command[])[] = []
  readonly faults: string[] = []
  /** Index prices as shown, in dollars by coin. */
  shown: readonly number[] = [0, 0, 0, 0, 0]
  answer: (command: Command) => Reply | undefined = () => undefined
  #resting: Resting[] = []
  #orderIds = 0

  get commands(): Command[] {
    return this.submissions.flat()
  }

  get orders(): PlaceOrder[] {
    return this.commands.filter((command) => command.kind === 'place-order')
  }

  restingOf(uid: number, id?: number): readonly Resting[] {
    return this.#resting.filter((order) => order.uid === uid && (id === undefined || order.instrument === id))
  }

  async submit(command: Command): Promise<Reply> {
    return (await this.submitAll([command]))[0]
  }

  async submitAll(commands: readonly Command[]): Promise<readonly Reply[]> {
    this.submissions.push(commands)
    return commands.map((command) => this.answer(command) ?? this.#apply(command))
  }

  now(): number {
    return 0
  }

  query(query: { readonly kind: string; readonly uid?: number; readonly instrument?: number }): never {
    return this.#answerTo(query) as never
  }

  #answerTo({ kind, uid, instrument: id }: { kind: string; uid?: number; instrument?: number }): unknown {
    switch (kind) {
      case 'catalog':
        return { version: 1, coins, instruments } satisfies Catalog
      case 'open-orders':
        return this.restingOf(uid!, id).map((order) => ({ ...order, bookSide: order.side }))
      case 'prices': {
        const { base, priceStep, priceDecimals } = instruments[id!]
        return { indexPrice: Math.round((this.shown[base] * 10 ** priceDecimals) / priceStep) }
      }
      case 'positions':
      case 'balances':
        return []
      case 'net-position':
        return 0
      default: {
        const prices = (side: string) => this.#resting.filter((order) => order.instrument === id && order.side === side)
        const bids = prices('buy').map((order) => [order.price, 1])
        const asks = prices('sell').map((order) => [order.price, 1])
        return { bids: bids.sort(([a], [b]) => b - a).slice(0, 1), asks: asks.sort(([a], [b]) => a - b).slice(0, 1) }
      }
    }
  }

  #apply(command: Command): Reply {
    switch (command.kind) {
      case 'cancel-order':
        this.#resting = this.#resting.filter((order) => order.orderId !== command.order.orderId)
        break
      case 'cancel-orders':
        this.#resting = this.#resting.filter(
          (order) => order.uid !== command.uid || order.category !== command.category,
        )
        break
      case 'place-order':
        this.#check(command)
        this.#orderIds += 1
        if (command.timeInForce !== 'ioc') this.#resting.push({ ...command, orderId: this.#orderIds })
        break
      case 'set-index-prices':
        this.shown = command.prices.map(([, units]) => Number(units) / 1e8)
        break
      default:
        this.faults.push(`agents do not send ${command.kind}`)
    }
    return { kind: 'done' }
  }

  #check(order: PlaceOrder): void {
    const traded = instruments[order.instrument]
    const fault = (what: string) => this.faults.push(`${traded.category} ${traded.symbol} ${order.side}: ${what}`)
    const other = this.restingOf(order.uid, traded.id).filter((resting) => resting.side !== order.side)
    const crosses = (price: number) => (order.side === 'buy' ? order.price >= price : order.price <= price)
    if (order.timeInForce === 'post_only' && other.some((resting) => crosses(resting.price))) fault('crosses its own')
    if (order.orderType === 'limit' && !(Number.isSafeInteger(order.price) && order.price > 0)) fault('price')
    if (order.quantity.unit !== 'lots') {
      if (order.quantity.amount < traded.notionalMin || order.quantity.amount % 100n !== 0n) fault('spend')
      return
    }
    const most = (order.orderType === 'market' && traded.marketQuantityMax) || traded.quantityMax || Infinity
    const { lots: quantity } = order.quantity
    if (!Number.isSafeInteger(quantity) || quantity < traded.quantityMin || quantity > most)
      fault(`quantity ${quantity}`)
    const best = order.price || this.#bestAgainst(order)
    if (!Number.isFinite(best)) return // a market order whose book was emptied just before it finds nothing
    const price = best * traded.priceStep * 10 ** -traded.priceDecimals
    const value = (quantity * (traded.kind === 'inverse' ? 1 : price)) / 10 ** traded.quantityDecimals
    if (value < Number(traded.notionalMin) / 1e8) fault(`notional ${value}`)
  }

  #bestAgainst({ instrument: id, side }: PlaceOrder): number {
    const against = this.#resting
      .filter((order) => order.instrument === id && order.side !== side)
      .map((order) => order.price)
    return side === 'buy' ? Math.min(...against) : Math.max(...against)
  }
}
