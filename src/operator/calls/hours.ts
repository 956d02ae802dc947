/** What the venue did in the last hours, and what its log says. */
import { logLevels } from '../log-tail.ts'
import { call, nothing } from './call.ts'
import { body, optional, wholeNumber, word } from './fields.ts'

const limitDefault = 200
const limitMax = 1_000

export const hourCalls = [
  call('GET /operator/course', nothing, (_, ports) => ports.course()),
  call(
    'GET /operator/log',
    body({
      level: optional(word(logLevels)),
      before: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
      limit: optional(wholeNumber(1, limitMax)),
    }),
    ({ level, before, limit = limitDefault }, { logTail }) => logTail.page({ level, before, limit }),
  ),
]
