/**
 * What is asked of a market fault: read whole before anything is done, so that a rule that fires later has been looked at first.
 *
 * size      a share of the price (index-jump, wide, flash-crash, squeeze), a factor (tier-down, fee-up, min-size-up), or a funding
 *           rate. The others take none
 * for       after so much of the venue's time it goes back; funding-spike has nothing that could
 * Source    lab.md §4.5
 */
import { type Category, isFutures } from '../../engine/catalog/catalog.ts'
import { parseDecimal, rateDecimals, rateOne } from '../../engine/numbers/numbers.ts'
import { fundingRateMost } from '../cheats/terms.ts'
import type { BookSide } from '../market/book.ts'
import { fieldWrong } from '../refusals.ts'
import { accountOf, contractOf, instrumentOf, type Who } from '../things.ts'
import { readDuration } from '../times.ts'
import type { LabVenue } from '../venue.ts'
import { type Ask, scenes } from './acts.ts'

export type MarketFaultName = keyof typeof scenes

export const marketFaultNames = Object.keys(scenes) as readonly MarketFaultName[]

/** Texts as a person writes them. */
export interface MarketFaultAsk {
  readonly symbol?: string | undefined
  readonly category?: Category | undefined
  readonly for?: string | number | undefined
  readonly size?: string | number | undefined
  readonly side?: BookSide | undefined
  readonly uid?: Who | undefined
}

interface CheckedFault extends Ask {
  readonly fault: MarketFaultName
  /** Milliseconds; undefined: it stays until somebody ends it. */
  readonly forMs: number | undefined
}

interface SizeRule {
  /** Of 1e-12, exclusive at the least and inclusive at the most. */
  readonly least: bigint
  readonly most: bigint
  readonly usual: bigint
  readonly rule: string
}

const thousandth = rateOne / 1_000n
const factor = (usual: bigint): SizeRule => {
  return { least: rateOne, most: 1_000n * rateOne, usual: usual * rateOne, rule: 'a factor above 1, at most 1000' }
}
const sizes: Partial<Record<MarketFaultName, SizeRule>> = {
  'index-jump': {
    least: -rateOne,
    most: 9n * rateOne,
    usual: 100n * thousandth,
    rule: 'a share of the index above -1, at most 9',
  },
  wide: { least: 0n, most: rateOne, usual: 20n * thousandth, rule: 'a share of the price above 0, at most 1' },
  'flash-crash': {
    least: 0n,
    most: 900n * thousandth,
    usual: 100n * thousandth,
    rule: 'a share of the price above 0, at most 0.9',
  },
  squeeze: { least: 0n, most: 9n * rateOne, usual: 100n * thousandth, rule: 'a share of the price above 0, at most 9' },
  'tier-down': factor(2n),
  'fee-up': factor(2n),
  'min-size-up': factor(10n),
}
const ofContracts: readonly MarketFaultName[] = ['funding-spike', 'tier-down', 'adl', 'liquidate']
const ofAccounts: readonly MarketFaultName[] = ['liquidate', 'adl']

/** Throws LabRefusal; `at` is what goes before the names of fields. */
export function checkMarketFault(venue: LabVenue, fault: string, sent: MarketFaultAsk, at = ''): CheckedFault {
  const name = marketFaultNames.find((known) => known === fault)
  if (name === undefined) throw fieldWrong(`${at}fault`, `is one of ${marketFaultNames.join(', ')}`)
  if (sent.symbol === undefined) throw fieldWrong(`${at}symbol`, 'is required')
  const find = ofContracts.includes(name) ? contractOf : instrumentOf
  const instrument = find(venue, sent.symbol, `${at}symbol`, sent.category)
  const takesAccount = ofAccounts.includes(name)
  if (takesAccount !== (sent.uid !== undefined)) {
    throw fieldWrong(`${at}uid`, takesAccount ? `is required by ${name}` : `goes with ${ofAccounts.join(' and ')} only`)
  }
  if (sent.side !== undefined && name !== 'one-sided') throw fieldWrong(`${at}side`, 'goes with one-sided only')
  const forMs = sent.for === undefined ? undefined : readDuration(sent.for)
  if (sent.for !== undefined && forMs === undefined) throw fieldWrong(`${at}for`, 'is a duration such as 10s')
  if (forMs !== undefined && name === 'funding-spike') {
    throw fieldWrong(`${at}for`, 'is not for funding-spike: it settles once, and nothing goes back')
  }
  return {
    fault: name,
    instrument,
    size: sizeOf(name, instrument, sent.size, `${at}size`),
    side: sent.side ?? 'asks',
    account: sent.uid === undefined ? undefined : accountOf(venue, sent.uid, `${at}uid`),
    forMs,
  }
}

function sizeOf(name: MarketFaultName, instrument: Ask['instrument'], sent: string | number | undefined, at: string) {
  const known = name === 'funding-spike' && isFutures(instrument) ? fundingRule(instrument) : sizes[name]
  if (known === undefined) {
    if (sent !== undefined) throw fieldWrong(at, `is not for ${name}`)
    return 0n
  }
  if (sent === undefined) return known.usual
  const read = parseDecimal(String(sent), rateDecimals, true)
  if (typeof read !== 'bigint' || read <= known.least || read > known.most || (name === 'index-jump' && read === 0n)) {
    throw fieldWrong(at, `is ${known.rule}`)
  }
  return read
}

function fundingRule(contract: Parameters<typeof fundingRateMost>[0]): SizeRule {
  const most = fundingRateMost(contract)
  const hours = contract.fundingIntervalHours
  const rule = `a rate from -${hours}/8 to ${hours}/8: the interval has ${hours} hours`
  return { least: -most - 1n, most, usual: contract.fundingRateCap, rule }
}
