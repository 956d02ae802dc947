/**
 * Everything that the interface says when it does not say `success`: the error that an endpoint throws, and for every
 * reason of the engine the code that each family of endpoints gives it.
 *
 * Codes      wire/errors.md; a new refusal does not compile without a code, a new code not without its sentences (sentences.ts)
 * v3         answers 40xxx and 43xxx codes, which existing clients turn into typed exceptions, not 25xxx (design §4.4); the
 *            live dialect answers 25xxx (dialect.ts)
 * Facts      `{0}`, `{1}` in a sentence are filled with the facts of the case
 * Source     design.md §4.4, §4.5, §4.21, §4.30, §4.36; interface.md Errors
 */
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { Refusal } from '../../engine/protocol/reply.ts'
import { HistoryAway } from '../../history/history.ts'
import { CommandNotSequenced, EngineRebuilding, OutcomeUnknown } from '../../runtime/core.ts'
import type { CatalogIndex } from '../catalog-index.ts'
import { formatAmount, formatLots, formatTicks } from '../figures.ts'
import { type V3Dialect, edgeCodes, liveCode, refusalCodes } from './dialect.ts'
import { inChinese } from './rules-in-chinese.ts'
import { type Code, sentences } from './sentences.ts'

export type { Code, V3Dialect }

export type Locale = 'en-US' | 'zh-CN'

/** What an endpoint throws to answer something else than success. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: Code
  readonly facts: readonly string[]
  readonly httpStatus: number
  /** What the live dialect of v3 says instead, where the code alone does not tell. */
  readonly live: Said | undefined

  constructor(code: Code, facts: readonly string[] = [], httpStatus = 400, options: ApiErrorOptions = {}) {
    super(`${code} ${facts.join(', ')}`, options)
    this.code = code
    this.facts = facts
    this.httpStatus = httpStatus
    this.live = options.live
  }
}

interface Said {
  readonly code: Code
  readonly facts: readonly string[]
}

interface ApiErrorOptions extends ErrorOptions {
  readonly live?: Said
}

/** Whether it is a code that the interface has sentences for. */
export function isCode(text: string): text is Code {
  return Object.hasOwn(sentences, text)
}

/** The same error in the words of a dialect. */
export function inDialect(error: ApiError, dialect: V3Dialect): ApiError {
  if (dialect === 'interface') return error
  const { code, facts } = error.live ?? { code: liveCode(error.code), facts: error.facts }
  return code === error.code ? error : new ApiError(code, facts, error.httpStatus, { cause: error.cause })
}

/** Code and sentence of an error, as an entry of a list of v3 carries them. */
export function entryError(
  error: ApiError,
  { dialect, locale }: { readonly dialect: V3Dialect; readonly locale: Locale },
): { readonly code: string; readonly msg: string } {
  const said = inDialect(error, dialect)
  return { code: said.code, msg: messageOf(said, locale) }
}

/** The sentence of a code with its facts in place. */
function sentence(code: Code, facts: readonly string[], locale: Locale): string {
  const template: string = sentences[code][locale === 'zh-CN' ? 1 : 0]
  if (!template.includes('{')) return template
  const filled = template.replace(/ ?\{(\d)\}/g, (hole, index: string) => {
    const said = facts[Number(index)] ?? ''
    const fact = locale === 'zh-CN' ? inChinese(said) : said
    return fact === '' ? '' : hole.startsWith(' ') ? ` ${fact}` : fact
  })
  return filled.trimStart()
}

export function messageOf(error: ApiError, locale: Locale): string {
  return sentence(error.code, error.facts, locale)
}

export function localeOf(header: string | undefined): Locale {
  return header !== undefined && /^zh(?![a-z])/i.test(header) ? 'zh-CN' : 'en-US'
}

/** A family of endpoints, as wire/errors.md parts them: v2 spot, v2 cross margin, v2 futures, and all of v3. */
export type Family = Classic | 'v3'
type Classic = 'spot' | 'margin' | 'futures'

/** What a refusal is about, for messages that carry its facts. */
export interface Subject {
  readonly catalog: CatalogIndex
  readonly instrument: Instrument | undefined
}

