/**
 * Liquidations as a table. Their facts (positions and balances as found, steps) are nested and only ever read whole, so
 * each list is one text: JSON in which `12n` is a bigint. What was offered to the book of which contract is a table besides,
 * for that is public.
 */
import type { InstrumentId } from '../engine/catalog/catalog.ts'
import { type Lots, lots, type Millis, type Ticks, ticks } from '../engine/numbers/numbers.ts'
import type { Liquidation } from '../engine/protocol/event.ts'
import type { PositionSide } from '../engine/vocabulary.ts'
import { type CellsOf, columnKinds, whole } from './columns.ts'

const liquidation = columnKinds<Liquidation>()

export const liquidationColumns = {
  liquidation_id: liquidation.number((row) => row.liquidationId),
  uid: liquidation.owner((row) => row.uid),
  wallet: liquidation.word((row) => row.wallet),
  pool: liquidation.word((row) => row.pool),
  coin_id: liquidation.optional((row) => row.coin),
  // In 1e-12 of a unit these may lie beyond 64 bits.
  equity: liquidation.text((row) => String(row.equity)),
  maintenance: liquidation.text((row) => String(row.maintenance)),
  positions: liquidation.text((row) => factsText(row.positions)),
  balances: liquidation.text((row) => factsText(row.balances)),
  steps: liquidation.text((row) => factsText(row.steps)),
  first_order_id: liquidation.number((row) => row.firstOrder),
  last_order_id: liquidation.number((row) => row.lastOrder),
  first_flow_id: liquidation.number((row) => row.firstFlow),
  at_ms: liquidation.number((row) => row.at),
}

export function readLiquidation(cells: CellsOf<typeof liquidationColumns>): Liquidation {
  return {
    kind: 'liquidation',
    liquidationId: whole(cells.liquidation_id),
    uid: whole(cells.uid),
    wallet: cells.wallet,
    pool: cells.pool,
    coin: cells.coin_id === null ? undefined : whole(cells.coin_id),
    equity: BigInt(cells.equity),
    maintenance: BigInt(cells.maintenance),
    positions: readFacts(cells.positions),
    balances: readFacts(cells.balances),
    steps: readFacts(cells.steps),
    firstOrder: whole(cells.first_order_id),
    lastOrder: whole(cells.last_order_id),
    firstFlow: whole(cells.first_flow_id),
    at: whole(cells.at_ms),
  }
}

/** What a liquidation offered to the book. */
export interface LiquidationOffer {
  readonly liquidationId: number
  readonly instrument: InstrumentId
  readonly side: PositionSide
  readonly quantity: Lots
  /** The bankruptcy price. */
  readonly price: Ticks
  readonly at: Millis
}

export function offersOf({ liquidationId, steps, at }: Liquidation): LiquidationOffer[] {
  const offers = steps.filter(({ kind }) => kind === 'reduce' || kind === 'close')
  return offers.map(({ instrument, side, quantity, price }) => ({
    liquidationId,
    instrument,
    side,
    quantity,
    price: price as Ticks,
    at,
  }))
}

const offer = columnKinds<LiquidationOffer>()

export const offerColumns = {
  liquidation_id: offer.number((row) => row.liquidationId),
  instrument_id: offer.number((row) => row.instrument),
  side: offer.word((row) => row.side),
  quantity_lots: offer.number((row) => row.quantity),
  price_ticks: offer.number((row) => row.price),
  at_ms: offer.number((row) => row.at),
}

export function readOffer(cells: CellsOf<typeof offerColumns>): LiquidationOffer {
  return {
    liquidationId: whole(cells.liquidation_id),
    instrument: whole(cells.instrument_id),
    side: cells.side,
    quantity: lots(whole(cells.quantity_lots)),
    price: ticks(whole(cells.price_ticks)),
    at: whole(cells.at_ms),
  }
}

export function factsText(facts: readonly object[]): string {
  return JSON.stringify(facts, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
}

/** What `factsText` wrote, in the shape that it had. */
export function readFacts<Fact>(text: string): Fact[] {
  const revive = (_name: string, value: unknown) =>
    typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value
  return JSON.parse(text, revive) as Fact[]
}
