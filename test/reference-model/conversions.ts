/**
 * The house gives one coin for another: a quote that holds for a while, and the trade that takes it.
 *
 * Price    index(from) / index(to) × (1 − 0.1 %), down to 1e-12 and to 15 digits
 * Amounts  what comes is rounded down, what goes is rounded up
 * Quote    worth 1 to 100,000 USD; holds for eight seconds, once, whatever prices do; the last 20 of an account; known as
 *          over for another minute
 * Trade    says what its quote says; takes no more than may leave the wallet that trades spot
 * Source   docs/decisions/0031-conversions.md
 */
import type { Answer, Convert, Quote } from './commands.ts'
import { payWithIncoming, transferable } from './loans.ts'
import { down, downTo, Fraction, fraction, one, up } from './rational.ts'
import type { Wallet, World } from './world.ts'

const spread = fraction('0.001')
const quoteMs = 8_000
const rememberedMs = 60_000
const quotesMax = 20
const [leastUsd, mostUsd] = [fraction(1), fraction(100_000)]
const priceStep = fraction('0.000000000001')
const digitsMax = 15

export interface GivenQuote {
  readonly owner: string
  readonly id: string
  readonly from: string
  readonly to: string
  readonly goes: Fraction
  readonly comes: Fraction
  readonly price: Fraction
  readonly until: number
  used: boolean
}

function housePrice(world: World, from: string, to: string): Fraction {
  const exact = world.usdOf(from).over(world.usdOf(to)).times(one.minus(spread))
  const steps = exact.over(priceStep).floor()
  const beyond = Math.max(0, steps.toString().length - digitsMax)
  return downTo(priceStep.times(new Fraction(10n ** BigInt(beyond))), exact)
}

export function quote(world: World, command: Quote): Answer {
  const { owner, id, from, to, given, money } = command
  if (from === to) return 'conversion-same-coin'
  if (money.sign() <= 0) return 'amount-not-positive'
  const price = housePrice(world, from, to)
  const goes = given === 'goes' ? money : up(money.over(price))
  const comes = given === 'comes' ? money : down(money.times(price))
  const usd = goes.times(world.usdOf(from))
  if (usd.isBelow(leastUsd)) return 'conversion-below-minimum'
  if (usd.isAbove(mostUsd)) return 'conversion-above-maximum'
  world.quotes = world.quotes.filter(({ until }) => world.at <= until + rememberedMs)
  const own = world.quotes.filter((other) => other.owner === owner)
  if (own.length === quotesMax) world.quotes = world.quotes.filter((other) => other !== own[0])
  world.quotes.push({ owner, id, from, to, goes, comes, price, until: world.at + quoteMs, used: false })
  return 'accepted'
}

export function convert(world: World, command: Convert): Answer {
  const { owner, from, to, goes, comes } = command
  const quoted = world.quotes.find(({ id }) => id === command.id)
  if (quoted === undefined || quoted.owner !== owner) return 'quote-unknown'
  if (quoted.used) return 'quote-used'
  if (world.at > quoted.until) return 'quote-over'
  if (quoted.from !== from || quoted.to !== to || !quoted.goes.equals(goes) || !quoted.comes.equals(comes)) {
    return 'quote-differs'
  }
  const wallet: Wallet = world.account(owner).unified ? 'uta' : 'spot'
  if (goes.isAbove(transferable(world, owner, wallet, from))) return 'insufficient-available'
  quoted.used = true
  world.post('conversion', world.purse(owner, wallet, from), goes.negative())
  const payee = world.purse(owner, wallet, to)
  world.post('conversion', payee, comes)
  payWithIncoming(world, payee, comes)
  return 'accepted'
}
