/**
 * What a balance is made of, and what that costs: the same matches settled in several representations of money.
 *
 * Settle   two random of 100,000 accounts, two wallets each: both orders' holds are taken, then released, quote and base
 *          change hands, and each side pays its fee, rounded up, to the house
 * Share    the wide `a × b / c` of margin and realized PnL, rounded down, where `a × b` may pass 64 bits
 * Agree    every representation ends with the same balances, down to the unit, or the bench fails
 * Rounds   the representations take turns; the figure is the median of their rounds
 * Quoted   docs/decisions/0001-money-representation.md
 */
import { type Amount, amount, divCeil, divFloor, type Rate, rateOne, shareCeil } from '../src/engine/numbers/numbers.ts'
import { Ledger } from '../src/engine/state/ledger.ts'
import { collectGarbage, median, nsPer, random, report, rounded } from './measure.ts'

const accounts = 100_000
const matches = 300_000
const rounds = 7
/** 0.1 % and a base lot of 0.000001, as BTCUSDT on the demo venue. */
const feeRate = 1_000_000_000n as Rate
const lotUnits = 100n
/** Of all accounts together still within 64 bits. */
const opening = 10n ** 13n

const draw = random(1)
const buyers = Int32Array.from({ length: matches }, () => 1 + Math.floor(draw() * accounts))
const sellers = Int32Array.from({ length: matches }, () => 1 + Math.floor(draw() * accounts))
const lotsOf = Int32Array.from({ length: matches }, () => 1 + Math.floor(draw() * 1_000))
const priceOf = Int32Array.from({ length: matches }, () => 6_000_000 + Math.floor(draw() * 100_000))

interface Representation {
  readonly name: string
  /** Settles every match once. */
  settle(): void
  /** Sum of row × balance: tells apart two states of the wallets. */
  fingerprint(): bigint
}

/** Wallets are rows: account × 2 is its quote, account × 2 + 1 its base; rows 0 and 1 are the house's fees. */
const rows = (accounts + 1) * 2

function fingerprintOf(balance: (row: number) => bigint): bigint {
  let total = 0n
  for (let row = 0; row < rows; row++) total += BigInt(row + 1) * balance(row)
  return total
}

/** Each balance a bigint on an object of its own. */
class Objects implements Representation {
  readonly name = 'bigint on objects'
  readonly wallets = Array.from({ length: rows }, () => ({ balance: opening, held: 0n }))

  settle(): void {
    const { wallets } = this
    for (let match = 0; match < matches; match++) {
      const buyerQuote = wallets[buyers[match] * 2]
      const buyerBase = wallets[buyers[match] * 2 + 1]
      const sellerQuote = wallets[sellers[match] * 2]
      const sellerBase = wallets[sellers[match] * 2 + 1]
      const paid = BigInt(lotsOf[match] * priceOf[match])
      const delivered = BigInt(lotsOf[match]) * lotUnits
      const buyerFee = divCeil(delivered * feeRate, rateOne)
      const sellerFee = divCeil(paid * feeRate, rateOne)
      buyerQuote.held = ranged(buyerQuote.held + paid)
      sellerBase.held = ranged(sellerBase.held + delivered)
      buyerQuote.held = ranged(buyerQuote.held - paid)
      sellerBase.held = ranged(sellerBase.held - delivered)
      buyerQuote.balance = ranged(buyerQuote.balance - paid)
      sellerQuote.balance = ranged(sellerQuote.balance + paid)
      sellerBase.balance = ranged(sellerBase.balance - delivered)
      buyerBase.balance = ranged(buyerBase.balance + delivered)
      buyerBase.balance = ranged(buyerBase.balance - buyerFee)
      sellerQuote.balance = ranged(sellerQuote.balance - sellerFee)
      wallets[1].balance = ranged(wallets[1].balance + buyerFee)
      wallets[0].balance = ranged(wallets[0].balance + sellerFee)
    }
  }

  fingerprint(): bigint {
    return fingerprintOf((row) => this.wallets[row].balance)
  }
}

/** 64-bit columns; `check` is what every new value passes. The loop is written out per check, so that each is inlined. */
class Columns {
  readonly balance = new BigInt64Array(rows).fill(opening)
  readonly held = new BigInt64Array(rows)

  fingerprint(): bigint {
    return fingerprintOf((row) => this.balance[row])
  }
}

const unitsMax = 2n ** 63n - 1n
const unitsMin = -unitsMax

/** Compared with both bounds. */
function ranged(units: bigint): bigint {
  if (units > unitsMax || units < unitsMin) throw new Error('out of range')
  return units
}