/**
 * The code of each refusal: one for all families, or one each; on v3 that of dialect.ts where it has a row there. Cancelling an
 * unknown order is a refusal (40768 on futures); asking for one is not (orderNotFound).
 */
const codes = {
  'account-unknown': '40013',
  'account-changing-mode': '40013',
  'account-mode-unsuitable': '40085',
  'account-not-flat': '40872',
  'parent-unsuitable': '40013',
  'account-frozen': '40024',
  'account-name-taken': '40020',
  'sub-accounts-max': '40069',
  'sub-account-unknown': '40028',
  'channel-code-taken': '40020',

  'coin-unknown': '43129',
  'coin-listed-already': '40020',
  'instrument-unknown': '40034',
  'instrument-listed-already': '40020',
  'instrument-record-wrong': '40020',
  'instrument-closed': { spot: '41114', margin: '50025', futures: '40844' },
  'instrument-not-announced': '22004',
  'margin-coin-wrong': '40778',

  'quantity-below-minimum': { spot: '43006', margin: '50016', futures: '45111' },
  'quantity-above-maximum': { spot: '43007', margin: '50017', futures: '45112' },
  'notional-below-minimum': '45110',
  'price-above-limit': { spot: '43009', margin: '43009', futures: '40815' },
  'price-below-limit': { spot: '43008', margin: '43008', futures: '40816' },

  'duplicate-client-order-id': '40786',
  'open-orders-max': { spot: '43005', margin: '43005', futures: '40761' },
  'positions-max': '45116',
  'daily-orders-max': '40022',
  'order-unknown': { spot: '43001', margin: '43001', futures: '40768' },
  'order-unchanged': '40923',
  'order-only-reduces': '25568',
  'quantity-below-filled': '40812',
  'insufficient-available': { spot: '43012', margin: '50020', futures: '40762' },
  'insufficient-margin': { spot: '43012', margin: '50020', futures: '40762' },
  'position-tier-exceeded': '40762',

  'index-stale': '45043',
  'trigger-unknown': '43025',
  'position-trigger-unknown': '43020',
  'trigger-position-short': '40891',
  'quantity-unit-unsuitable': '40812',
  'long-take-profit-not-above': '40915',
  'short-take-profit-not-below': '45061',
  'long-stop-loss-not-below': '40917',
  'short-stop-loss-not-above': '45122',
  'trigger-not-above': '43011',
  'trigger-not-below': '43011',
  'nothing-to-reduce': '22002',
  'insufficient-position': '40757',
  'position-side-required': '40774',
  'margin-mode-in-use': '45117',
  'hold-mode-in-use': '40920',
  'leverage-out-of-range': { spot: '43050', margin: '43050', futures: '45044' },
  'leverage-margin-short': '40893',
  'margin-mode-not-isolated': '40875',
  'collateral-short': '40812',
  'no-position': '40802',
  'opposite-position': '40812',
  'margin-change-exceeded': '40801',

  'amount-not-positive': { spot: '40020', margin: '50040', futures: '40020', v3: '400172' },
  'wallet-unsuitable': { spot: '42013', margin: '42013', futures: '42013', v3: '42013' },
  'coin-unsuitable': '43129',
  'transfer-unrelated': '43127',
  'transfer-same-place': '42013',
  'transfer-id-reused': '40786',
  'transferable-exceeded': '43117',
  'deposits-exceeded': '43117',
  'price-beyond-positions': '40020',
  'conversion-same-coin': '40017',
  'conversion-below-minimum': '43037',
  'conversion-above-maximum': '43038',
  'quote-unknown': '40017',
  'quote-over': '40017',
  'quote-used': '40017',
  'quote-differs': '40017',
  'network-unknown': '40034',
  'deposits-suspended': '47001',
  'withdrawals-suspended': '43126',
  'deposit-below-minimum': '43114',
  'withdrawal-below-minimum': '43114',
  'amount-too-fine': '43124',
  'address-wrong': '47002',
  'tag-required': '43116',
  'tag-wrong': '47002',
  'receiver-unknown': '47002',
  'receiver-unsuitable': '43136',
  'withdrawal-to-self': '43121',
  'daily-withdrawals-exceeded': '43113',
  'withdrawal-id-reused': '40786',
  'withdrawal-unknown': '43001',
  'withdrawal-sent': '45055',
  'chain-record-wrong': '40020',
  'coin-not-borrowable': '50037',
  'borrow-limit-exceeded': '50035',
  'lending-pool-empty': '50038',
  'no-debt': '40812',
  'repay-above-available': '50041',
  poisoned: '45001',
} as const satisfies {
  [Kind in Refusal['kind']]: Code | Record<Kind extends keyof typeof refusalCodes ? Classic : Family, Code>
}

