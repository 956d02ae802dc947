/**
 * Answers and orders that come late, in the venue's time: on a clock that stands still somebody moves it.
 *
 * Drawn      with `msMax` each answer has a delay of its own, the same in every run
 * Sequenced  a late order meets the book of that moment, also where its sender was told something else long ago
 * Source     lab.md §4.5
 */
import { body, field, optional } from '../../../operator/operator.ts'
import { LabRefusal } from '../../refusals.ts'
import { atAnswer, atCommands } from '../kind.ts'
import { share } from '../when.ts'
import { PretendedUnknown } from '../pretended.ts'
import { calls, span } from './fields.ts'

const only40010 = field('40010, or left away', (value) => (String(value) === '40010' ? ('40010' as const) : undefined))

export const late = [
  atAnswer({
    name: 'late-ack',
    meaning: 'answer after its time-out ¦ done at once',
    point: 'answered',
    with: body({ ms: span, msMax: optional(span) }),
    over: calls,
    usual: 'place',
    check({ ms, msMax = ms }) {
      if (msMax >= ms) return
      throw new LabRefusal(400, 'body-wrong', 'with.msMax must not be below with.ms', { field: 'with.msMax' })
    },
    async strike({ answer, given, wait, rule, firing }) {
      const { ms, msMax = ms } = given
      await wait(ms + Math.floor(share(`${rule} ${firing}`) * (msMax - ms + 1)))
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
      throw new PretendedUnknown('timed-out')
    },
  }),
]