/** The same 64 bits again: the comparison stays within machine words. */
function identical(units: bigint): bigint {
  if (BigInt.asIntN(64, units) !== units) throw new Error('out of range')
  return units
}

/** The low 64 bits of a sum, whose sign betrays that it wrapped. */
function sum(a: bigint, b: bigint): bigint {
  const low = BigInt.asIntN(64, a + b)
  if (BigInt.asIntN(64, (a ^ low) & (b ^ low)) < 0n) throw new Error('out of range')
  return low
}

class RangedColumns extends Columns implements Representation {
  readonly name = 'columns, compared with bounds'

  settle(): void {
    const { balance, held } = this
    for (let match = 0; match < matches; match++) {
      const buyer = buyers[match] * 2
      const seller = sellers[match] * 2
      const paid = BigInt(lotsOf[match] * priceOf[match])
      const delivered = BigInt(lotsOf[match]) * lotUnits
      const buyerFee = divCeil(delivered * feeRate, rateOne)
      const sellerFee = divCeil(paid * feeRate, rateOne)
      held[buyer] = ranged(held[buyer] + paid)
      held[seller + 1] = ranged(held[seller + 1] + delivered)
      held[buyer] = ranged(held[buyer] - paid)
      held[seller + 1] = ranged(held[seller + 1] - delivered)
      balance[buyer] = ranged(balance[buyer] - paid)
      balance[seller] = ranged(balance[seller] + paid)
      balance[seller + 1] = ranged(balance[seller + 1] - delivered)
      balance[buyer + 1] = ranged(balance[buyer + 1] + delivered)
      balance[buyer + 1] = ranged(balance[buyer + 1] - buyerFee)
      balance[seller] = ranged(balance[seller] - sellerFee)
      balance[1] = ranged(balance[1] + buyerFee)
      balance[0] = ranged(balance[0] + sellerFee)
    }
  }
}

class IdenticalColumns extends Columns implements Representation {
  readonly name = 'columns, asIntN is the same'

  settle(): void {
    const { balance, held } = this
    for (let match = 0; match < matches; match++) {
      const buyer = buyers[match] * 2
      const seller = sellers[match] * 2
      const paid = BigInt(lotsOf[match] * priceOf[match])
      const delivered = BigInt(lotsOf[match]) * lotUnits
      const buyerFee = divCeil(delivered * feeRate, rateOne)
      const sellerFee = divCeil(paid * feeRate, rateOne)
      held[buyer] = identical(held[buyer] + paid)
      held[seller + 1] = identical(held[seller + 1] + delivered)
      held[buyer] = identical(held[buyer] - paid)
      held[seller + 1] = identical(held[seller + 1] - delivered)
      balance[buyer] = identical(balance[buyer] - paid)
      balance[seller] = identical(balance[seller] + paid)
      balance[seller + 1] = identical(balance[seller + 1] - delivered)
      balance[buyer + 1] = identical(balance[buyer + 1] + delivered)
      balance[buyer + 1] = identical(balance[buyer + 1] - buyerFee)
      balance[seller] = identical(balance[seller] - sellerFee)
      balance[1] = identical(balance[1] + buyerFee)
      balance[0] = identical(balance[0] + sellerFee)
    }
  }
}

const million = 1_000_000n
const feeRateMillionths = feeRate / million

/** Fee of a rate in whole millionths, without leaving 64 bits: whole millions first, then the rest rounded up. */
function feeWithin64(value: bigint): bigint {
  const whole = BigInt.asIntN(64, value / million)
  const rest = BigInt.asIntN(64, value - BigInt.asIntN(64, whole * million))
  const ofRest = BigInt.asIntN(64, BigInt.asIntN(64, rest * feeRateMillionths) + (million - 1n))
  return BigInt.asIntN(64, BigInt.asIntN(64, whole * feeRateMillionths) + BigInt.asIntN(64, ofRest / million))
}

class WrappingColumns extends Columns implements Representation {
  readonly name = 'columns, asIntN arithmetic with overflow detection'

