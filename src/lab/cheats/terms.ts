/**
 * Terms of an instrument as a test wants them: funding settled at a rate, fees, status.
 *
 * Funding   settles now, at exactly the rate: for one moment interest is that rate of the interval, its pull is not bounded, and the
 *           cap is no lower. Then all three are what they were. The boundary on schedule stays where it is
 * Source    lab.md §4.2 (cheats); docs/risk.md, funding
 */
import type { FuturesInstrument, Instrument, InstrumentStatus } from '../../engine/catalog/catalog.ts'
import { formatDecimal, type Rate, rate, rateDecimals, rateOne } from '../../engine/numbers/numbers.ts'
import { LabRefusal } from '../refusals.ts'
import type { Rehearsal } from '../rehearsal.ts'

/** The highest rate of an interval of so many hours. */
export function fundingRateMost({ fundingIntervalHours }: FuturesInstrument): Rate {
  return rate((rateOne * BigInt(fundingIntervalHours)) / 8n)
}

export function settleFundingAt(rehearsal: Rehearsal, contract: FuturesInstrument, wanted: Rate) {
  const { id: instrument, fundingIntervalHours, fundingRateCap, symbol } = contract
  const { fundingInterestRate, fundingClamp } = rehearsal.query({ kind: 'settings' }).pricing
  const size = wanted < 0n ? -wanted : wanted
  const configure = (interest: Rate, clamp: Rate, cap: Rate) => {
    const same = { impactNotional: undefined, fundingIntervalHours: undefined }
    rehearsal.submit({
      kind: 'configure-pricing',
      jumpFactor: undefined,
      fundingShortfall: undefined,
      premiumMean: undefined,
      fundingInterestRate: interest,
      fundingClamp: clamp,
      coins: [],
      instruments: [{ instrument, fundingRateCap: cap, ...same }],
    })
  }
  const interest = rate((wanted * 8n) / BigInt(fundingIntervalHours))
  configure(interest, rate(rateOne), size > fundingRateCap ? rate(size) : fundingRateCap)
  const reply = rehearsal.submit({ kind: 'settle-funding', instrument })
  configure(fundingInterestRate, fundingClamp, fundingRateCap)
  const settled = rehearsal.events.find((event) => event.kind === 'funding-settled')
  if (settled?.kind === 'funding-settled' && settled.fundingRate !== wanted) {
    const message = `funding: the premium of ${symbol} is too far from this rate to be settled at it`
    throw new LabRefusal(409, 'rate-not-reached', message)
  }
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
