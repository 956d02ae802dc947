/**
 * Prices that are not the book's: the index in USD per coin, from it index and mark per instrument; last trade prices.
 *
 * Mark      the index price, to the nearest tick, at least one
 * Source    design.md §6 (`operator/prices`); risk-engine.md §12
 */
import { divHalfUp, oneCoin, pow10, priceTicksMax, type Ticks, ticks } from '../numbers/numbers.ts'
import type { Catalog, CoinId, Instrument, InstrumentId } from './catalog.ts'

export class Prices {
  /** USD per coin, 1e-8. */
  usd: bigint[] = []
  index: number[] = []
  /** Price of the last match, 0 before the first. */
  last: number[] = []

  usdE8(coin: CoinId): bigint {
    return this.usd[coin]
  }

  lastPrice(instrument: InstrumentId): Ticks | 0 {
    return (this.last[instrument] ?? 0) as Ticks | 0
  }

  indexPrice(instrument: InstrumentId): Ticks {
    return this.index[instrument] as Ticks
  }

  markPrice(instrument: InstrumentId): Ticks {
    return this.index[instrument] as Ticks
  }

  setUsd(coin: CoinId, priceE8: bigint): void {
    while (this.usd.length <= coin) this.usd.push(0n)
    this.usd[coin] = priceE8
  }

  /** Index prices of all instruments, after a coin's price or the catalogue changed. */
  refresh(catalog: Catalog): void {
    this.index = catalog.instruments.map((instrument) => this.indexOf(instrument))
  }

  private indexOf(instrument: Instrument): Ticks {
    const base = this.usdE8(instrument.base)
    const quote = instrument.quote === -1 ? oneCoin : this.usdE8(instrument.quote)
    const nearest = divHalfUp(base * pow10(instrument.priceDecimals), quote * BigInt(instrument.priceStep))
    return ticks(Math.min(Math.max(1, Number(nearest)), priceTicksMax))
  }
}
