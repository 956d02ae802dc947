/**
 * Calls that are refused before anything of them is looked at: too many, a key that is not good, an error of whatever stands
 * before the venue.
 *
 * Lasting   `for` goes on from the first call that is struck; left away, it is that call alone
 * Source    lab.md §4.5
 */
import type { Code } from '../../../api/api.ts'
import { body, optional, wholeNumber, field } from '../../../operator/operator.ts'
import { atRead } from '../kind.ts'
import { calls, span } from './fields.ts'

const keyCodes = ['40006', '40009', '40012', '40014', '40018', '40037'] as const
const keyCode = field<(typeof keyCodes)[number] & Code>(`one of ${keyCodes.join(', ')}`, (value) =>
  keyCodes.find((known) => known === String(value)),
)

export const refused = [
  atRead({
    name: 'rate-limit',
    meaning: '429 ¦ not sequenced',
    point: 'read',
    with: body({ for: optional(span), retryAfter: optional(wholeNumber(0, 86_400)) }),
    over: calls,
    usual: 'any',
    lasts: (given) => given.for,
    strike: async ({ call, given }) =>
      call.refusal('429', {
        httpStatus: 429,
        headers: given.retryAfter === undefined ? {} : { 'retry-after': String(given.retryAfter) },
      }),
  }),
  atRead({
    name: 'key-refused',
    meaning: 'key, permission or address refused ¦ not sequenced',
    point: 'read',
    with: body({ for: optional(span), code: optional(keyCode) }),
    over: calls,
    usual: 'any',
    keyedOnly: true,
    lasts: (given) => given.for,
    async strike({ call, given }) {
      const { access } = call.endpoint
      const facts = given.code === '40014' && access !== 'public' ? [access.permission] : []
      return call.refusal(given.code ?? '40006', { facts })
    },
  }),
]
