/**
 * The story of a run, row by row: what the venue did, what the bot was told, and what it did.
 *
 * Bounded   around the fault; what repeats itself is one row, and of very many rows the middle is left out
 * Truth     an answer that a fault kept back is told as the venue's deed, not as what the bot saw
 */
import type { Evidence, Firing, JournalLine, TrafficLine } from '../evidence.ts'
import type { Run } from '../run.ts'
import { answerText, deedText, pushText, short } from './words.ts'

export interface Row {
  /** Milliseconds from when the fault struck. */
  readonly ms: number
  readonly who: 'venue' | 'told' | 'bot'
  readonly text: string
}

const beforeMs = 1_500
const afterMs = 1_000
const rowsMax = 140

/** Faults that keep an answer from the one who asked. */
const silent =
  /^lost|hang|refuse-connections|half-open|idle-close|unknown|late|not-placed|http|garbled|slow-body|partial-batch/

export function timeline({ evidence, notes, said }: Run): readonly Row[] {
  const { struck, recovered, exits } = evidence
  const rows: { readonly at: number; readonly who: Row['who']; readonly text: string }[] = [
    ...notes.map(({ at, text }) => ({ at, who: 'venue' as const, text })),
    ...evidence.firings.map((firing) => ({ at: firing.at, who: 'venue' as const, text: firingText(firing) })),
    ...evidence.traffic.flatMap((line) => trafficRows(line, evidence)),
    ...evidence.journal.flatMap((line) => journalRows(line, evidence)),
    ...exits.map(({ at, code, signal }) => ({ at, who: 'bot' as const, text: `ends (${signal ?? `code ${code}`})` })),
    ...said
      .filter(({ isError }) => isError)
      .map(({ at, text }) => ({ at, who: 'bot' as const, text: `says: ${text}` })),
  ]
  const told = rows
    .filter(({ at }) => at >= struck - beforeMs && at <= recovered + afterMs)
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, who, text }) => ({ ms: Math.round(at - struck), who, text }))
  return shortened(joined(told))
}

function firingText({ fault, outcome, outcomes, struck, endpoint = '' }: Firing): string {
  const truth = outcomes === undefined ? outcome : outcomes.join(', ')
  const path = endpoint.split('/').at(-1) ?? ''
  const many = struck === undefined || struck < 2 ? '' : `, ${struck} times`
  return `${fault}${path === '' ? '' : ` at ${path}`}${truth === undefined ? '' : `; in truth: ${truth}`}${many}`
}

function trafficRows(line: TrafficLine, evidence: Evidence) {
  const { at } = line
  if (line.kind === 'handshake') return [{ at, who: 'bot' as const, text: `asks for a socket ${line.target ?? ''}` }]
  if (line.kind === 'opened') return [{ at, who: 'told' as const, text: 'a socket is open' }]
  if (line.kind === 'closed') return [{ at, who: 'told' as const, text: 'a socket is gone' }]
  if (line.kind === 'in') return [{ at, who: 'bot' as const, text: `sends ${messageText(line.text ?? '')}` }]
  if (line.kind === 'out') {
    const text = pushText(line.text ?? '')
    return text === undefined || line.uid !== evidence.uid ? [] : [{ at, who: 'told' as const, text }]
  }
  if (line.key !== undefined && line.key !== evidence.key) return []
  const deed = { at, who: 'bot' as const, text: deedText(line) }
  const isKept = evidence.firings.some((firing) => keeps(firing, line))
  if (isKept || line.answeredAt === undefined) return [deed]
  return [deed, { at: line.answeredAt, who: 'told' as const, text: answerText(line) }]
}

function keeps({ fault, at, endpoint }: Firing, line: TrafficLine): boolean {
  const isThen = at >= line.at - 1 && at <= (line.answeredAt ?? line.at) + 1
  return isThen && silent.test(fault) && (endpoint === undefined || endpoint === line.endpoint)
}

/** What became of the bot's orders that it did not ask for itself. */
function journalRows({ at, command, events }: JournalLine, { uid, steps }: Evidence) {
  if (command['uid'] === uid) return []
  return events.flatMap((event) => {
    if (event.kind === 'fill' && event['uid'] === uid) {
      const symbol = String(event['symbol'])
      const { price, quantity } = steps[symbol] ?? { price: 1, quantity: 1 }
      const size = Number((Number(event['quantity']) * quantity).toFixed(8))
      const value = Number((Number(event['price']) * price).toFixed(8))
      const cause = event['cause'] === 'user' ? '' : ` (${String(event['cause'])})`
      return [
        {
          at,
          who: 'venue' as const,
          text: `fills ${short(String(event['clientOid']))}: ${String(event['bookSide'])} ${size} at ${value}${cause}`,
        },
      ]
    }
    return []
  })
}

function messageText(text: string): string {
  const [, op = 'a message'] = /"op":"(\w+)"/.exec(text) ?? []
  const topics = [...text.matchAll(/"(?:topic|channel)":"([\w-]+)"/g)].map(([, topic]) => topic)
  return topics.length === 0 ? op : `${op} ${topics.join(', ')}`
}

function joined(rows: readonly Row[]): readonly Row[] {
  const all: (Row & { times: number })[] = []
  for (const row of rows) {
    const last = all.at(-1)
    if (last !== undefined && last.who === row.who && last.text === row.text) last.times += 1
    else all.push({ ...row, times: 1 })
  }
  return all.map(({ ms, who, text, times }) => ({ ms, who, text: times === 1 ? text : `${text} (${times} times)` }))
}

function shortened(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= rowsMax) return rows
  const first = rows.slice(0, Math.round(rowsMax * 0.75))
  const last = rows.slice(first.length - rowsMax)
  const left = rows.length - first.length - last.length
  return [...first, { ms: last[0].ms, who: 'venue', text: `… ${left} rows are left out …` }, ...last]
}
