/**
 * History as a gateway has it: the core reads it. What a gateway was answered, the core has recorded before, so a read at any
 * gateway sees it. Nothing is recorded here, and nothing is pruned.
 */
import {
  type History,
  HistoryFailed,
  type HistoryHealth,
  type Page,
  type ReadName as AnyRead,
  type RowOf,
  writtenPage,
} from '../history/history.ts'

/** `ownBills` is the core's own. */
type ReadName = Exclude<AnyRead, 'ownBills'>
type Ask = (what: string, ...args: readonly unknown[]) => Promise<unknown>

const working: HistoryHealth = {
  state: 'working',
  fault: undefined,
  recordedSequence: 0,
  committedSequence: 0,
  pendingEvents: 0,
  droppedEvents: 0,
  keptBytes: 0,
}

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
  lineage: true,
  orderTimeline: true,
  liquidations: true,
  liquidationTimeline: true,
}

export function remoteHistory(ask: Ask): History {
  const readers = Object.keys(reads).map((name) => [name, (query: unknown) => ask('history', name, query)])
  // Texts of rows are made here: what the core keeps of them is its own.
  const written: History['written'] = async (name, query, form, under) => {
    return writtenPage((await ask('history', name, query)) as Page<RowOf<typeof name>>, form, under)
  }
  const notHere = () => Promise.reject(new HistoryFailed('history is kept by the core'))
  return {
    ...(Object.fromEntries(readers) as Pick<History, ReadName>),
    written,
    appliedSequence: 0,
    pendingEvents: 0,
    generation: undefined,
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
  }
}

/** What the core answers. Only reads are answered, whatever somebody names. */
export function historyAnswers(history: History): (name: string, query: never) => Promise<unknown> {
  return (name, query) => {
    if (!Object.hasOwn(reads, name)) throw new Error(`history has no ${name}`)
    return (history[name as ReadName] as (query: never) => Promise<unknown>)(query)
  }
}
