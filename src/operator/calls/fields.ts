/**
 * The fields of operator calls: what each may hold, in words for whoever sent it, and what it becomes.
 *
 * Lenient   names of coins, symbols and categories in any case; a JSON number where a decimal is expected, if its text is
 *           exact; an account number as a text or a number
 * Holds     a body that passed its schema decodes without a fault
 * Source    design.md §2, §4.3
 */
import Type from 'typebox'
import type { TProperties } from 'typebox'
import { passphrasePattern } from '../../api/api.ts'
import { type Category, type ProductLine, productLines } from '../../engine/catalog/catalog.ts'
import {
  type Amount,
  amount,
  amountDecimals,
  amountMax,
  coinLentMax,
  formatDecimal,
  parseDecimal,
  type Rate,
  rate,
  rateDecimals,
  rateOne,
} from '../../engine/numbers/numbers.ts'
import { type Uid, type WalletType, walletTypes } from '../../engine/vocabulary.ts'
import { isAddressRange } from '../address-range.ts'
import { permissionWords, readPermissions } from '../keys/permissions.ts'
import { judgePublicKey, publicKeyRule } from '../keys/public-key.ts'

/** A field that holds what `read` can read; `rule` says it in words. */
export function field<const T>(rule: string, read: (value: unknown) => T | undefined) {
  const accepted = Type.Refine(Type.Unknown({ description: rule }), (value) => read(value) !== undefined)
  return Type.Decode(accepted, (value) => read(value) as T)
}

/** A body with these fields and no others. */
export function body<Fields extends TProperties>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false, description: 'a JSON object' })
}

/** The field may be absent or null; then it is undefined. */
export const optional = Type.Optional

export function word<const Word extends string>(words: readonly Word[], fold: (text: string) => string = asIs) {
  return field(`one of ${words.join(', ')}`, (value) =>
    typeof value === 'string' ? words.find((known) => known === fold(value)) : undefined,
  )
}

/** A whole number, as a JSON number or a text of digits. */
export function wholeNumber(minimum: number, maximum: number) {
  return field(`a whole number from ${minimum} to ${maximum}`, (value) => {
    const number = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value
    return typeof number === 'number' && Number.isSafeInteger(number) && number >= minimum && number <= maximum
      ? number
      : undefined
  })
}

export function text(lengthMax: number) {
  return field(`a text of at most ${lengthMax} characters`, (value) =>
    typeof value === 'string' && value.length <= lengthMax && value.isWellFormed() ? value : undefined,
  )
}

/** The exact text of a decimal; what it is scaled by depends on the rest of the body. */
export const decimalText = field('a decimal number', (value) => {
  const shown = textOf(value)
  return shown !== undefined && typeof parseDecimal(shown, decimalsMax) === 'bigint' ? shown : undefined
})

/** Enough for every price and quantity; more would leave 64 bits for ordinary numbers. */
const decimalsMax = 8

export const uid = field<Uid>('an account number', (value) => {
  const number = typeof value === 'string' && /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined
})

export const coinName = field('the name of a coin: 1 to 20 letters and digits', (value) =>
  typeof value === 'string' && /^[A-Za-z0-9]{1,20}$/.test(value) ? value.toUpperCase() : undefined,
)

export const symbol = field('a symbol: 1 to 30 letters and digits', (value) =>
  typeof value === 'string' && /^[A-Za-z0-9]{1,30}$/.test(value) ? value.toUpperCase() : undefined,
)

export const category = word<Category>(['SPOT', 'MARGIN', ...productLines], upper)
export const productLine = word<ProductLine>(productLines, upper)
export const wallet = word<WalletType>(walletTypes, lower)

/** What 64 bits carry. */
const amountShown = formatDecimal(amountMax, amountDecimals)
const aboveZero = `a decimal above 0 with at most 8 decimals, up to ${amountShown}`

/** More than nothing. */
export const positiveAmount = field<Amount>(aboveZero, (value) => {
  const units = readAmount(value)
  return units !== undefined && units > 0n ? units : undefined
})

export const amountOrZero = field<Amount>(`a decimal with at most 8 decimals, up to ${amountShown}`, readAmount)

const lentShown = formatDecimal(coinLentMax, amountDecimals)

/** How much of a coin may be lent. */
export const lentAmount = field<Amount>(`a decimal with at most 8 decimals, up to ${lentShown}`, (value) => {
  const units = readAmount(value)
  return units !== undefined && units <= coinLentMax ? units : undefined
})

/** Interest of a day. */
export const dailyRate = field<Rate>('a decimal from 0 to 0.1 with at most 12 decimals', (value) => {
  const scaled = readScaled(value, rateDecimals)
  return scaled !== undefined && scaled <= rateOne / 10n ? rate(scaled) : undefined
})

/** A share between 0 and 1, such as a rebate. */
export const share = field<Rate>('a decimal from 0 to 1 with at most 12 decimals', (value) => {
  const scaled = readScaled(value, rateDecimals)
  return scaled !== undefined && scaled <= rateOne ? rate(scaled) : undefined
})

/** How many times one figure may be another. */
export const factor = field<Rate>('a decimal from 1 to 1000000 with at most 12 decimals', (value) => {
  const scaled = readScaled(value, rateDecimals)
  return scaled !== undefined && scaled >= rateOne && scaled <= 1_000_000n * rateOne ? rate(scaled) : undefined
})

/** A fee rate: negative is a rebate. */
export const feeRate = field<Rate>('a decimal from -0.1 to 0.1 with at most 12 decimals', (value) => {
  const scaled = readScaled(value, rateDecimals, true)
  const bound = rateOne / 10n
  return scaled !== undefined && scaled <= bound && scaled >= -bound ? rate(scaled) : undefined
})

/** A price in USD, 1e-8. */
export const usdPrice = field<bigint>(aboveZero, (value) => {
  const scaled = readScaled(value, 8)
  return scaled !== undefined && scaled > 0n ? scaled : undefined
})

export const permissionList = field(`a list out of ${permissionWords.join(', ')}`, (value) => {
  const words = typeof value === 'string' ? value.split(',') : value
  return Array.isArray(words) && words.every((entry): entry is string => typeof entry === 'string')
    ? readPermissions(words.map((entry) => entry.trim()))
    : undefined
})

const rangesMax = 30

export const addressList = field(`a list of at most ${rangesMax} addresses and address ranges`, (value) => {
  const ranges = typeof value === 'string' ? value.split(',').filter((range) => range !== '') : value
  return Array.isArray(ranges) && ranges.length <= rangesMax && ranges.every(isRange) ? ranges : undefined
})

export const passphrase = field('8 to 32 letters and digits', (value) =>
  typeof value === 'string' && passphrasePattern.test(value) ? value : undefined,
)

export const publicKey = field(publicKeyRule, (value) =>
  typeof value === 'string' && 'kind' in judgePublicKey(value) ? value : undefined,
)

function isRange(value: unknown): value is string {
  return typeof value === 'string' && isAddressRange(value)
}

function readAmount(value: unknown): Amount | undefined {
  const scaled = readScaled(value, amountDecimals)
  return scaled === undefined ? undefined : amount(scaled)
}

function readScaled(value: unknown, decimals: number, signed = false): bigint | undefined {
  const shown = textOf(value)
  const scaled = shown === undefined ? undefined : parseDecimal(shown, decimals, signed)
  return typeof scaled === 'bigint' ? scaled : undefined
}

/** A JSON number in an exponent form is refused by the decimal's own rule. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
}

function asIs(value: string): string {
  return value
}

function upper(value: string): string {
  return value.toUpperCase()
}

function lower(value: string): string {
  return value.toLowerCase()
}
