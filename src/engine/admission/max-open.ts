/**
 * How much an account can open: the largest order that admission accepts.
 *
 * Formula   maxOpen = floor_lot(avail / (p/L·(1 + k1) + p·f·(1 + k2) + openLossPerUnit)) is where the search begins: what
 *           reduces first, tiers, maximums and rounding are admission's own (futures.ts), so that both agree
 * Market    no more than the book has within the protection band: the rest would be canceled
 * Holds     nothing is written; an order of the answer is accepted, and one of a lot more is not, or does not fill whole
 * Source    risk-engine.md §11; wire/v3-endpoints.md §3
 */
import { plainly } from './intake.ts'
import { bestPrice } from '../book/book.ts'
import { type FuturesInstrument, type InstrumentId, isFutures } from '../catalog/catalog.ts'
import { marginAccountAvailable, orderHold } from '../margin/margin.ts'
import { type Amount, big, type Lots, maxAmount, type Ticks, zero } from '../numbers/numbers.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import type { MaxOpenView } from '../protocol/query.ts'
import type { Refusal } from '../protocol/reply.ts'
import { readingWallet, tradingWallet } from '../records/records.ts'
import { type Account, leverageOf, positionQuantity, type Reading } from '../state/state.ts'
import type { Interface, Side, Uid, WalletType } from '../vocabulary.ts'
import { priceLimit } from './checks.ts'
import { admitFutures } from './futures.ts'
import { refuseByLimits, refuseUnannounced } from './limits.ts'
import { matchTaker } from './matching.ts'
import { plainOrder } from './plain-order.ts'

interface MaxOpenAsk {
  readonly uid: Uid
  readonly interface: Interface
  readonly instrument: InstrumentId
  /** Zero: at market. */
  readonly price: Ticks | 0
  /** What an order of so many lots would cost is answered as well; undefined: it is not asked. */
  readonly size: Lots | undefined
}

interface Asking {
  readonly reading: Reading
  readonly account: Account
  readonly wallet: WalletType
  readonly instrument: FuturesInstrument
  readonly price: Ticks | 0
  readonly hedged: boolean
  readonly version: Interface
}

export function maxOpen(reading: Reading, ask: MaxOpenAsk): MaxOpenView | undefined {
  const account = reading.accounts.byUid(ask.uid)
  const instrument = reading.catalog.instruments[ask.instrument]
  if (account === undefined || instrument === undefined || !isFutures(instrument)) return undefined
  const asking: Asking = {
    reading,
    account,
    wallet: readingWallet(account, ask.interface, instrument.category),
    instrument,
    price: ask.price,
    hedged: account.holdMode[instrument.category] === 'hedge_mode',
    version: ask.interface,
  }
  const side = (of: Side) => ({
    most: mostOf(asking, of),
    cost: ask.size === undefined ? undefined : costOf(asking, of, ask.size),
  })
  return { available: availableOf(asking), buy: side('buy'), sell: side('sell') }
}

function availableOf({ reading, account, wallet, instrument }: Asking): Amount {
  return maxAmount(zero, marginAccountAvailable(reading, account.handle, wallet, instrument.settle))
}

function leverageFor({ reading, account, wallet, instrument, hedged }: Asking, side: Side): number {
  const exposure = reading.futures.findOrNew(account.handle, wallet, instrument)
  return leverageOf(exposure, side === 'buy' ? 'long' : 'short', hedged)
}

/** What an opening order holds, at its price; at market at the worst price that it would meet. */
function costOf(asking: Asking, side: Side, quantity: Lots): Amount {
  const { reading, instrument } = asking
  const price = asking.price === 0 ? worstPrice(asking, side, quantity) : asking.price
  const leverage = leverageFor(asking, side)
  return orderHold(reading, instrument, { long: side === 'buy', quantity, price, leverage })
}

function worstPrice({ reading, account, wallet, instrument }: Asking, side: Side, quantity: Lots): Ticks {
  const match = matchTaker(reading, {
    instrument,
    scale: reading.scale(instrument.id),
    side,
    account: account.handle,
    wallet,
    main: account.main,
    stpMode: account.stpMode,
    priceLimit: priceLimit(reading, instrument, side, 0),
    quantity,
    budget: undefined,
  })
  return match.filled > 0 ? (match.worstPrice as Ticks) : reading.prices.markPrice(instrument.id)
}

