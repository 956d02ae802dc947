/**
 * The accounts that are nearest to being liquidated, each with the pool that is.
 *
 * Nearest   liquidation itself waits for prices at which an account must be looked at again. Those whose wait is shortest are
 *           taken, by how far a price may still go as a share of itself; of them the ratios say the order
 * Bounds    `lookedMax` accounts are looked at, however many there are
 * Halted    accounts that wait for a contract without a trusted price come after all others: nothing happens to them now
 * Source    liquidation/scan.ts, liquidation/debtor-watch.ts for what is waited for
 */
import type { InstrumentId } from '../catalog/catalog.ts'
import { isHalted } from '../price-rules/price-rules.ts'
import type { MarginPoolView, NearLiquidationView } from '../protocol/query.ts'
import { distanceOne, type Reading } from '../state/state.ts'
import { emptyHeap, inOrder, removeItem, setKey, topOf } from '../storage/storage.ts'
import type { AccountHandle } from '../vocabulary.ts'
import { marginPools } from './margin-pools.ts'

/** Accounts that are looked at for an answer. */
const lookedMax = 300

/** Highest ratio first, then by account; `more`: there are others that risk something. */
export function nearLiquidation(reading: Reading, limit: number): NearLiquidationView {
  const looked = new Set<AccountHandle>()
  let isWhole = true
  for (const account of byDistance(sourcesOf(reading))) {
    if (looked.has(account)) continue
    if (looked.size === lookedMax) {
      isWhole = false
      break
    }
    looked.add(account)
  }
  const pools = [...looked].flatMap((handle) => nearestOf(marginPools(reading, reading.accounts.byHandle(handle))))
  pools.sort((first, other) =>
    first.ratio === other.ratio ? first.uid - other.uid : first.ratio > other.ratio ? -1 : 1,
  )
  return { pools: pools.slice(0, limit), more: !isWhole || pools.length > limit }
}

function nearestOf(pools: readonly MarginPoolView[]): MarginPoolView[] {
  const [nearest] = pools.toSorted((first, other) =>
    first.ratio > other.ratio ? -1 : first.ratio < other.ratio ? 1 : 0,
  )
  return nearest === undefined ? [] : [nearest]
}

/** Further than any price may go. */
const beyondAll = 1e12

/** Accounts with how far a price may go before they are looked at again, the nearest first. */
type Source = Iterator<readonly [account: AccountHandle, distance: number]>

function sourcesOf(reading: Reading): Source[] {
  const { liquidation, debtors, ledger, futures } = reading
  // Not looked at since they changed: they wait for no price yet.
  const changed = ledger.changed.filter((account) => futures.positionCount(account) > 0)
  const due = [...liquidation.queue.map(({ account }) => account), ...debtors.breached, ...debtors.changed, ...changed]
  const watches = [liquidation.unions, debtors.waiting].map(({ near, far, base, away }) => [
    atOnce(near),
    measured(inOrder(far), (key) => (key - base - away) / distanceOne),
  ])
  return [atOnce(due), ...watches.flat(), ...reading.catalog.instruments.flatMap(({ id }) => sourcesIn(reading, id))]
}

/** Of a contract: accounts that wait for its mark to fall, and to rise. */
function sourcesIn(reading: Reading, id: InstrumentId): Source[] {
  const mark = reading.prices.markPrice(id)
  const last = isHalted(reading, id) ? beyondAll : 0
  const ways = [
    [reading.liquidation.below[id], (key: number) => mark + key],
    [reading.liquidation.above[id], (key: number) => key - mark],
  ] as const
  return ways.flatMap(([heap, ticks]) =>
    heap === undefined || heap.items.length === 0 ? [] : [measured(inOrder(heap), (key) => ticks(key) / mark, last)],
  )
}

function* atOnce(accounts: Iterable<AccountHandle>): Source {
  for (const account of accounts) yield [account, 0]
}

function* measured(
  waiting: Iterable<readonly [account: AccountHandle, key: number]>,
  distance: (key: number) => number,
  beyond = 0,
): Source {
  for (const [account, key] of waiting) yield [account, Math.max(0, distance(key)) + beyond]
}

/** All of them in one row; an account may come more than once. */
function* byDistance(sources: readonly Source[]): Generator<AccountHandle> {
  const heads: AccountHandle[] = []
  const open = emptyHeap()
  const advance = (place: number) => {
    const { value, done } = sources[place].next()
    if (done === true) return removeItem(open, place)
    heads[place] = value[0]
    setKey(open, place, value[1])
  }
  sources.forEach((_, place) => advance(place))
  for (let place = topOf(open); place !== undefined; place = topOf(open)) {
    yield heads[place]
    advance(place)
  }
}
