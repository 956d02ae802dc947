/**
 * Tells the log when a main account with its sub-accounts passes a threshold of orders on one UTC day.
 *
 * Once     a line is written for the order that reaches the threshold, not for those after it
 * Not here the restriction, which the engine enforces
 * Source   design.md §4.20
 */
import type { Command } from '../engine/protocol/command.ts'
import type { Answer, Query, QueryKind } from '../engine/protocol/query.ts'
import type { Reply } from '../engine/protocol/reply.ts'
import type { Core, RuntimeLog } from '../runtime/runtime.ts'

export interface DailyOrderThresholds {
  /** Zero: none. */
  readonly dailyOrdersReminder: number
  readonly dailyOrdersWarning: number
}

/** The same core, watched; the very same where there is nothing to watch for. */
export function watchDailyOrders(
  core: Core,
  thresholds: DailyOrderThresholds,
  log: Pick<RuntimeLog, 'info' | 'warn'>,
): Core {
  const { dailyOrdersReminder: reminder, dailyOrdersWarning: warning } = thresholds
  if (reminder === 0 && warning === 0) return core
  const look = (command: Command, reply: Reply) => {
    if (reply.kind !== 'placed' || command.kind !== 'place-order') return
    const facts = { uid: command.uid, dailyOrders: reply.dailyOrders }
    if (reply.dailyOrders === warning) log.warn(facts, 'daily orders: warning')
    else if (reply.dailyOrders === reminder) log.info(facts, 'daily orders: reminder')
  }
  return {
    async submit(command, trace) {
      const reply = await core.submit(command, trace)
      look(command, reply)
      return reply
    },
    async submitAll(commands, trace) {
      const replies = await core.submitAll(commands, trace)
      commands.forEach((command, index) => look(command, replies[index]))
      return replies
    },
    query<K extends QueryKind>(query: { readonly kind: K } & Query<K>): Answer<K> {
      return core.query(query)
    },
    now: () => core.now(),
    get rebuilt() {
      return core.rebuilt
    },
    fresh: core.fresh,
    assertHeard: core.assertHeard,
  }
}
