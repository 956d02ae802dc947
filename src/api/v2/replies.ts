/**
 * From the engine's replies to v2 answers: the reply that was hoped for, or the refusal as an error; and batches, whose
 * entries succeed and fail one by one.
 *
 * Batches   what can be read is sequenced together, in order; every entry answers in one of the two lists. A batch
 *           always succeeds as a whole: its envelope stays `00000`
 * Order     both lists are in the order of the request
 * Ids       a failed entry carries the ids that it was sent with
 * Source    interface.md E3, E7, Errors rules 2 and 3; design.md §4.8, §4.13; wire/errors.md "Per-order errors in batches"
 */
import type { Static } from 'typebox'
import type { Instrument } from '../../engine/catalog/catalog.ts'
import type { Command } from '../../engine/protocol/command.ts'
import type { Reply } from '../../engine/protocol/reply.ts'
import type { OrderId } from '../../engine/vocabulary.ts'
import type { Context } from '../endpoint.ts'
import { ApiError, type Family, type Locale, messageOf, refusalError, type Subject } from '../errors/errors.ts'
import { formatOrderId } from '../figures.ts'
import { type Attempt, Miswritten } from '../parsing/fields.ts'
import type { FailedOrder, Placed } from './records.ts'

type ReplyOf<Kind extends Reply['kind']> = Extract<Reply, { kind: Kind }>

export function accepted<Kind extends Reply['kind']>(
  reply: Reply,
  kind: Kind,
  family: Family,
  subject?: Subject,
): ReplyOf<Kind> {
  if (reply.kind === 'refused') throw refusalError(reply.refusal, family, subject)
  if (reply.kind !== kind) throw new Error(`the engine answered ${reply.kind} where ${kind} was due`)
  return reply as ReplyOf<Kind>
}

/** Order number zero: earlier reduce-only orders had to go, and the answer carries none (design §4.9). */
export function acknowledgement(order: { readonly orderId: OrderId | 0; readonly clientOid: string }) {
  const { orderId, clientOid } = order
  return orderId === 0 ? { clientOid } : { orderId: formatOrderId(orderId), clientOid }
}

/** An order that is known to have a number. */
export function numbered(order: { readonly orderId: OrderId; readonly clientOid: string }) {
  return { orderId: formatOrderId(order.orderId), clientOid: order.clientOid }
}

export interface Drafted {
  readonly command: Command
  readonly instrument: Instrument | undefined
}

interface EntryIds {
  readonly orderId?: string
  readonly clientOid?: string | Miswritten
}

export interface BatchAnswer<Success> {
  readonly successList: Success[]
  readonly failureList: Static<typeof FailedOrder>[]
}

/** Places or cancels the orders of a batch: `draft` makes the command of one entry, or throws what is wrong with it. */
async function submitEach<Entry extends EntryIds, Success>(
  context: Context,
  attempts: readonly Attempt<Entry>[],
  draft: (entry: Entry) => Drafted,
  success: (reply: Reply, subject: Subject) => Success,
): Promise<BatchAnswer<Success>> {
  const drafts = attempts.map((attempt) => orError(() => draft(read(attempt))))
  const commands = drafts.flatMap((drafted) => (drafted instanceof ApiError ? [] : drafted.command))
  const replies = commands.length === 0 ? [] : await context.core.submitAll(commands)
  const answer: BatchAnswer<Success> = { successList: [], failureList: [] }
  let submitted = 0
  for (const [index, drafted] of drafts.entries()) {
    const outcome = orError(() => {
      if (drafted instanceof ApiError) throw drafted
      return success(replies[submitted++], { catalog: context.catalog, instrument: drafted.instrument })
    })
    if (outcome instanceof ApiError) answer.failureList.push(failure(outcome, attempts[index], context.locale))
    else answer.successList.push(outcome)
  }
  return answer
}

function read<Entry>(attempt: Attempt<Entry>): Entry {
  if (!attempt.ok) throw attempt.fault
  return attempt.value
}

function orError<T>(make: () => T): T | ApiError {
  try {
    return make()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

function failure(error: ApiError, attempt: Attempt<EntryIds> | undefined, locale: Locale): Static<typeof FailedOrder> {
  const { orderId = '', clientOid: named = '' } = (attempt?.ok ? attempt.value : attempt) ?? {}
  const clientOid = named instanceof Miswritten ? named.sent : named
  return { orderId, clientOid, errorMsg: messageOf(error, locale), errorCode: error.code }
}

export function placeEach<Entry extends EntryIds>(
  context: Context,
  family: Family,
  attempts: readonly Attempt<Entry>[],
  draft: (entry: Entry) => Drafted,
): Promise<BatchAnswer<Static<typeof Placed>>> {
  return submitEach(context, attempts, draft, (reply, subject) =>
    acknowledgement(accepted(reply, 'placed', family, subject)),
  )
}

export function cancelEach<Entry extends EntryIds>(
  context: Context,
  family: Family,
  attempts: readonly Attempt<Entry>[],
  draft: (entry: Entry) => Drafted,
): Promise<BatchAnswer<{ orderId: string; clientOid: string }>> {
  return submitEach(context, attempts, draft, (reply, subject) => {
    const [order] = accepted(reply, 'canceled', family, subject).orders
    if (order === undefined) throw new Error('the engine canceled no order where one was named')
    return numbered(order)
  })
}
