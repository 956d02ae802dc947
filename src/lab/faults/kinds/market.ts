/**
 * Market faults as rules: what a market does to those who trade in it, by ordinary journaled commands.
 *
 * Ends      after its `for`, or with its rule; then what it changed is what it was (market-faults/)
 * Not here  what each of them does, and its way back with snapshots: market-faults/
 * Source    lab.md §4.5
 */
import { body, category, field, optional, symbol, word } from '../../../operator/operator.ts'
import { applyMarketFault, checkMarketFault, marketFaultNames } from '../../market-faults/market-faults.ts'
import { who } from '../../things.ts'
import { readDuration } from '../../times.ts'
import type { LabVenue } from '../../venue.ts'
import { atRead } from '../kind.ts'
import { calls } from './fields.ts'

const meanings = {
  halt: 'the symbol is halted',
  'cancel-only': 'orders can only be canceled',
  'index-stale': 'the index is not told any more',
  'index-jump': 'the index jumps by a share',
  'one-sided': 'one side of the book is empty of the house',
  'empty-book': 'the house has left the book',
  wide: 'the best prices lie far apart',
  'flash-crash': 'the price falls by a share, and comes back',
  squeeze: 'the price rises by a share, and comes back',
  liquidate: 'the account is liquidated',
  adl: 'the account is deleveraged',
  'funding-spike': 'funding settles at this rate',
  'tier-down': 'tiers take less',
  'fee-up': 'fees are higher',
  'min-size-up': 'the least order is larger',
} as const satisfies Readonly<Record<(typeof marketFaultNames)[number], string>>

const asWritten = field<string | number>('a duration such as 250ms or 8h', (value) =>
  readDuration(value) === undefined ? undefined : (value as string | number),
)
const size = field<string | number>('a decimal number', (value) =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= 40) ? value : undefined,
)

/** How each that a rule has begun goes back, and the epoch that it belongs to: after a revert it is not its any more. */
const undone = new WeakMap<LabVenue, Map<string, { readonly epoch: number; readonly undo: () => Promise<void> }>>()

export const market = marketFaultNames.map((name) =>
  atRead({
    name,
    meaning: `${meanings[name]} ¦ through commands, journaled`,
    point: 'venue',
    with: body({
      symbol: optional(symbol),
      category: optional(category),
      for: optional(asWritten),
      size: optional(size),
      side: optional(word(['bids', 'asks'])),
      uid: optional(who),
    }),
    over: calls,
    usual: 'any',
    check: (given, venue) => void checkMarketFault(venue, name, given, 'with.'),
    async begin({ given, venue, rule, note }) {
      const { sequences, undo } = await applyMarketFault(venue, name, given, 'with.')
      if (sequences.length > 0) note({ sequence: sequences[0] })
      let ofVenue = undone.get(venue)
      if (ofVenue === undefined) undone.set(venue, (ofVenue = new Map()))
      if (undo !== undefined) ofVenue.set(rule, { epoch: venue.parts.runtime.epoch, undo })
    },
    async removed({ venue, rule }) {
      const found = undone.get(venue)?.get(rule)
      undone.get(venue)?.delete(rule)
      if (found?.epoch === venue.parts.runtime.epoch) await found.undo()
    },
  }),
)
