/** What operators did, newest first (trail.ts). */
import { call } from './call.ts'
import { body, optional, text, wholeNumber } from './fields.ts'

const limitDefault = 100
const limitMax = 1_000

export const trailCalls = [
  call(
    'GET /operator/trail',
    body({
      before: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
      limit: optional(wholeNumber(1, limitMax)),
      who: optional(text(64)),
    }),
    ({ before, limit = limitDefault, who }, { trail }) => trail.page({ before, limit, who }),
  ),
]