  settle(): void {
    const { balance, held } = this
    for (let match = 0; match < matches; match++) {
      const buyer = buyers[match] * 2
      const seller = sellers[match] * 2
      const paid = BigInt.asIntN(64, BigInt(lotsOf[match] * priceOf[match]))
      const delivered = BigInt.asIntN(64, BigInt(lotsOf[match]) * lotUnits)
      const buyerFee = feeWithin64(delivered)
      const sellerFee = feeWithin64(paid)
      held[buyer] = sum(held[buyer], paid)
      held[seller + 1] = sum(held[seller + 1], delivered)
      held[buyer] = sum(held[buyer], BigInt.asIntN(64, -paid))
      held[seller + 1] = sum(held[seller + 1], BigInt.asIntN(64, -delivered))
      balance[buyer] = sum(balance[buyer], BigInt.asIntN(64, -paid))
      balance[seller] = sum(balance[seller], paid)
      balance[seller + 1] = sum(balance[seller + 1], BigInt.asIntN(64, -delivered))
      balance[buyer + 1] = sum(balance[buyer + 1], delivered)
      balance[buyer + 1] = sum(balance[buyer + 1], BigInt.asIntN(64, -buyerFee))
      balance[seller] = sum(balance[seller], BigInt.asIntN(64, -sellerFee))
      balance[1] = sum(balance[1], buyerFee)
      balance[0] = sum(balance[0], sellerFee)
    }
  }
}

/** Whole numbers in doubles: exact up to 2^53 units, which is 90,071,992.54740991 coins of eight decimals. */
class SafeNumbers implements Representation {
  readonly name = 'Float64Array of safe integers'
  readonly balance = new Float64Array(rows).fill(Number(opening))
  readonly held = new Float64Array(rows)

  settle(): void {
    const { balance, held } = this
    const rate = Number(feeRate)
    const unit = Number(rateOne)
    for (let match = 0; match < matches; match++) {
      const buyer = buyers[match] * 2
      const seller = sellers[match] * 2
      const paid = safe(lotsOf[match] * priceOf[match])
      const delivered = safe(lotsOf[match] * 100)
      const buyerFee = -exactFloor(-delivered, rate, unit)
      const sellerFee = -exactFloor(-paid, rate, unit)
      held[buyer] = safe(held[buyer] + paid)
      held[seller + 1] = safe(held[seller + 1] + delivered)
      held[buyer] = safe(held[buyer] - paid)
      held[seller + 1] = safe(held[seller + 1] - delivered)
      balance[buyer] = safe(balance[buyer] - paid)
      balance[seller] = safe(balance[seller] + paid)
      balance[seller + 1] = safe(balance[seller + 1] - delivered)
      balance[buyer + 1] = safe(balance[buyer + 1] + delivered)
      balance[buyer + 1] = safe(balance[buyer + 1] - buyerFee)
      balance[seller] = safe(balance[seller] - sellerFee)
      balance[1] = safe(balance[1] + buyerFee)
      balance[0] = safe(balance[0] + sellerFee)
    }
  }

  fingerprint(): bigint {
    return fingerprintOf((row) => BigInt(this.balance[row]))
  }
}

function safe(units: number): number {
  if (units > Number.MAX_SAFE_INTEGER || units < -Number.MAX_SAFE_INTEGER) throw new Error('out of range')
  return units
}

const splitter = 2 ** 27 + 1

/** What rounding took from the product of two safe integers: `a × b = (a * b) + lost`, both sides exact (Dekker). */
function lostBy(a: number, b: number, product: number): number {
  const aBig = a * splitter
  const aHigh = aBig - (aBig - a)
  const aLow = a - aHigh
  const bBig = b * splitter
  const bHigh = bBig - (bBig - b)
  const bLow = b - bHigh
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
}

/** ⌊a × b / c⌋ of safe integers, exact for any product while the quotient is one too: guessed, then put right. */
function exactFloor(a: number, b: number, c: number): number {
  const product = a * b
  let quotient = Math.floor(product / c)
  const back = quotient * c
  let rest = product - back + (lostBy(a, b, product) - lostBy(quotient, c, back))
  for (; rest < 0; rest += c) quotient--
  for (; rest >= c; rest -= c) quotient++
  return safe(quotient)
}

/** The engine's own ledger, finding the four wallets of each match as settlement does. */
class EngineLedger implements Representation {
  readonly name = 'src/engine/ledger, wallets found by account'
  readonly ledger = new Ledger()

  constructor() {
    for (let account = 1; account <= accounts; account++) {
      for (const coin of [0, 1]) this.ledger.post('external', this.ledger.slot(account, 'uta', coin), opening as Amount)
    }
  }

