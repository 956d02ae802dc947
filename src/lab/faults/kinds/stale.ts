/**
 * Reads that are behind, and prices that stand still, while the engine goes on.
 *
 * stale-reads    answer as of so many milliseconds ago, but not from before the fault began: orders, positions, lists too
 * stale-prices   tickers, candles, mark and index stand where they stood, over HTTP and in pushes; books and trades go on
 * Source         lab.md §4.5, §6
 */
import { body, optional, symbol } from '../../../operator/operator.ts'
import type { LabVenue } from '../../venue.ts'
import { Behind } from '../behind.ts'
import { atRead, type Fired } from '../kind.ts'
import { checkSymbol } from '../selector.ts'
import { span } from './fields.ts'

type WhichFault = Pick<Fired<unknown>, 'venue' | 'rule'>

const opened = new WeakMap<LabVenue, Map<string, Promise<Behind>>>()

async function open({ venue, rule }: WhichFault): Promise<void> {
  let ofVenue = opened.get(venue)
  if (ofVenue === undefined) opened.set(venue, (ofVenue = new Map()))
  const opening = Behind.open(venue)
  ofVenue.set(rule, opening)
  await opening
}

function find({ venue, rule }: WhichFault): Promise<Behind> | undefined {
  return opened.get(venue)?.get(rule)
}

async function close(fired: WhichFault): Promise<void> {
  const behind = await find(fired)
  opened.get(fired.venue)?.delete(fired.rule)
  await behind?.close()
}

const goesOn = /\/(?:orderbook|depth|merge-depth|fills|fills-history|trades)$/
const pricesTold = /^(?:ticker|candle.*|kline|index-price)$/i

export const stale = [
  atRead({
    name: 'stale-reads',
    meaning: 'reads answer as of ms ago: the order just placed is not found ¦ live',
    point: 'venue',
    with: body({ ms: span, for: optional(span) }),
    over: ['http'],
    usual: 'read',
    isFit: ({ endpoint }) => endpoint.method === 'GET',
    lasts: (given) => given.for ?? Number.POSITIVE_INFINITY,
    begin: (fired) => open(fired),
    end: (fired) => close(fired),
    async strike(fired) {
      const { given, inside, next } = fired
      const behind = await find(fired)
      behind?.advanceTo(inside.core.now() - given.ms)
      return next(behind?.inside(inside))
    },
  }),
  atRead({
    name: 'stale-prices',
    meaning: 'tickers, mark and candles stand still ¦ the engine goes on',
    point: 'venue',
    with: body({ symbol: optional(symbol), for: optional(span) }),
    over: ['http'],
    usual: 'market',
    check: (given, venue) => {
      if (given.symbol !== undefined) checkSymbol(given.symbol, venue, 'with.symbol')
    },
    isFit: ({ endpoint }) => endpoint.method === 'GET' && !goesOn.test(endpoint.path),
    lasts: (given) => given.for ?? Number.POSITIVE_INFINITY,
    begin: (fired) => open(fired),
    end: (fired) => close(fired),
    async strike(fired) {
      const { given, inside, next, venue } = fired
      const behind = await find(fired)
      return next(behind?.inside(inside, instrumentsOf(venue, given.symbol)))
    },
    passes({ message, given }) {
      const { channel = '', direction, symbols } = message
      if (direction === 'in' || !pricesTold.test(channel)) return true
      return given.symbol !== undefined && !symbols.includes(given.symbol)
    },
  }),
]

/** Undefined: all. */
function instrumentsOf(venue: LabVenue, named: string | undefined): ReadonlySet<number> | undefined {
  if (named === undefined) return undefined
  const { instruments } = venue.parts.runtime.query({ kind: 'catalog' })
  return new Set(instruments.filter((instrument) => instrument.symbol === named).map(({ id }) => id))
}
