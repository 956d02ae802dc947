/**
 * `GET /terminal/equity`: what an account was worth over a time, for its curve. The interface has no such call, so it is beside it.
 *
 * Points   oldest first: the last sample before the window, else the first in it; then the last of each of `limit` equal steps; then
 *          the present, where the window reaches it. Steps without a sample are left out
 * Profit   between two points is the difference of their equity less what the later one says was moved in
 * Whose    the key's own account alone, a sub-account by its own key; permissions as of all-account-balance, in every mode
 * Source   docs/decisions/0069-samples-of-equity.md
 */
import Type from 'typebox'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { formatAmount } from '../figures.ts'
import { limit, timestamp } from '../parsing/fields.ts'
import { timeWindow } from '../parsing/time-window.ts'
import { equityOf } from '../v2/assets.ts'

const equity = defineEndpoint({
  method: 'GET',
  path: '/terminal/equity',
  summary: 'What the account was worth over a time, in USDT, with what was moved in and out',
  source: 'docs/decisions/0069',
  access: { permission: 'spot_trade', level: 'read' },
  limit: { perSecond: 5, per: 'uid' },
  request: Type.Object({
    startTime: Type.Optional(timestamp({ description: 'Without one of them: 90 days ago' })),
    endTime: Type.Optional(timestamp({ description: 'Absent: the present' })),
    limit: limit(200, 1_000),
  }),
  response: Type.Array(Type.Object({ ts: Type.String(), equity: Type.String(), moved: Type.String() })),
  async handle(context, { startTime, endTime, limit: steps }) {
    const { account, history, now } = context
    const { from, to = now } = timeWindow({ startTime, endTime }, { now })
    // Before history is asked: what is moved meanwhile is in neither.
    const present = { at: now, equity: equityOf(context), moved: 0n }
    const end = Math.min(to, now)
    const step = Math.max(1, Math.ceil((end - from + 1) / steps))
    const points = await history.equity({ uid: account.uid, from, to: end, step })
    return [...points, ...(to < now ? [] : [present])].map(({ at, equity: worth, moved }) => ({
      ts: String(at),
      equity: formatAmount(worth),
      moved: formatAmount(moved),
    }))
  },
})

export const terminalEndpoints: readonly Endpoint[] = [equity]
