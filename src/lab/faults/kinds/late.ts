/**
 * Answers and orders that come late, in the venue's time: on a clock that stands still somebody moves it.
 *
 * Sequenced  a late order meets the book of that moment, also where its sender was told something else long ago
 * Source     lab.md §4.5
 */
import { body, optional } from '../../../operator/operator.ts'
import { OutcomeUnknown } from '../../../runtime/core.ts'
import { atAnswer, atCommands } from '../kind.ts'
import { field } from '../../../operator/operator.ts'
import { calls, span } from './fields.ts'

const only40010 = field('40010, or left away', (value) => (String(value) === '40010' ? ('40010' as const) : undefined))

export const late = [
  atAnswer({
    name: 'late-ack',
    meaning: 'answer after its time-out ¦ done at once',
    point: 'answered',
    with: body({ ms: span }),
    over: calls,
    usual: 'place',
    async strike({ answer, given, wait }) {
      await wait(given.ms)
      return answer
    },
  }),
  atCommands({
    name: 'late-request',
    meaning: 'time-out, or 40010 now ¦ sequenced ms later',
    point: 'admitted',
    with: body({ ms: span, answer: optional(only40010) }),
    over: calls,
    usual: 'place',
    commandsOnly: true,
    strike({ given, submitLater }) {
      const submitted = submitLater(given.ms)
      if (given.answer === undefined) return submitted
      submitted.catch(() => {})
      throw new OutcomeUnknown('timed-out')
    },
  }),
]
