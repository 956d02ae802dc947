/**
 * D: one intent, one order. After an unknown outcome no second order has effect that asks for the same under another client order id,
 * unless the bot has found out about the first one before.
 *
 * Same      symbol, side, size and price step
 * Found out it asked for the order, for lists that have it, or for its position; or it was told by a push and had a moment to hear it;
 *           or it asked for the first one to be canceled
 */
import type { Evidence, Firing, JournalLine, TrafficLine } from '../evidence.ts'
import { requestsOf } from '../evidence.ts'
import { figure } from './alike.ts'

/** Whoever sends again within this time means the same: later it is another cycle. */
const sameIntentMs = 30_000

/** Whoever sends again sooner after a push has not heard it. */
const hearingMs = 500

const asking =
  /order-info|orderInfo|orders?-(?:pending|detail|history)|unfilled-orders|history-orders|open-orders|fills|fill-history|position|order\/detail/

export function duplicateFindings(run: Evidence): readonly string[] {
  const placed = run.journal.filter((line) => isPlaced(line, run.uid))
  const found = new Set<string>()
  for (const firing of run.firings) {
    for (const first of placed.filter((line) => isUnknown(line, firing))) {
      const second = placed.find((line) => isSame(first, line) && repeats(first, line, firing, run))
      if (second !== undefined) found.add(sentence(first, second, run))
    }
  }
  return [...found]
}

function isPlaced({ command, reply }: JournalLine, uid: number): boolean {
  return command.kind === 'place-order' && command['uid'] === uid && reply?.kind === 'placed'
}

/** What the client was not told about: the command that the fault met. One that lands later has its sequence then. */
function isUnknown({ sequence }: JournalLine, { sequence: first, outcomes = [] }: Firing): boolean {
  return first !== undefined && sequence >= first && sequence < first + Math.max(1, outcomes.length)
}

function isSame({ command: one }: JournalLine, { command: other }: JournalLine): boolean {
  if (one['clientOid'] === other['clientOid']) return false
  const fields = ['instrument', 'side', 'price', 'reduceOnly'] as const
  return fields.every((name) => one[name] === other[name]) && lotsOf(one) === lotsOf(other)
}

function lotsOf(command: JournalLine['command']): string {
  return JSON.stringify(command['quantity'])
}

/** Whether it was sent without having found out about the first one. */
function repeats(first: JournalLine, second: JournalLine, firing: Firing, run: Evidence): boolean {
  const sent = sentAt(second, run)
  if (sent < firing.at || sent - firing.at > sameIntentMs) return false
  if (endedBefore(first, sent, run)) return false
  return !run.traffic.some((line) => line.at >= firing.at && line.at <= sent && tells(line, first, sent, run))
}

/** When the request of an order came in: before its command was carried out. */
function sentAt({ at, command }: JournalLine, run: Evidence): number {
  const clientOid = String(command['clientOid'])
  const request = requestsOf(run).find((line) => line.at <= at && (line.text ?? '').includes(clientOid))
  return request?.at ?? at
}

function endedBefore({ reply, command }: JournalLine, at: number, run: Evidence): boolean {
  const orderId = String(reply?.['orderId'])
  return run.journal.some((line) => {
    const cancel = line.command.kind.startsWith('cancel-') && line.command['uid'] === command['uid']
    return (
      cancel &&
      line.at <= at &&
      line.events.some(({ kind, order }) => kind === 'order-ended' && idOf(order) === orderId)
    )
  })
}

function idOf(order: unknown): string {
  return String((order as { readonly orderId?: unknown } | undefined)?.orderId)
}

function tells(line: TrafficLine, first: JournalLine, sent: number, run: Evidence): boolean {
  const named = [String(first.command['clientOid']), String(first.reply?.['orderId'])]
  if (line.kind === 'out') {
    const isHeard = line.uid === run.uid && sent - line.at >= hearingMs
    return isHeard && named.some((name) => (line.text ?? '').includes(name))
  }
  if (line.kind !== 'request' || line.key !== run.key) return false
  const [method, path = ''] = (line.endpoint ?? '').split(' ')
  if (/cancel/.test(path)) return /all|symbol/.test(path) || named.some((name) => (line.text ?? '').includes(name))
  // An answer that came after the second one was sent has told nothing.
  return method === 'GET' && asking.test(path) && line.code === '00000' && (line.answeredAt ?? Infinity) <= sent
}

function sentence(first: JournalLine, second: JournalLine, { steps }: Evidence): string {
  const { command } = first
  const symbol = String(command['symbol'])
  const lots = (command['quantity'] as { readonly lots?: number } | undefined)?.lots ?? 0
  const size = figure(lots * (steps[symbol]?.quantity ?? 1))
  const at = figure(Number(command['price']) * (steps[symbol]?.price ?? 1))
  const ids = `${String(command['clientOid'])} and ${String(second.command['clientOid'])}`
  return `${String(command['side'])} ${size} ${symbol} at ${at} twice: ${ids}. The first one was not asked for`
}
