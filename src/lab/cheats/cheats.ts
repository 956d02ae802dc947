/**
 * Cheats: what no venue lets anybody do, through ordinary commands, so that the books still add up.
 *
 *   money.ts  balance, deposit positions.ts  position        prices.ts  price, liquidate
 *   terms.ts  funding, fees, halt                             adl.ts     adl
 *   ../market-faults/  market
 *
 * Whole     a cheat that is refused has changed nothing (rehearsal.ts)
 * Answers   the journal sequence of each command, and what it came to
 * Source    lab.md §4.2
 */
import type { StaticDecode } from 'typebox'
import type { Instrument } from '../../engine/catalog/catalog.ts'
import {
  type Lots,
  lots,
  parseDecimal,
  type Rate,
  rate,
  rateDecimals,
  type Ticks,
  ticks,
} from '../../engine/numbers/numbers.ts'
import {
  amountOrZero,
  body,
  category,
  coinName,
  decimalText,
  feeRate,
  field,
  network,
  optional,
  positiveAmount,
  symbol,
  usdPrice,
  wallet,
  wholeNumber,
  word,
} from '../../operator/operator.ts'
import { sides } from '../market/book.ts'
import { applyMarketFault, marketFaultNames, marketFaultsOf } from '../market-faults/market-faults.ts'
import { LabRefusal } from '../refusals.ts'
import { play } from '../rehearsal.ts'
import { accountOf, coinOf, contractOf, instrumentOf, priceText, quantityText, who } from '../things.ts'
import { duration } from '../values.ts'
import type { LabVenue } from '../venue.ts'
import { adlScenes } from './adl.ts'
import { sendDeposit, setBalance } from './money.ts'
import { setPosition } from './positions.ts'
import { liquidate, setCoinPrice, setSymbolPrice } from './prices.ts'
import { fundingRateMost, setFees, setStatus, settleFundingAt } from './terms.ts'

const signedRate = field<Rate>('a decimal from -1 to 1 with at most 12 decimals', (value) => {
  const text = typeof value === 'number' ? String(value) : value
  const scaled = typeof text === 'string' ? parseDecimal(text, rateDecimals, true) : undefined
  return typeof scaled === 'bigint' && scaled <= 10n ** 12n && scaled >= -(10n ** 12n) ? rate(scaled) : undefined
})

const signedDecimal = field('a decimal number', (value) => {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && typeof parseDecimal(text, rateDecimals, true) === 'bigint' ? text : undefined
})

const whichFault = field<number | 'all'>('the id of a market fault, or "all"', (value) => {
  return value === 'all' || (Number.isSafeInteger(value) && (value as number) > 0)
    ? (value as number | 'all')
    : undefined
})

export const cheatsBody = body({
  balance: optional(body({ uid: who, wallet, coin: coinName, amount: amountOrZero })),
  position: optional(
    body({
      uid: who,
      symbol,
      category: optional(category),
      side: word(['long', 'short']),
      size: decimalText,
      price: optional(decimalText),
      leverage: optional(wholeNumber(1, 1_000)),
      marginMode: optional(word(['cross', 'isolated'])),
    }),
  ),
  liquidate: optional(body({ uid: who, symbol: optional(symbol), category: optional(category) })),
  price: optional(
    body({ coin: optional(coinName), symbol: optional(symbol), category: optional(category), price: usdPrice }),
  ),
  funding: optional(body({ symbol, category: optional(category), rate: signedRate })),
  fees: optional(body({ symbol, category: optional(category), maker: feeRate, taker: feeRate })),
  deposit: optional(body({ uid: who, coin: coinName, chain: optional(network), amount: positiveAmount })),
  halt: optional(body({ symbol, category: optional(category), status: word(['online', 'cancel_only', 'halted']) })),
  adl: optional(body({ uid: who, symbol, category: optional(category) })),
  market: optional(
    body({
      fault: optional(word(marketFaultNames)),
      symbol: optional(symbol),
      category: optional(category),
      for: optional(duration),
      size: optional(signedDecimal),
      side: optional(word(sides)),
      uid: optional(who),
      end: optional(whichFault),
    }),
  ),
})

type Cheats = StaticDecode<typeof cheatsBody>
type Cheat = keyof Cheats

const names = [
  'balance',
  'deposit',
  'position',
  'liquidate',
  'price',
  'funding',
  'fees',
  'halt',
  'adl',
  'market',
] as const satisfies Cheat[]

/** Throws LabRefusal. */
export async function cheat(sent: Cheats, venue: LabVenue) {
  const given = names.filter((name) => sent[name] !== undefined)
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none' : given.join(' and ')
    throw wrong(given[1] ?? names[0], `exactly one of ${names.join(', ')} is wanted, not ${found}`)
  }
  const [name] = given
  const { sequences, facts } = await done(sent, venue)
  return { sequences, [name]: facts }
}