/** The answer to a refused command. */
export function refusalError(refusal: Refusal, family: Family, subject?: Subject): ApiError {
  const { kind } = refusal
  const facts = refusalFacts(refusal, subject)
  const httpStatus = kind === 'poisoned' ? 500 : 400
  if (family !== 'v3') return new ApiError(codeOf(kind, family), facts, httpStatus)
  const [code, live] = isInDialect(kind) ? refusalCodes[kind] : [codeOf(kind, family), undefined]
  const symbol = subject?.instrument?.symbol
  const said = live === undefined ? { code, facts } : { code: live, facts: symbol ? [...facts, symbol] : facts }
  return new ApiError(code, facts, httpStatus, { live: said })
}

function isInDialect(kind: Refusal['kind']): kind is keyof typeof refusalCodes {
  return Object.hasOwn(refusalCodes, kind)
}

function codeOf(kind: Refusal['kind'], family: Family): Code {
  const coded: Code | Partial<Record<Family, Code>> = codes[kind]
  const code = typeof coded === 'string' ? coded : coded[family]
  if (code === undefined) throw new Error(`${kind} has no code on ${family}`)
  return code
}

/** The code of a reason on a family; undefined: the word is no reason, or has none there. */
export function refusalCode(reason: string, family: Family): Code | undefined {
  if (!Object.hasOwn(codes, reason)) return undefined
  const kind = reason as Refusal['kind']
  if (family === 'v3' && isInDialect(kind)) return refusalCodes[kind][0]
  const coded: Code | Partial<Record<Family, Code>> = codes[kind]
  return typeof coded === 'string' ? coded : coded[family]
}

