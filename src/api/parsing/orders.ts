/**
 * Prices, quantities and amounts of requests: decimal text into ticks, lots and units of one instrument or coin.
 *
 * Accepted  what numbers/decimal.ts accepts: trailing zeros beyond the precision are fine, exponents and signs are not
 * Refused   too many decimals (40808 on futures, 41103 on spot and margin), a price off its step (45115) or zero
 *           (40706), a quantity off its step (22038); both versions answer alike
 * Short     text, which is almost all, is read as a number below 10^15, exact; what is not plainly right goes the long way,
 *           which knows every fault
 * Not here  minimums, maximums and price bands: the engine's, in admission (design §4.31)
 * Source    interface.md E2 rules 1 and 2; wire/errors.md; wire/rate-limits-and-filters.md §5-§8
 */
import type { Instrument, SpotInstrument } from '../../engine/catalog/catalog.ts'
import {
  type Amount,
  amount,
  amountMax,
  formatDecimal,
  type Lots,
  lots,
  parseDecimal,
  priceTicksMax,
  type Ticks,
  ticks,
} from '../../engine/numbers/numbers.ts'
import { edgeCodes } from '../errors/dialect.ts'
import { ApiError, type Version, wrongParameter } from '../errors/errors.ts'

/** A limit or trigger price. */
export function parsePrice(text: string, instrument: Instrument, field = 'price'): Ticks {
  const short = shortSteps(text, instrument.priceDecimals, instrument.priceStep)
  if (short !== undefined && short > 0 && short <= priceTicksMax) return ticks(short)
  const scaled = scaledOrFault(text, instrument.priceDecimals, 'price', instrument, field)
  if (scaled === 0n) throw new ApiError('40706', [`${field} should be greater than 0`])
  if (scaled === 'out-of-range') throw priceTooHigh(instrument, field)
  const step = BigInt(instrument.priceStep)
  if (scaled % step !== 0n) throw new ApiError('45115', [formatDecimal(step, instrument.priceDecimals)])
  const steps = scaled / step
  if (steps > BigInt(priceTicksMax)) throw priceTooHigh(instrument, field)
  return ticks(Number(steps))
}

function priceTooHigh({ priceStep, priceDecimals }: Instrument, field: string): ApiError {
  const most = formatDecimal(BigInt(priceTicksMax) * BigInt(priceStep), priceDecimals)
  return new ApiError('40706', [`${field} should be at most ${most}`])
}

/** A trigger price, or the price of what it triggers: 43011 when it is zero. */
export function parseTriggerPrice(text: string, instrument: Instrument, field: string): Ticks {
  if (/^0*([.]0*)?$/.test(text)) throw new ApiError('43011', [`${field} should be greater than 0`])
  return parsePrice(text, instrument, field)
}

/** The price of what a trigger places: absent, empty or zero means at market. */
export function parseExecutePrice(text: string | undefined, instrument: Instrument, field: string): Ticks | 0 {
  return text === undefined || /^0*([.]0*)?$/.test(text) ? 0 : parsePrice(text, instrument, field)
}

/** A quantity in the instrument's own unit: base coin, or USD contracts of an inverse instrument. */
export function parseQuantity(text: string, instrument: Instrument, field = 'size'): Lots {
  const short = shortSteps(text, instrument.quantityDecimals, instrument.quantityStep)
  if (short !== undefined) return lots(short)
  const scaled = scaledOrFault(text, instrument.quantityDecimals, 'quantity', instrument, field)
  const step = BigInt(instrument.quantityStep)
  if (scaled !== 'out-of-range' && scaled % step !== 0n) {
    throw new ApiError('22038', [formatDecimal(step, instrument.quantityDecimals)])
  }
  if (scaled === 'out-of-range' || scaled / step > BigInt(Number.MAX_SAFE_INTEGER)) {
    const most = instrument.quantityMax > 0 ? BigInt(instrument.quantityMax) : BigInt(Number.MAX_SAFE_INTEGER)
    const bound = formatDecimal(most * step, instrument.quantityDecimals)
    throw new ApiError(instrument.kind === 'spot' ? '43007' : '45112', [bound])
  }
  return lots(Number(scaled / step))
}