/** Orders that are refused for being small say nothing of larger ones. */
const tooSmall: ReadonlySet<Refusal['kind']> = new Set(['quantity-below-minimum', 'notional-below-minimum'])

function mostOf(asking: Asking, side: Side): Lots {
  if (!mayTrade(asking, side)) return 0 as Lots
  const most = largest(
    (lots) => {
      const answer = admission(asking, side, lots)
      return answer === 'fits' || answer === 'small'
    },
    guess(asking, side),
  )
  return (admission(asking, side, most) === 'fits' ? most : 0) as Lots
}

/** Whether any order of the account is taken here at all. */
function mayTrade(asking: Asking, side: Side): boolean {
  const { reading, account, instrument, version, price } = asking
  if (account.frozen) return false
  if (tradingWallet(account, version, instrument.category) !== asking.wallet) return false
  if (instrument.status !== 'online') return false
  const order = orderOf(asking, side, 1)
  const limits = { clientOid: '', resting: price === 0 ? 0 : 1 }
  return (
    refuseUnannounced(account, instrument, order) === undefined &&
    refuseByLimits(reading, account, instrument, limits) === undefined
  )
}

function admission(asking: Asking, side: Side, lots: number): 'fits' | 'small' | 'refused' {
  const { reading, account, wallet, instrument, price } = asking
  const admitted = admitFutures(reading, {
    account,
    wallet,
    instrument,
    scale: reading.scale(instrument.id),
    command: orderOf(asking, side, lots),
    cause: 'user',
    placing: plainly,
  })
  if ('kind' in admitted) return tooSmall.has(admitted.kind) ? 'small' : 'refused'
  return price === 0 && admitted.match.filled < lots ? 'refused' : 'fits'
}

function orderOf({ account, instrument, price, hedged, version }: Asking, side: Side, lots: number): PlaceOrder {
  return {
    ...plainOrder,
    uid: account.uid,
    interface: version,
    category: instrument.category,
    instrument: instrument.id,
    side,
    orderType: price === 0 ? 'market' : 'limit',
    price,
    quantity: { unit: 'lots', lots: lots as Lots },
    timeInForce: price === 0 ? 'ioc' : 'gtc',
    positionSide: hedged ? (side === 'buy' ? 'long' : 'short') : undefined,
  }
}

/** Enough lots that the rounding of their cost does not matter. */
export const manyLots = 1000 as Lots

/** The formula, and what the order would only reduce. */
function guess(asking: Asking, side: Side): number {
  const { reading, account, wallet, instrument, hedged } = asking
  const best = bestPrice(reading.book(instrument.id), side === 'buy' ? 'sell' : 'buy')
  const price = asking.price || (best as Ticks) || reading.prices.markPrice(instrument.id)
  const leverage = leverageFor(asking, side)
  const cost = orderHold(reading, instrument, { long: side === 'buy', quantity: manyLots, price, leverage })
  const opening = quotient(availableOf(asking) * big(manyLots), cost)
  const exposure = reading.futures.findOrNew(account.handle, wallet, instrument)
  return opening + (hedged ? 0 : positionQuantity(exposure, side === 'buy' ? 'short' : 'long'))
}

/** A rebate above the margin makes an order cost nothing: then any guess is as good. */
export function quotient(dividend: bigint, divisor: bigint): number {
  return divisor > 0n ? Number(dividend / divisor) : 1
}

/** Beyond it no quantity is taken. */
const lotsMost = Number.MAX_SAFE_INTEGER

/** The largest whole number that fits, where whatever is smaller than one that fits does too; 0 without asking. */
export function largest(fits: (lots: number) => boolean, from: number): number {
  let low = 0
  let high = lotsMost
  let probe = Math.min(Math.max(from, 1), lotsMost - 1)
  // Away from the guess in steps that double, until the answer lies between two that were asked.
  for (let step = 1; low < probe && probe < high; step *= 2) {
    if (fits(probe)) {
      low = probe
      probe = Math.min(probe + step, lotsMost - 1)
    } else {
      high = probe
      probe -= step
    }
  }
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}
