/**
 * What wallets owe: loans by the hour.
 *
 * Interest  h = ⌈principal × daily / 24⌉ at the loan, and again at the start of each further hour; on principal only
 * Many      of a wallet's coin at most 256 are kept apart: what is borrowed beyond joins the newest and its hours
 * Payment   interest first, then principal, the oldest loan first
 * Booked    hours that have begun count at once in what is owed, and are booked before a loan or a payment
 * Source    design.md §4.36; risk-engine.md §17
 */
import { type Fraction, fraction, least, sum, up, zero } from './rational.ts'
import type { Purse, World } from './world.ts'

const hourMs = 3_600_000
const hoursOfDay = fraction(24)
const loansMax = 256

function hourly(world: World, purse: Purse, principal: Fraction): Fraction {
  return up(principal.times(world.coin(purse.coin).dailyInterest).over(hoursOfDay))
}

/** Interest owed, begun hours included. */
export function interestOf(world: World, purse: Purse): Fraction {
  const begun = purse.loans.map(({ principal, nextHour }) => {
    const hours = world.at < nextHour ? 0 : Math.floor((world.at - nextHour) / hourMs) + 1
    return hourly(world, purse, principal).times(fraction(hours))
  })
  return purse.interest.plus(sum(begun))
}

export function principalOf({ loans }: Purse): Fraction {
  return sum(loans.map(({ principal }) => principal))
}

export function debtOf(world: World, purse: Purse): Fraction {
  return principalOf(purse).plus(interestOf(world, purse))
}

function bookInterest(world: World, purse: Purse): void {
  purse.interest = interestOf(world, purse)
  for (const loan of purse.loans) while (loan.nextHour <= world.at) loan.nextHour += hourMs
}

export function lend(world: World, purse: Purse, money: Fraction): void {
  bookInterest(world, purse)
  world.post('lendingPool', purse, money)
  const newest = purse.loans.length < loansMax ? undefined : purse.loans.at(-1)
  if (newest === undefined) purse.loans.push({ principal: money, nextHour: world.at + hourMs })
  else newest.principal = newest.principal.plus(money)
  if (!world.due.some(({ kind }) => kind === 'interest')) nextInterest(world)
  purse.interest = purse.interest.plus(hourly(world, purse, money))
}

/** When hours begin accounts are looked at: at the next one of all loans, as many milliseconds apart as there are loans. */
export function nextInterest(world: World, earliest = world.at): void {
  const loans = world.purses.flatMap((purse) => purse.loans)
  const hours = loans.map(({ nextHour }) => {
    const begun = Math.max(0, Math.floor((world.at - nextHour) / hourMs) + 1)
    return nextHour + begun * hourMs
  })
  if (hours.length > 0) world.setTimer({ kind: 'interest', at: Math.max(Math.min(...hours), earliest) })
}

export function payDebt(world: World, purse: Purse, money: Fraction): void {
  settle(world, purse, money)
  purse.balance = purse.balance.minus(money)
}

/** The insurance fund pays all that is owed. */
export function coverDebt(world: World, purse: Purse): void {
  const money = debtOf(world, purse)
  settle(world, purse, money)
  world.postHouse('insurance', undefined, purse.coin, money)
}

function settle(world: World, purse: Purse, money: Fraction): void {
  bookInterest(world, purse)
  const interest = least(money, purse.interest)
  const principal = money.minus(interest)
  world.postHouse('interest', undefined, purse.coin, interest.negative())
  world.postHouse('lendingPool', undefined, purse.coin, principal.negative())
  purse.interest = purse.interest.minus(interest)
  let left = principal
  for (const loan of purse.loans) {
    const part = least(left, loan.principal)
    loan.principal = loan.principal.minus(part)
    left = left.minus(part)
  }
  purse.loans = purse.loans.filter((loan) => loan.principal.isAbove(zero))
}
