/**
 * Refusals of operator calls: the code is the engine's reason, the message a sentence with its facts.
 *
 * Holds   an error is one line, names the field where one is at fault, and carries no secret and no stack
 */
import { amountDecimals, coinInsideMax, formatDecimal } from '../../engine/numbers/numbers.ts'
import type { Command } from '../../engine/protocol/command.ts'
import type { Refusal } from '../../engine/protocol/reply.ts'
import type { Fault } from '../faults.ts'

/** An operator call that is answered with `{ok: false, error}`. */
export class CallRefused extends Error {
  override name = 'CallRefused'
  readonly status: number
  readonly code: string
  /** Those that are at fault, each with its rule; none where it is no field's. */
  readonly fields: readonly Fault[]

  constructor(status: number, code: string, message: string, fields: readonly Fault[] = []) {
    super(message)
    this.status = status
    this.code = code
    this.fields = fields
  }
}

export function bodyWrong(faults: readonly Fault[]): CallRefused {
  const sentences = faults.map(({ field, rule }) => (field === '' ? `the body ${rule}` : `${field} ${rule}`))
  return new CallRefused(
    400,
    'body-wrong',
    sentences.join('; '),
    faults.filter(({ field }) => field !== ''),
  )
}

export function fieldWrong(field: string, rule: string): CallRefused {
  return bodyWrong([{ field, rule }])
}

/** The field names something that the venue does not have. */
export function unknownThing(field: string, value: string | number, what: string): CallRefused {
  const rule = `there is no ${what} ${value}`
  return new CallRefused(404, `${what}-unknown`, `${field}: ${rule}`, [{ field, rule }])
}

export function refusedByEngine(refusal: Refusal, command: Command['kind']): CallRefused {
  const status = refusal.kind.endsWith('-unknown') ? 404 : refusal.kind === 'poisoned' ? 500 : 409
  const said = sentence(refusal, command)
  return new CallRefused(status, refusal.kind, said, fieldsIn(said))
}

/** Sentences about a field begin with its name. */
function fieldsIn(said: string): Fault[] {
  const [, field, rule] = /^([a-z][A-Za-z]*): (.*)$/.exec(said) ?? []
  return field === undefined || rule === undefined || field === 'refused' ? [] : [{ field, rule }]
}

function sentence(refusal: Refusal, command: Command['kind']): string {
  switch (refusal.kind) {
    case 'account-unknown':
      return 'uid: there is no such account'
    case 'account-changing-mode':
      return 'the account is changing its mode'
    case 'account-mode-unsuitable':
      return 'the mode of the account does not allow it'
    case 'account-not-flat':
      return `the account must have no ${refusal.what} first`
    case 'parent-unsuitable':
      return `${command === 'set-broker' ? 'uid' : 'parentUid'}: must be a main account`
    case 'channel-code-taken':
      return 'channelCode: belongs to another broker'
    case 'coin-unknown':
      return 'coin: there is no such coin'
    case 'coin-listed-already':
      return 'coin: is listed already'
    case 'instrument-unknown':
      return 'symbol: there is no such instrument'
    case 'instrument-listed-already':
      return 'symbol: is listed already in this category'
    case 'instrument-record-wrong':
      return `${refusal.field}: ${refusal.rule}`
    case 'instrument-closed':
      return `the instrument is ${refusal.status}`
    case 'index-stale':
      return 'the index is stale, jumped or out of range; send a price first'
    case 'amount-not-positive':
      return 'amount: must be above 0'
    case 'wallet-unsuitable':
      return 'wallet: the account has no such wallet in its mode'
    case 'insufficient-available':
    case 'insufficient-margin':
      return `amount: needs ${plain(refusal.required)}, available is ${plain(refusal.available)}`
    case 'transferable-exceeded':
      return `amount: at most ${plain(refusal.transferable)} may leave`
    case 'coin-unsuitable':
      return 'coin: this wallet takes the margin coins of its product line only'
    case 'price-beyond-positions':
      return 'prices: an open position would be worth more than the numbers of the venue carry'
    case 'deposits-exceeded':
      return `amount: a venue holds at most ${plain(coinInsideMax)} of a coin`
    case 'network-unknown':
      return 'chain: the coin has no such network'
    case 'deposits-suspended':
      return 'chain: takes no deposits of this coin now'
    case 'deposit-below-minimum':
      return `amount: must be at least ${plain(refusal.minimum)}`
    case 'amount-too-fine':
      return `amount: has at most ${refusal.decimals} decimals on this network`
    case 'withdrawal-unknown':
      return 'orderId: no withdrawal of this number is under way'
    case 'withdrawal-sent':
      return 'orderId: the withdrawal was sent already'
    case 'chain-record-wrong':
      return `${refusal.field}: ${refusal.rule}`
    case 'poisoned':
      return 'the command broke inside the engine and changed nothing'
    default:
      return `refused: ${refusal.kind}`
  }
}

function plain(units: bigint): string {
  return formatDecimal(units, amountDecimals)
}
