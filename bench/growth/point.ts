/**
 * What commands and reads cost on a floor of one size, in a process of its own: `node point.ts ACCOUNTS ORDERS INSTRUMENTS`.
 *
 * Floor     unified accounts, each with a position in one of the linear contracts; orders rest over all accounts and contracts
 * History   two fills for every two accounts, and a hundred accounts that have a hundred fills each, which are read
 * Prints    one JSON object of nanoseconds of processor time
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHistory } from '../../src/history/history.ts'
import { matchOf } from '../matches.ts'
import { collectGarbage, random, rounded } from '../measure.ts'
import { TradingFloor } from '../trading-floor.ts'
import {
  contractOf,
  fill,
  type FullFloor,
  markUpdate,
  placeAndCancel,
  placed,
  positionRead,
  type Resting,
} from '../windows.ts'

export interface Point {
  readonly accounts: number
  readonly orders: number
  readonly instruments: number
}

const [accounts, orders, instruments] = process.argv.slice(2).map(Number)
const readers = 100
const pageLength = 100
/** Events ahead of the disk by at most so much, as the venue does. */
const pendingMax = 20_000

const full = open()
const same = placeAndCancel(full, 'same')
const any = placeAndCancel(full, 'any')
const inEngine = {
  placeSameNs: same.placeNs,
  placeAnyNs: any.placeNs,
  cancelSameNs: same.cancelNs,
  cancelAnyNs: any.cancelNs,
  fillSameNs: fill(full, 'same'),
  fillAnyNs: fill(full, 'any'),
  positionSameNs: positionRead(full, 'same'),
  positionAnyNs: positionRead(full, 'any'),
  ...markUpdate(full),
}
const figures = { ...inEngine, ...(await historyReads()) }
const printed = Object.entries(figures).map(([name, value]) => [name, rounded(value)])
process.stdout.write(`${JSON.stringify(Object.fromEntries(printed))}\n`)

function open(): FullFloor {
  const draw = random(1)
  const floor = new TradingFloor('linear')
  const { contracts, coins } = floor.listContracts(instruments)
  const uids = floor.openAccounts(accounts)
  floor.openPositions(draw, uids, contracts)
  const resting = Array.from({ length: orders }, (_, index): Resting => {
    const account = index % accounts
    const limit = { ...floor.drawResting(draw, uids[account]), instrument: contractOf({ contracts }, account) }
    return { orderId: placed(floor, floor.limit(limit)), limit }
  })
  collectGarbage()
  return { floor, uids, resting, contracts, coins, draw }
}

/** The newest page of an account's fills (E1) and of its ended orders (E13), the history's own thread included. */
async function historyReads(): Promise<{ readonly fillsNs: number; readonly ordersNs: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-growth-'))
  const history = await openHistory(join(directory, 'history.sqlite'))
  try {
    const draw = random(2)
    const others = Math.ceil(accounts / 2)
    const matches = others + readers * pageLength
    const from = Date.UTC(2026, 0, 1)
    for (let id = 1; id <= matches; id++) {
      // The readers' matches are strewn evenly among those of the others.
      const read = Math.floor((id * readers * pageLength) / matches)
      const isRead = read > Math.floor(((id - 1) * readers * pageLength) / matches)
      const maker = isRead ? 1 + (read % readers) : readers + 1 + Math.floor(draw() * accounts)
      const taker = readers + 1 + Math.floor(draw() * accounts)
      const instrument = Math.floor(draw() * instruments)
      history.record(id, from + id, matchOf({ id, at: from + id, instrument, maker, taker }, draw))
      if (history.pendingEvents > pendingMax) await history.flush()
    }
    await history.flushDurably()
    const fillsNs = await pages((uid) => history.fills({ uid, limit: pageLength }))
    const ordersNs = await pages((uid) => history.orders({ uid, limit: pageLength, from, to: from + matches }))
    return { fillsNs, ordersNs }
  } finally {
    await history.close()
    await rm(directory, { recursive: true })
  }
}

async function pages(page: (uid: number) => Promise<{ readonly rows: readonly unknown[] }>): Promise<number> {
  const warmUp = 1
  let cpu = process.cpuUsage()
  const rounds = 3
  for (let round = -warmUp; round < rounds; round++) {
    if (round === 0) cpu = process.cpuUsage()
    for (let reader = 0; reader < readers; reader++) {
      const { rows } = await page(1 + reader)
      if (rows.length !== pageLength) throw new Error(`a page of ${rows.length}`)
    }
  }
  const { user, system } = process.cpuUsage(cpu)
  return ((user + system) * 1_000) / (rounds * readers)
}
