/** A history that is written and pruned somewhere else, as those have it who only read it. */
import { type History, type HistoryHealth, writtenPage } from './history.ts'
import type { RowOf } from './kept-rows.ts'
import type { Page, ReadName as AnyRead } from './reads.ts'
import { HistoryFailed } from './trouble.ts'

/** `ownBills` is asked by who keeps rows of bills. */
type ReadName = Exclude<AnyRead, 'ownBills'>

/** All that is read of it. */
const reads: Readonly<Record<ReadName, true>> = {
  fills: true,
  orders: true,
  triggers: true,
  order: true,
  trades: true,
  candles: true,
  fundingRates: true,
  transfers: true,
  positionMoves: true,
  externalFlows: true,
  chainTransfers: true,
  loans: true,
  repayments: true,
  interest: true,
  bills: true,
  conversions: true,
  insurance: true,
  insuranceHours: true,
  liquidationOffers: true,
  marginLiquidations: true,
  fundingPayments: true,
  positions: true,
  rebates: true,
  equity: true,
  lineage: true,
  orderTimeline: true,
  liquidations: true,
  liquidationTimeline: true,
}

export const readNames = Object.keys(reads) as readonly ReadName[]

/** As a venue's own history shows itself where there is nothing to be told. */
const working: HistoryHealth = {
  state: 'working',
  fault: undefined,
  recordedSequence: 0,
  committedSequence: 0,
  pendingEvents: 0,
  droppedEvents: 0,
  keptBytes: 0,
}

/** What of it the one who reads has beside the reads. */
type Own = Partial<Pick<History, 'record' | 'health' | 'close'>>

/** `read` answers what `name` asks. */
export function historyReadBy(read: (name: ReadName, query: never) => Promise<unknown>, own: Own = {}): History {
  const readers = readNames.map((name) => [name, (query: never) => read(name, query)])
  // Texts of rows are made here: what others keep of them is their own.
  const written: History['written'] = async (name, query, form, under) => {
    return writtenPage((await read(name, query as never)) as Page<RowOf<typeof name>>, form, under)
  }
  const notHere = () => Promise.reject(new HistoryFailed('it is kept somewhere else'))
  return {
    ...(Object.fromEntries(readers) as Pick<History, ReadName>),
    written,
    appliedSequence: 0,
    pendingEvents: 0,
    generation: undefined,
    recordedAt: 0,
    health: () => working,
    record() {},
    heapBytes: async () => undefined,
    flush: async () => {},
    flushDurably: notHere,
    prune: notHere,
    save: notHere,
    restore: notHere,
    noteRules: notHere,
    close: async () => {},
    abandon: async () => {},
    ...own,
  }
}
