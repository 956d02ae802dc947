/**
 * The position of an account as a test wants it: through orders of that account against a house account of the laboratory.
 *
 * House     a main unified account, made and funded by ordinary commands when it is first needed; its leverage is the least
 * Price     the mark, or the one that was given; orders of others that would be met first are a refusal
 * Fees      are paid as by anybody; margin comes out of the account's own wallet
 * Source    lab.md §4.2 (cheats)
 */
import type { FuturesInstrument } from '../../engine/catalog/catalog.ts'
import {
  type Amount,
  amountDecimals,
  formatDecimal,
  type Lots,
  lots,
  type Ticks,
} from '../../engine/numbers/numbers.ts'
import type { PlaceOrder } from '../../engine/protocol/command.ts'
import type { AccountView, OpenPositionView } from '../../engine/protocol/query.ts'
import type { Interface, MarginMode, PositionSide, Side, Uid } from '../../engine/vocabulary.ts'
import { orderOf, worth } from '../../house-book/house-book.ts'
import { LabRefusal } from '../refusals.ts'
import type { Rehearsal } from '../rehearsal.ts'
import { priceText, quantityText, speakersOf } from '../things.ts'

const houseName = 'lab-house'

export interface PositionWish {
  readonly account: Pick<AccountView, 'uid' | 'mode' | 'holdMode'>
  readonly instrument: FuturesInstrument
  readonly side: PositionSide
  /** Zero closes it. */
  readonly lots: Lots
  readonly price: Ticks | undefined
  readonly leverage: number | undefined
  readonly marginMode: MarginMode | undefined
}

export function setPosition(rehearsal: Rehearsal, wish: PositionWish) {
  const { account, instrument, side } = wish
  const speaker = speakersOf(account.mode)[0]
  const price = wish.price ?? rehearsal.query({ kind: 'prices', instrument: instrument.id }).markPrice
  applySettings(rehearsal, wish, speaker)
  const isHedge = account.holdMode[instrument.category] === 'hedge_mode'
  const held = positionsOf(rehearsal, account, instrument).filter((position) => !isHedge || position.side === side)
  const signed = (of: PositionSide, quantity: number) => (of === 'long' ? quantity : -quantity)
  const now = held.reduce((sum, position) => sum + signed(position.side, position.quantity), 0)
  const change = signed(side, wish.lots) - now
  if (change !== 0) {
    checkBook(rehearsal, instrument, price)
    const bookSide: Side = change > 0 ? 'buy' : 'sell'
    const order = { side: bookSide, positionSide: isHedge ? side : undefined }
    trade(rehearsal, { account, speaker, instrument, price, quantity: Math.abs(change), bookSide, order })
  }
  const after = positionsOf(rehearsal, account, instrument)
  const reached = after.find((position) => position.side === side)?.quantity ?? 0
  if (reached !== wish.lots) {
    const message = `position: it came to ${quantityText(instrument, reached)}, not ${quantityText(instrument, wish.lots)}`
    throw new LabRefusal(409, 'position-not-reached', message)
  }
  return { positions: after.map((position) => shownPosition(instrument, position)) }
}

export function positionsOf(
  rehearsal: Pick<Rehearsal, 'query'>,
  { uid, mode }: Pick<AccountView, 'uid' | 'mode'>,
  { category, id }: Pick<FuturesInstrument, 'category' | 'id'>,
): readonly OpenPositionView[] {
  return speakersOf(mode).flatMap((speaker) =>
    rehearsal.query({ kind: 'positions', uid, interface: speaker, line: category, instrument: id }),
  )
}

export function shownPosition(instrument: FuturesInstrument, position: OpenPositionView) {
  const { side, quantity, margin, leverage, marginMode, unrealizedPnl, liquidationPrice, markPrice } = position
  return {
    symbol: instrument.symbol,
    side,
    size: quantityText(instrument, quantity),
    markPrice: priceText(instrument, markPrice),
    /** Null: there is none. */
    liquidationPrice: liquidationPrice === 0 ? null : priceText(instrument, liquidationPrice),
    margin: formatDecimal(margin, amountDecimals),
    unrealizedPnl: formatDecimal(unrealizedPnl, amountDecimals),
    leverage,
    marginMode,
  }
}

/** The number of an account of the laboratory, made when it is first needed. */
export function labAccount(rehearsal: Rehearsal, name: string): Uid {
  const found = rehearsal.query({ kind: 'accounts' }).find((known) => known.kind === 'main' && known.name === name)
  if (found !== undefined) return found.uid
  const reply = rehearsal.submit({
    kind: 'create-account',
    account: 'main',
    parentUid: undefined,
    mode: 'unified',
    name,
  })
  if (reply.kind !== 'account-created') throw new Error(`an account was answered with ${reply.kind}`)
  return reply.uid
}

