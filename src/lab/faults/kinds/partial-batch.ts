/**
 * A batch of which some orders fail, and the others are done.
 *
 * Indexes   count the orders that got as far as a command, from 0 on: those that the venue refuses unread have none
 * Answer    has the code at each that failed. With a rule for `lost-ack` besides it is lost
 * Source    lab.md §4.5
 */
import { ApiError, type Code, isCode, messageOf } from '../../../api/api.ts'
import type { Reply } from '../../../engine/protocol/reply.ts'
import { body, field, optional } from '../../../operator/operator.ts'
import type { Answer } from '../call.ts'
import { atCommands } from '../kind.ts'
import { calls } from './fields.ts'

const anyCode = field<Code>('a code of the interface, such as 40762', (value) => {
  const named = String(value)
  return isCode(named) ? named : undefined
})

const fail = field<readonly number[]>('a list of up to 100 whole numbers from 0 on', (value) => {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isGood =
    list.length > 0 &&
    list.length <= 100 &&
    list.every((index) => Number.isSafeInteger(index) && (index as number) >= 0)
  return isGood ? (list as number[]) : undefined
})

/** What the engine says of a command that broke: no order is refused with it otherwise. */
const brokenCode = '45001'

export const partialBatch = [
  atCommands({
    name: 'partial-batch',
    meaning: 'mixed result ¦ the others done',
    point: 'admitted',
    with: body({ fail, code: optional(anyCode) }),
    over: calls,
    usual: 'batch',
    commandsOnly: true,
    batchesOnly: true,
    async strike({ given, commands, submit }) {
      const isFailed = (place: number) => given.fail.includes(place)
      const replies = [...(await submit(commands.filter((_, place) => !isFailed(place))))]
      return commands.map(
        (_, place): Reply =>
          isFailed(place) ? { kind: 'refused', refusal: { kind: 'poisoned' } } : (replies.shift() as Reply),
      )
    },
    retouch: (answer, given) => withCode(answer, given.code ?? brokenCode),
  }),
]

function withCode(answer: Answer, code: Code): Answer {
  const { settled, body: text } = answer
  if (code === brokenCode) return answer
  if (settled !== undefined)
    return 'data' in settled ? { ...answer, settled: { data: retold(settled.data, code) } } : answer
  if (answer.httpStatus !== 200) return answer
  const envelope = JSON.parse(text.toString()) as Readonly<Record<string, unknown>>
  return { ...answer, body: JSON.stringify({ ...envelope, data: retold(envelope['data'], code) }) }
}

/** The same with the code and its sentence in place of what the engine says. */
function retold(value: unknown, code: Code): unknown {
  if (Array.isArray(value)) return value.map((one) => retold(one, code))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, member]) => [name, retold(member, code)] as const)
  const told = Object.fromEntries(fields)
  const msg = messageOf(new ApiError(code), 'en-US')
  if (told['code'] === brokenCode) return { ...told, code, msg }
  if (told['errorCode'] === brokenCode) return { ...told, errorCode: code, errorMsg: msg }
  return told
}
