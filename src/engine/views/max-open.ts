/**
 * What a leverage would need and allow, and how many lots an amount opens, for queries.
 *
 * Source  risk-engine.md §11; wire/client-endpoints.md §4 `open-count`
 */
import { leverageNeed, type LeverageWish } from '../account-rules/account-rules.ts'
import { largest, manyLots, quotient } from '../admission/admission.ts'
import type { FuturesInstrument, InstrumentId } from '../catalog/catalog.ts'
import { marginAccountAvailable, orderCost, tierLeverageMax } from '../margin/margin.ts'
import { type Amount, big, cappedAmount, type Lots, type Ticks } from '../numbers/numbers.ts'
import type { LeveragePreview } from '../protocol/query.ts'
import type { Refusal } from '../protocol/reply.ts'
import type { Reading } from '../state/state.ts'
import type { Interface, PositionSide, Uid } from '../vocabulary.ts'

/** Lots that an amount of margin opens at a price and leverage, whatever the account has: v2 `open-count`. */
export function openCount(
  reading: Reading,
  id: InstrumentId,
  { amount, price, leverage }: { readonly amount: Amount; readonly price: Ticks; readonly leverage: number },
): Lots {
  const instrument = reading.instrument(id) as FuturesInstrument
  const cost = (lots: number) => orderCost(reading, instrument, { quantity: lots as Lots, price, leverage })
  const fits = (lots: number) => {
    const leverageMax = tierLeverageMax(instrument, reading.scale(id), lots as Lots, reading.prices.markPrice(id))
    return cost(lots) <= amount && leverage <= leverageMax
  }
  return largest(fits, quotient(amount * big(manyLots), cost(manyLots))) as Lots
}

/**
 * What a leverage would need of an account, and how many more lots it could then open at the mark price. Of the two sides,
 * the one that can open fewer counts.
 */
export function leveragePreview(
  reading: Reading,
  ask: { readonly uid: Uid; readonly interface: Interface; readonly instrument: InstrumentId } & LeverageWish,
): LeveragePreview | Refusal {
  const need = leverageNeed(reading, ask)
  if ('kind' in need) return need
  const { exposure, required, change } = need
  const instrument = reading.instrument(ask.instrument) as FuturesInstrument
  const mark = reading.prices.markPrice(instrument.id)
  const available = marginAccountAvailable(reading, exposure.account, exposure.wallet, instrument.settle) - change
  const mostAt = (leverage: number, side: PositionSide) => {
    const [position, opening] =
      side === 'long' ? [exposure.long, exposure.buyQuantity] : [exposure.short, exposure.sellQuantity]
    const held = (position?.quantity ?? 0) + opening
    const cost = (lots: number) => orderCost(reading, instrument, { quantity: lots as Lots, price: mark, leverage })
    const fits = (lots: number) => {
      const leverageMax = tierLeverageMax(instrument, reading.scale(instrument.id), (held + lots) as Lots, mark)
      const isOneOrder = instrument.quantityMax === 0 || lots <= instrument.quantityMax
      return isOneOrder && cost(lots) <= available && leverage <= leverageMax
    }
    return largest(fits, quotient(available * big(manyLots), cost(manyLots)))
  }
  const most = Math.min(mostAt(ask.long, 'long'), mostAt(ask.short, 'short'))
  return { maxOpen: most as Lots, required: cappedAmount(required), change: cappedAmount(change) }
}