/** The house with money enough for an order of such a size, at the least leverage. */
function fundedHouse(rehearsal: Rehearsal, instrument: FuturesInstrument, price: Ticks, quantity: number): Uid {
  const uid = labAccount(rehearsal, houseName)
  fund(rehearsal, uid, instrument, worth(instrument, price, quantity))
  const { id, leverageMin } = instrument
  setLeverage(rehearsal, { uid, speaker: 'v3', instrument: id, leverage: leverageMin, marginMode: undefined })
  return uid
}

export function fund(rehearsal: Rehearsal, uid: Uid, { settle }: FuturesInstrument, units: Amount): void {
  rehearsal.submit({ kind: 'deposit', uid, wallet: 'uta', coin: settle, amount: units })
}

/** The smallest order that a contract takes at its mark. */
export function leastLots(rehearsal: Rehearsal, contract: FuturesInstrument): Lots {
  const { markPrice } = rehearsal.query({ kind: 'prices', instrument: contract.id })
  let least = Math.max(1, contract.quantityMin)
  while (worth(contract, markPrice, least) < contract.notionalMin * 3n) least *= 2
  return lots(least)
}

/** No order of others may be met at the price, or they would trade in the house's place. */
export function checkBook(rehearsal: Rehearsal, instrument: FuturesInstrument, price: Ticks): void {
  const { bids, asks } = rehearsal.query({ kind: 'depth', instrument: instrument.id, limit: 1 })
  const inTheWay = [bids[0]?.[0] ?? 0, asks[0]?.[0] ?? Number.MAX_SAFE_INTEGER]
  if (price > inTheWay[0] && price < inTheWay[1]) return
  const [name, at] = price <= inTheWay[0] ? ['a bid', inTheWay[0]] : ['an ask', inTheWay[1]]
  const message =
    `price: ${name} of others at ${priceText(instrument, at)} would be met before ${priceText(instrument, price)}; ` +
    'give a price between the best bid and the best ask, or cancel those orders'
  throw new LabRefusal(409, 'orders-in-the-way', message, { field: 'position.price' })
}

export interface LabTrade {
  readonly account: Pick<AccountView, 'uid'>
  readonly speaker: Interface
  readonly instrument: FuturesInstrument
  readonly price: Ticks
  readonly quantity: number
  readonly bookSide: Side
  readonly order: Pick<PlaceOrder, 'side'> & Partial<Pick<PlaceOrder, 'positionSide'>>
}

/** The house rests alone in the book, and the account takes it; large ones in as many orders as the contract asks for. */
export function trade(
  rehearsal: Rehearsal,
  { account, speaker, instrument, price, quantity, bookSide, order }: LabTrade,
) {
  const house = fundedHouse(rehearsal, instrument, price, quantity)
  for (let left = quantity; left > 0; ) {
    const part = lots(Math.min(left, instrument.quantityMax || left))
    const limit = { orderType: 'limit', price, quantity: { unit: 'lots', lots: part } } as const
    const resting = bookSide === 'buy' ? 'sell' : 'buy'
    rehearsal.submit(orderOf(house, 'v3', instrument, { ...limit, side: resting, timeInForce: 'gtc' }))
    rehearsal.submit(orderOf(account.uid, speaker, instrument, { ...limit, ...order, timeInForce: 'ioc' }))
    left -= part
  }
  const { category, id } = instrument
  rehearsal.submit({ kind: 'cancel-orders', uid: house, interface: 'v3', category, instrument: id })
}

function applySettings(rehearsal: Rehearsal, wish: PositionWish, speaker: Interface): void {
  const { account, instrument, leverage, marginMode } = wish
  const { uid } = account
  const [now] = rehearsal.query({ kind: 'symbol-settings', uid, interface: speaker, instrument: instrument.id })
  if (marginMode !== undefined && marginMode !== now?.marginMode) {
    rehearsal.submit({ kind: 'set-margin-mode', uid, interface: speaker, instrument: instrument.id, marginMode })
  }
  if (leverage === undefined) return
  setLeverage(rehearsal, { uid, speaker, instrument: instrument.id, leverage, marginMode })
}

export function setLeverage(
  rehearsal: Rehearsal,
  of: {
    readonly uid: Uid
    readonly speaker: Interface
    readonly instrument: number
    readonly leverage: number
    readonly marginMode: MarginMode | undefined
  },
): void {
  const { uid, speaker, instrument, leverage, marginMode } = of
  const [now] = rehearsal.query({ kind: 'symbol-settings', uid, interface: speaker, instrument })
  const isThere =
    now?.leverage === leverage &&
    now.leverageLong === leverage &&
    now.leverageShort === leverage &&
    (marginMode ?? now.marginMode) === now.marginMode
  if (isThere) return
  const shared = {
    kind: 'set-leverage',
    uid,
    interface: speaker,
    instrument,
    leverage,
    positionSide: undefined,
  } as const
  rehearsal.submit({ ...shared, marginMode })
}
