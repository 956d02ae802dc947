/**
 * What the reference says of the codes that a call may answer: each with its sentence and what to do about it.
 *
 * Each call   call-codes.ts, read out of the source. Codes of every call stand once, in the introduction
 * Tests       no answer of the tests has a code that is not listed for its call (test/support/listed-codes.ts)
 */
import { messageOf, ApiError, type Code } from '../errors/errors.ts'
import { callCodes } from './call-codes.ts'

export const everyCall: readonly Code[] = ['429', '40007', '40010', '40015', '40404', '40409', '40725', '45001']

export const everyPrivateCall: readonly Code[] = [
  ...(['40001', '40002', '40003', '40005', '40006', '40008', '40009', '40011', '40012', '40013', '40014'] as const),
  ...(['40018', '40024', '40037', '40048', '40078', '40079', '40084', '25006', '25245', '25620'] as const),
]

/** What to do about codes that have one remedy; of the others the message names the field and the rule. */
const remedies: readonly (readonly [codes: readonly Code[], remedy: string])[] = [
  [['429'], 'Send less: the limit of each call is in its description.'],
  [['40010', '40725', '45001'], 'The outcome is unknown: ask for the order by its clientOid before sending again.'],
  [['40015'], 'Nothing was done: send it again after a moment.'],
  [['40007'], 'Send a body as application/json.'],
  [['40404'], 'Check method and path.'],
  [['40005', '40008', '40078', '40079'], "Set your clock by the venue's time, and sign anew."],
  [['40001', '40002', '40003', '40006', '40009', '40011', '40012', '40037'], 'Check key, passphrase and signature.'],
  [['40014', '40018', '25620'], 'Use a key with this permission, from an address that it allows.'],
  [['40048'], 'Use a key of the main account.'],
  [['40084', '40085', '25245'], 'Use the version for the mode of the account.'],
  [['40013', '40024', '25005', '25006'], 'Ask the operator, or the owner of the account, about its state.'],
  [['40786', '25212'], 'It was taken before: ask for it by its id instead of sending it again.'],
  [['40019', '40913', '40924'], 'Send the field that is named.'],
  [['40761', '43005', '25211'], 'Cancel open orders first.'],
  [['40762', '43012', '50020', '25202', '25203', '43117'], 'Use a smaller quantity, or bring in more funds.'],
  [['43001', '40768', '40109', '43020', '43025', '25204', '25597'], 'Check the id: the order may have ended.'],
  [['40844', '41114', '50025', '45043', '25102', '25106'], 'Wait until the instrument trades again.'],
  [['22002', '40802', '25227'], 'Ask for the positions: there is none of this kind.'],
]

const remedyOf = new Map(remedies.flatMap(([codes, remedy]) => codes.map((code) => [code, remedy] as const)))

/** Every code that a call may answer. */
export function codesOfCall(method: string, path: string, isPrivate: boolean): readonly Code[] {
  return [...(callCodes[`${method} ${path}`] ?? []), ...everyCall, ...(isPrivate ? everyPrivateCall : [])]
}

/** The codes of one call alone. */
export function ownCodesText(method: string, path: string): string {
  return codeTable(callCodes[`${method} ${path}`] ?? [])
}

/** A table in Markdown. */
export function codeTable(codes: readonly Code[]): string {
  const rows = codes.map((code) => {
    const message = messageOf(new ApiError(code, ['…', '…']), 'en-US').replaceAll('|', '\\|')
    return `| \`${code}\` | ${message} | ${remedyOf.get(code) ?? 'Change what the message names.'} |`
  })
  return ['| Code | Message | What to do |', '|---|---|---|', ...rows].join('\n')
}
