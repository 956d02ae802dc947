/**
 * Terms of an instrument as a test wants them: funding settled at a rate, fees, status.
 *
 * Funding   settles now, at exactly the rate, which is given for that moment. What was given before is given again
 * Source    lab.md §4.2 (cheats); docs/risk.md, funding
 */
import type { FuturesInstrument, Instrument, InstrumentStatus } from '../../engine/catalog/catalog.ts'
import { formatDecimal, type Rate, rate, rateDecimals, rateOne } from '../../engine/numbers/numbers.ts'
import type { Rehearsal } from '../rehearsal.ts'

/** The highest rate of an interval of so many hours. */
export function fundingRateMost({ fundingIntervalHours }: FuturesInstrument): Rate {
  return rate((rateOne * BigInt(fundingIntervalHours)) / 8n)
}

export function settleFundingAt(rehearsal: Rehearsal, contract: FuturesInstrument, wanted: Rate) {
  const { id: instrument, symbol } = contract
  const { given } = rehearsal.query({ kind: 'prices', instrument })
  const give = (fundingRate: Rate | undefined, until: number) => {
    const contracts = [{ instrument, markPrice: given?.markPrice, fundingRate }]
    rehearsal.submit({ kind: 'set-given-prices', until, contracts })
  }
  give(wanted, Number.MAX_SAFE_INTEGER)
  const reply = rehearsal.submit({ kind: 'settle-funding', instrument })
  give(given?.fundingRate, given?.until ?? 0)
  const positions = reply.kind === 'funding-settled' ? reply.positions : 0
  return { symbol, rate: formatDecimal(wanted, rateDecimals), positions }
}

const same = {
  status: undefined,
  tiers: undefined,
  makerFeeRate: undefined,
  takerFeeRate: undefined,
  limitBand: undefined,
  marketBand: undefined,
} as const

export function setFees(rehearsal: Rehearsal, { id, symbol, category }: Instrument, maker: Rate, taker: Rate) {
  rehearsal.submit({ kind: 'set-instrument', instrument: id, ...same, makerFeeRate: maker, takerFeeRate: taker })
  const [makerShown, takerShown] = [maker, taker].map((fee) => formatDecimal(fee, rateDecimals))
  return { symbol, category, maker: makerShown, taker: takerShown }
}

export function setStatus(rehearsal: Rehearsal, { id, symbol, category }: Instrument, status: InstrumentStatus) {
  rehearsal.submit({ kind: 'set-instrument', instrument: id, ...same, status })
  return { symbol, category, status }
}