/** Quote coin that a spot or margin market buy spends. */
export function parseQuoteAmount(text: string, instrument: SpotInstrument, field = 'size'): Amount {
  const scaled = scaledOrFault(text, instrument.quoteDecimals, 'quantity', instrument, field)
  const units = scaled === 'out-of-range' ? scaled : scaled * 10n ** BigInt(8 - instrument.quoteDecimals)
  if (units === 'out-of-range' || units > amountMax) throw new ApiError('43007', [formatDecimal(amountMax, 8)])
  return amount(units)
}

/** Base coin of a v2 inverse order, which the engine converts to contracts (design §4.12). */
export function parseBaseAmount(text: string, instrument: Instrument, field = 'size'): Amount {
  const scaled = scaledOrFault(text, 8, 'quantity', instrument, field)
  if (scaled === 'out-of-range') throw new ApiError('45112', [formatDecimal(amountMax, 8)])
  return amount(scaled)
}

/** An amount of a coin: up to 8 decimals, more than zero. */
export function parseAmount(text: string, version: Version, field = 'amount'): Amount {
  const scaled = parseDecimal(text, 8)
  if (scaled === 'too-many-decimals') throw new ApiError('43125')
  if (scaled === 'not-a-decimal') throw wrongParameter(version, field, 'should be a decimal number')
  if (scaled === 'out-of-range')
    throw wrongParameter(version, field, `should be at most ${formatDecimal(amountMax, 8)}`)
  if (scaled === 0n) throw wrongParameter(version, field, 'should be greater than 0')
  return amount(scaled)
}

const shortDigitsMax = 15
const powersOfTen = Array.from({ length: shortDigitsMax + 1 }, (_, exponent) => Number(`1e${exponent}`))
const [pointCode, zeroCode] = [46, 48]

/** `text × 10^decimals ÷ step` of a short text, if that is a whole number and nothing of the text is odd. */
function shortSteps(text: string, decimals: number, step: number): number | undefined {
  const { length } = text
  if (length === 0 || length + decimals > shortDigitsMax) return undefined
  let scaled = 0
  let point = length
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    const digit = code - zeroCode
    if (digit >= 0 && digit <= 9) scaled = scaled * 10 + digit
    else if (code === pointCode && point === length && at > 0 && at + 1 < length) point = at
    else return undefined
  }
  const missing = decimals - Math.max(0, length - point - 1)
  if (missing < 0) return undefined
  scaled *= powersOfTen[missing]
  return scaled % step === 0 ? scaled / step : undefined
}

function scaledOrFault(
  text: string,
  decimals: number,
  what: 'price' | 'quantity',
  instrument: Instrument,
  field: string,
): bigint | 'out-of-range' {
  const scaled = parseDecimal(text, decimals)
  switch (scaled) {
    case 'too-many-decimals':
      throw tooManyDecimals(text, decimals, what, instrument, field)
    case 'not-a-decimal':
      throw new ApiError('40020', [`${field} should be a decimal number:`])
    default:
      return scaled
  }
}

function tooManyDecimals(
  text: string,
  decimals: number,
  what: 'price' | 'quantity',
  { kind, priceStep, priceDecimals }: Instrument,
  field: string,
): ApiError {
  const of = kind === 'spot' ? 'of a pair' : 'of a contract'
  const [code, live] = edgeCodes[`a ${what} with too many decimals, ${of}`]
  const step = what === 'price' ? formatDecimal(priceStep, priceDecimals) : formatDecimal(1, decimals)
  const fact =
    kind === 'spot' ? `${field} scale ${decimals}` : `${field} checkBDScale error value=${text} checkScale=${decimals}`
  return new ApiError(code, [fact], 400, { live: { code: live, facts: [step] } })
}
