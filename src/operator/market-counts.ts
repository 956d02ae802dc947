/**
 * What happens in each market, counted from events since the process started: for metrics.
 *
 * Cost   a comparison for each event of a command; numbers by instrument, nothing is allocated but for a new instrument
 */
import type { Event } from '../engine/protocol/event.ts'
import type { EventConsumer } from '../runtime/runtime.ts'

export class MarketCounts implements EventConsumer {
  /** By instrument. */
  readonly trades: number[] = []
  /** Lots that changed hands: each match once. */
  readonly lots: number[] = []
  readonly ordersFilled: number[] = []
  readonly ordersCanceled: number[] = []
  liquidations = 0

  record(_sequence: number, _at: number, events: readonly Event[]): void {
    for (const event of events) {
      switch (event.kind) {
        case 'trade':
          add(this.trades, event.instrument, 1)
          add(this.lots, event.instrument, event.quantity)
          break
        case 'order-ended':
          add(event.order.status === 'filled' ? this.ordersFilled : this.ordersCanceled, event.order.instrument, 1)
          break
        case 'liquidation':
          this.liquidations += 1
          break
        default:
      }
    }
  }
}

function add(counts: number[], place: number, more: number): void {
  while (counts.length <= place) counts.push(0)
  counts[place] += more
}