/** What fills the holes of the refusal's sentence. */
function refusalFacts(refusal: Refusal, subject: Subject | undefined): readonly string[] {
  const instrument = subject?.instrument
  switch (refusal.kind) {
    case 'quantity-below-minimum':
      return instrument ? [formatLots(refusal.minimum, instrument)] : []
    case 'quantity-above-maximum':
      return instrument ? [formatLots(refusal.maximum, instrument)] : []
    case 'notional-below-minimum':
      return [formatAmount(refusal.minimum), instrument ? (subject?.catalog.coinName(instrument.quote) ?? '') : 'USDT']
    case 'price-above-limit':
    case 'price-below-limit':
      return instrument ? [formatTicks(refusal.limit, instrument)] : []
    case 'long-take-profit-not-above':
    case 'short-take-profit-not-below':
    case 'long-stop-loss-not-below':
    case 'short-stop-loss-not-above':
      return instrument ? [formatTicks(refusal.price, instrument)] : []
    case 'trigger-not-above':
    case 'trigger-not-below': {
      const side = refusal.kind === 'trigger-not-above' ? 'greater' : 'less'
      const price = instrument ? ` ${formatTicks(refusal.price, instrument)}` : ''
      return [`the trigger price should be ${side} than the price now${price}`]
    }
    case 'quantity-below-filled':
      return [
        `a quantity of at least what is filled${instrument ? `, ${formatLots(refusal.filled, instrument)},` : ''}`,
      ]
    case 'quantity-unit-unsuitable':
      return ['a quantity in the unit that the order counts']
    case 'instrument-unknown':
    case 'instrument-not-announced':
      return [instrument?.symbol ?? 'symbol']
    case 'margin-coin-wrong':
      return [instrument?.symbol ?? '', 'this']
    case 'leverage-out-of-range':
      return [`${refusal.minimum} to ${refusal.maximum}`]
    case 'open-orders-max':
    case 'positions-max':
      return [String(refusal.maximum)]
    case 'daily-orders-max':
      return [`at most ${refusal.maximum} orders a day`]
    case 'instrument-record-wrong':
      return [`${refusal.field} ${refusal.rule}`]
    case 'conversion-same-coin':
      return ['toCoin should be another coin than fromCoin']
    case 'conversion-below-minimum':
      return [formatAmount(refusal.minimum)]
    case 'conversion-above-maximum':
      return [formatAmount(refusal.maximum)]
    case 'quote-unknown':
      return ['traceId should be of a quote that this account was given']
    case 'quote-over':
      return ['traceId is of a quote that is over']
    case 'quote-used':
      return ['traceId is of a quote that was used']
    case 'quote-differs':
      return [`${refusal.field.replace('Amount', 'CoinSize')} should be that of the quote`]
    case 'network-unknown':
      return ['chain']
    case 'chain-record-wrong':
      return [`${refusal.field} ${refusal.rule}`]
    case 'deposit-below-minimum':
    case 'withdrawal-below-minimum':
      return [formatAmount(refusal.minimum)]
    case 'amount-too-fine':
      return [`size should have at most ${refusal.decimals} decimals`]
    case 'address-wrong':
      return ['address']
    case 'tag-wrong':
      return ['tag']
    case 'receiver-unknown':
      return ['address: no account has this number']
    case 'daily-withdrawals-exceeded':
      return [`${formatAmount(refusal.remainingUsd)} USD left today`]
    case 'amount-not-positive':
      return ['amount should be greater than 0']
    case 'wallet-unsuitable':
      return ['the account has no such wallet']
    case 'transfer-same-place':
      return ['source and destination are the same, or both belong to the main account itself']
    case 'collateral-short':
      return ['the coins that remain as collateral have to cover the initial margin']
    case 'no-debt':
      return ['a debt to repay']
    case 'borrow-limit-exceeded':
    case 'lending-pool-empty':
      return [`at most ${formatAmount(refusal.borrowable)}`]
    case 'opposite-position':
      return ['an account in one-way mode takes no position against the one that it holds']
    case 'account-name-taken':
      return ['username is taken by another sub-account']
    case 'sub-accounts-max':
      return [`at most ${refusal.maximum} sub-accounts`]
    case 'channel-code-taken':
      return ['channelCode']
    case 'coin-listed-already':
      return ['coin']
    case 'instrument-listed-already':
      return ['symbol']
    default:
      return []
  }
}

export type Version = 'v2' | 'v3'

/** A field with a wrong value: the message names the field and the rule. */
export function wrongParameter(version: Version, field: string, rule: string): ApiError {
  return new ApiError(version === 'v3' ? '400172' : '40017', [`${field} ${rule}`])
}

export function missingParameter(field: string): ApiError {
  return new ApiError('40019', [field])
}

/** A symbol that the category does not list. */
export function unknownSymbol(symbol: string): ApiError {
  const live = { code: edgeCodes['no such symbol'][1], facts: [symbol] }
  return new ApiError('40034', [`symbol ${symbol}`], 400, { live })
}

export function unknownCoin(coin: string): ApiError {
  const live = { code: edgeCodes['no such coin'][1], facts: [coin] }
  return new ApiError('40034', [`coin ${coin}`], 400, { live })
}

/** Asked for an order that is not there, or not the caller's: the same answer. */
export function orderNotFound(family: Family): ApiError {
  return new ApiError(family === 'futures' ? '40109' : '43001')
}

/**
 * What became of a request whose handler threw something else than an answer. `submitted`: a command had left, so that
 * whatever went wrong afterwards leaves its outcome unknown.
 */
export function troubleError(cause: unknown, submitted: boolean): ApiError {
  if (cause instanceof ApiError) return cause
  if (cause instanceof CommandNotSequenced) return new ApiError('40015', [], 503, { cause })
  if (cause instanceof OutcomeUnknown) {
    const outcomes = { 'timed-out': '40010', 'link-failed': '40725', unexpected: '45001' } as const
    return new ApiError(outcomes[cause.reason], [], 500, { cause })
  }
  if ((cause instanceof EngineRebuilding || cause instanceof HistoryAway) && !submitted) {
    return new ApiError('40015', [], 503, { cause })
  }
  return new ApiError(submitted ? '45001' : '40015', [], 500, { cause })
}
