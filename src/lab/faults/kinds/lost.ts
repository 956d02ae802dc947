/**
 * Requests and answers that get lost.
 *
 * Source  lab.md §4.5
 */
import { body, optional, word } from '../../../operator/operator.ts'
import { losses } from '../call.ts'
import { atAnswer, atCommands } from '../kind.ts'

const how = body({ how: optional(word(losses)) })
const calls = ['http', 'socket'] as const

export const lost = [
  atCommands({
    name: 'lost-request',
    meaning: 'nothing ¦ never sequenced',
    point: 'admitted',
    with: how,
    over: calls,
    usual: 'place',
    strike: ({ call, given, answer }) => answer(call.lost(given.how ?? 'fin')),
  }),
  atAnswer({
    name: 'lost-ack',
    meaning: 'nothing ¦ done',
    point: 'answered',
    with: how,
    over: calls,
    usual: 'place',
    strike: async ({ call, given }) => call.lost(given.how ?? 'fin'),
  }),
]