function done(
  sent: Cheats,
  venue: LabVenue,
): Promise<{ readonly sequences: readonly number[]; readonly facts: object }> {
  const { balance, deposit, position, price, funding, fees, halt, adl, market } = sent
  if (balance !== undefined) {
    const { uid } = accountOf(venue, balance.uid, 'balance.uid')
    const coin = coinOf(venue, balance.coin, 'balance.coin')
    return play(venue, (rehearsal) => setBalance(rehearsal, { ...balance, uid, coin }))
  }
  if (deposit !== undefined) {
    const { uid } = accountOf(venue, deposit.uid, 'deposit.uid')
    const coin = coinOf(venue, deposit.coin, 'deposit.coin')
    return play(venue, (rehearsal) => sendDeposit(rehearsal, { ...deposit, uid, coin }))
  }
  if (position !== undefined) return placed(position, venue)
  if (price !== undefined) return priced(price, venue)
  if (funding !== undefined) {
    const contract = contractOf(venue, funding.symbol, 'funding.symbol', funding.category)
    const most = fundingRateMost(contract)
    if (funding.rate > most || funding.rate < -most) {
      const hours = contract.fundingIntervalHours
      throw wrong(
        'funding.rate',
        `funding.rate must be from -${hours}/8 to ${hours}/8: the interval has ${hours} hours`,
      )
    }
    return play(venue, (rehearsal) => settleFundingAt(rehearsal, contract, funding.rate))
  }
  if (fees !== undefined) {
    const of = instrumentOf(venue, fees.symbol, 'fees.symbol', fees.category)
    return play(venue, (rehearsal) => setFees(rehearsal, of, fees.maker, fees.taker))
  }
  if (halt !== undefined) {
    const of = instrumentOf(venue, halt.symbol, 'halt.symbol', halt.category)
    return play(venue, (rehearsal) => setStatus(rehearsal, of, halt.status))
  }
  if (adl !== undefined) {
    const account = accountOf(venue, adl.uid, 'adl.uid')
    return play(venue, ...adlScenes(account, contractOf(venue, adl.symbol, 'adl.symbol', adl.category)))
  }
  if (market !== undefined) return marketFault(market, venue)
  const { uid, symbol: named, category: of } = sent.liquidate as NonNullable<Cheats['liquidate']>
  const account = accountOf(venue, uid, 'liquidate.uid')
  const contract = named === undefined ? undefined : contractOf(venue, named, 'liquidate.symbol', of)
  return play(venue, (rehearsal) => liquidate(rehearsal, account, contract))
}

async function marketFault(asked: NonNullable<Cheats['market']>, venue: LabVenue) {
  const { fault, end, ...ask } = asked
  if ((fault === undefined) === (end === undefined)) {
    const found = fault === undefined ? 'none' : 'both'
    throw wrong('market.fault', `market: exactly one of fault and end is wanted, not ${found}`)
  }
  if (fault !== undefined) return applyMarketFault(venue, fault, ask, 'market.')
  const given = Object.keys(ask).filter((name) => ask[name as keyof typeof ask] !== undefined)
  if (given.length > 0) throw wrong(`market.${given[0]}`, `market.${given[0]}: goes with fault, not with end`)
  return { sequences: await marketFaultsOf(venue).end(end ?? 'all'), facts: { left: marketFaultsOf(venue).list() } }
}

function placed(asked: NonNullable<Cheats['position']>, venue: LabVenue) {
  const account = accountOf(venue, asked.uid, 'position.uid')
  const instrument = contractOf(venue, asked.symbol, 'position.symbol', asked.category)
  const { side, leverage, marginMode } = asked
  const quantity = steps(instrument, asked.size, 'size') as Lots
  const price = asked.price === undefined ? undefined : (steps(instrument, asked.price, 'price') as Ticks)
  if (price === 0) throw wrong('position.price', 'position.price must be above 0')
  const wish = { account, instrument, side, lots: quantity, price, leverage, marginMode }
  return play(venue, (rehearsal) => setPosition(rehearsal, wish))
}

function priced(asked: NonNullable<Cheats['price']>, venue: LabVenue) {
  const { coin, symbol: named, category: of, price } = asked
  if ((coin === undefined) === (named === undefined)) {
    throw wrong('price', `price: exactly one of coin and symbol is wanted, not ${coin === undefined ? 'none' : 'both'}`)
  }
  if (coin !== undefined) {
    const known = coinOf(venue, coin, 'price.coin')
    return play(venue, (rehearsal) => setCoinPrice(rehearsal, known, price))
  }
  const instrument = instrumentOf(venue, named ?? '', 'price.symbol', of)
  return play(venue, (rehearsal) => setSymbolPrice(rehearsal, instrument, price))
}

/** A price or a size in whole steps of the instrument. */
function steps(instrument: Instrument, text: string, of: 'price' | 'size'): number {
  const { priceDecimals, priceStep, quantityDecimals, quantityStep } = instrument
  const [decimals, step] = of === 'price' ? [priceDecimals, priceStep] : [quantityDecimals, quantityStep]
  const scaled = parseDecimal(text, decimals)
  if (typeof scaled !== 'bigint' || scaled % BigInt(step) !== 0n) {
    const one = of === 'price' ? priceText(instrument, 1) : quantityText(instrument, 1)
    throw wrong(`position.${of}`, `position.${of} must be a multiple of ${one}`)
  }
  const count = Number(scaled / BigInt(step))
  if (count > 2 ** 30 - 1) throw wrong(`position.${of}`, `position.${of} is beyond what the contract carries`)
  return of === 'price' ? ticks(count) : lots(count)
}

function wrong(at: string, message: string): LabRefusal {
  return new LabRefusal(400, 'body-wrong', message, { field: at })
}
