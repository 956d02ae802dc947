/**
 * The order that a trigger order becomes when its price is reached.
 *
 * Closing   a position's take-profit or stop-loss is cut to the position and only reduces, so that it never flips
 * Source    interface.md E3 presets; risk-engine.md §18.3
 */
import { big, type Lots, priceTicksMax, type Ticks } from '../numbers/numbers.ts'
import type { PlaceOrder } from '../protocol/command.ts'
import { quantityOf } from '../records/records.ts'
import { positionQuantity, tpslTermsOf, type Reading, triggerCodes } from '../state/state.ts'
import type { Row } from '../storage/storage.ts'
import { type OrderQuantity, type PositionSide, rateWhole, type TpslTerms } from '../vocabulary.ts'
import { plainOrder } from './plain-order.ts'

/** The order as it was sent when the plan was made. */
export function planOrder(reading: Reading, row: Row): PlaceOrder {
  const { triggers } = reading
  return {
    ...anyOrder(reading, row, quantityOf(reading, row)),
    side: triggerCodes.bookSide[triggers.side.at(row)],
    loanType: 'autoLoanAndRepay',
    positionSide: triggers.positionSideOf(row),
    tradeSide: triggerCodes.tradeSide[triggers.tradeSide.at(row)],
    reduceOnly: triggers.reduceOnly.at(row) === 1,
    takeProfit: tpslTermsOf(
      triggers.takeProfitTrigger.at(row),
      triggers.takeProfitExecute.at(row),
      triggers.takeProfitBy.at(row),
    ),
    stopLoss: tpslTermsOf(
      triggers.stopLossTrigger.at(row),
      triggers.stopLossExecute.at(row),
      triggers.stopLossBy.at(row),
    ),
  }
}

/** As the plan would, at market; the take-profit and stop-loss lie their rates from the last price. */
export function trailingOrder(reading: Reading, row: Row): PlaceOrder {
  const { triggers, trailing, prices } = reading
  const trail = trailing.find(row)
  const instrument = triggers.instrument.at(row)
  const last = prices.lastPrice(instrument) || prices.markPrice(instrument)
  const opensLong = triggers.sideOf(row) === 'buy'
  return {
    ...planOrder(reading, row),
    takeProfit: distantTpsl(last, trailing.takeProfitRate.at(trail), opensLong),
    stopLoss: distantTpsl(last, trailing.stopLossRate.at(trail), !opensLong),
  }
}

/** So far above a price, or below it, down to whole ticks: none where that is no price. */
function distantTpsl(from: number, rate: number, above: boolean): TpslTerms | undefined {
  if (rate === 0) return undefined
  const scaled = from * (rateWhole + (above ? rate : -rate))
  const trigger = (scaled - (scaled % rateWhole)) / rateWhole
  return trigger < 1 || trigger > priceTicksMax ? undefined : { trigger: trigger as Ticks, execute: 0, by: 'last' }
}

/** Closes all of the position, or the quantity that was set. In hedge mode v2 names it by its direction (design §4.11). */
export function closingOrder(reading: Reading, row: Row, open: number): PlaceOrder {
  const { triggers } = reading
  const lots = (triggers.isWhole(row) ? open : Math.min(open, triggers.quantity.at(row))) as Lots
  const order = anyOrder(reading, row, { unit: 'lots', lots })
  const position = triggers.positionSideOf(row)
  const hedged = triggerCodes.holdMode[triggers.holdMode.at(row)] === 'hedge_mode'
  const byDirection = hedged && order.interface === 'v2'
  return {
    ...order,
    side: (position === 'long') === byDirection ? 'buy' : 'sell',
    positionSide: byDirection ? undefined : position,
    tradeSide: 'close',
    reduceOnly: true,
  }
}

/** Lots of the position that a take-profit or stop-loss closes; zero: there is none. */
export function tpslQuantity(reading: Reading, row: Row): number {
  const { triggers } = reading
  const exposure = reading.futures.find(triggers.account.at(row), triggers.walletOf(row), triggers.instrument.at(row))
  return exposure === undefined ? 0 : positionQuantity(exposure, triggers.positionSideOf(row) as PositionSide)
}

/** Sells the base coin, or buys back for the quote coin. At market all of it, at a limit the whole lots that it pays for. */
export function spotTpslOrder(reading: Reading, row: Row): PlaceOrder {
  const { triggers } = reading
  const execute = big(triggers.execute.at(row))
  const quantity = quantityOf(reading, row)
  const { unit } = reading.scale(triggers.instrument.at(row))
  const byLots = quantity.unit === 'quote' && execute > 0n
  const lots = byLots ? (Number(quantity.amount / (execute * unit)) as Lots) : undefined
  return {
    ...anyOrder(reading, row, lots === undefined ? quantity : { unit: 'lots', lots }),
    side: triggers.sideOf(row),
    loanType: 'autoLoanAndRepay',
  }
}

/** What every triggered order takes from its row; `side` is only a placeholder. */
function anyOrder(reading: Reading, row: Row, quantity: OrderQuantity): PlaceOrder {
  const { triggers } = reading
  const execute = triggers.execute.at(row) as Ticks | 0
  return {
    ...plainOrder,
    uid: reading.accounts.byHandle(triggers.account.at(row)).uid,
    interface: triggerCodes.speaker[triggers.speaker.at(row)],
    category: triggerCodes.category[triggers.category.at(row)],
    instrument: triggers.instrument.at(row),
    side: 'buy',
    orderType: execute === 0 ? 'market' : 'limit',
    price: execute,
    quantity,
    timeInForce: 'gtc',
    marginMode: triggerCodes.marginMode[triggers.marginMode.at(row)],
    stpMode: triggerCodes.stpMode[triggers.stpMode.at(row)],
    channelCode: triggers.channelCode[row],
  }
}