  settle(): void {
    const { ledger } = this
    for (let match = 0; match < matches; match++) {
      const buyerQuote = ledger.slot(buyers[match], 'uta', 0)
      const buyerBase = ledger.slot(buyers[match], 'uta', 1)
      const sellerQuote = ledger.slot(sellers[match], 'uta', 0)
      const sellerBase = ledger.slot(sellers[match], 'uta', 1)
      const paid = amount(BigInt(lotsOf[match] * priceOf[match]))
      const delivered = amount(BigInt(lotsOf[match]) * lotUnits)
      const buyerFee = shareCeil(delivered, feeRate)
      const sellerFee = shareCeil(paid, feeRate)
      ledger.hold(buyerQuote, paid)
      ledger.hold(sellerBase, delivered)
      ledger.release(buyerQuote, paid)
      ledger.release(sellerBase, delivered)
      ledger.transfer(buyerQuote, sellerQuote, paid)
      ledger.transfer(sellerBase, buyerBase, delivered)
      ledger.post('fees', buyerBase, amount(-buyerFee))
      ledger.post('fees', sellerQuote, amount(-sellerFee))
    }
  }

  fingerprint(): bigint {
    const { ledger } = this
    return fingerprintOf((row) => {
      if (row < 2) return opening + ledger.houseBalance('fees', row)
      return ledger.balanceOf(ledger.find(row >> 1, 'uta', row & 1))
    })
  }
}

settleInTurns()
shareInTurns()

function settleInTurns(): void {
  const all: Representation[] = [
    new Objects(),
    new RangedColumns(),
    new IdenticalColumns(),
    new WrappingColumns(),
    new SafeNumbers(),
    new EngineLedger(),
  ]
  const times = inTurns(all.map((representation) => () => representation.settle()))
  const [expected] = all.map((representation) => representation.fingerprint())
  for (const [index, representation] of all.entries()) {
    if (representation.fingerprint() !== expected)
      throw new Error(`${representation.name}: other balances than ${all[0]?.name}`)
    report({
      bench: 'money',
      case: `settle: ${representation.name}`,
      count: matches,
      figures: { settleNs: times[index] },
    })
  }
}

/** Medians of the rounds after the first two, in which the code is still being compiled. */
function inTurns(runs: readonly (() => void)[]): number[] {
  const times = runs.map((): number[] => [])
  for (let round = 0; round < rounds + 2; round++) {
    for (const [index, run] of runs.entries()) {
      collectGarbage()
      const ns = nsPer(matches, run)
      if (round >= 2) times[index].push(ns)
    }
  }
  return times.map((some) => rounded(median(some)))
}

/** flow × closed / open of positions up to 80 million USDT. */
function shareInTurns(): void {
  const open = Int32Array.from({ length: matches }, () => 1_000 + Math.floor(draw() * 10_000_000))
  const closed = open.map((lots) => 1 + Math.floor(draw() * lots))
  const flow = BigInt64Array.from({ length: matches }, () => -BigInt(Math.floor(draw() * 8e15)))
  const flowNumber = Float64Array.from(flow, Number)
  const out = new BigInt64Array(matches)
  const outNumber = new Float64Array(matches)
  const ways = {
    'bigint of any width': () => {
      for (let index = 0; index < matches; index++) {
        out[index] = divFloor(flow[index] * BigInt(closed[index]), BigInt(open[index]))
      }
    },
    '64 bits where the product fits, else bigint': () => {
      for (let index = 0; index < matches; index++) {
        out[index] = floorWithin64(flow[index], closed[index], open[index])
      }
    },
    'exact products of safe integers': () => {
      for (let index = 0; index < matches; index++) {
        outNumber[index] = exactFloor(flowNumber[index], closed[index], open[index])
      }
    },
  }
  const times = inTurns(Object.values(ways))
  for (const [index, name] of Object.keys(ways).entries()) {
    report({ bench: 'money', case: `share: ${name}`, count: matches, figures: { shareNs: times[index] } })
  }
  for (let index = 0; index < matches; index++) {
    const expected = divFloor(flow[index] * BigInt(closed[index]), BigInt(open[index]))
    if (out[index] !== expected || BigInt(outNumber[index]) !== expected) throw new Error('shares differ')
  }
}

function floorWithin64(a: bigint, b: number, c: number): bigint {
  const estimate = Number(a) * b
  if (estimate > 9e18 || estimate < -9e18) return divFloor(a * BigInt(b), BigInt(c))
  const product = BigInt.asIntN(64, a * BigInt(b))
  const divisor = BigInt.asIntN(64, BigInt(c))
  const quotient = BigInt.asIntN(64, product / divisor)
  const exact = BigInt.asIntN(64, quotient * divisor) === product
  return product < 0n && !exact ? BigInt.asIntN(64, quotient - 1n) : quotient
}
