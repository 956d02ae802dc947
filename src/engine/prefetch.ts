/**
 * Fetches from memory what commands are about to look at, of many commands at once.
 *
 * Why     whoever comes out of a million comes from memory that no cache holds, and a command finds one line of it by what another
 *         says: it waits for each in turn. The same line of many commands is fetched together, then the next one: the processor
 *         waits for all of them hardly longer than for one, as long as each step is a few instructions
 * Whose   orders that are placed, and canceled by their number: the account, its newest wallet, its first contract with the
 *         position there, its newest order; of an order to cancel its row, its neighbours at its account and in its level
 * Reads   and counts what it reads, so that compilers keep it; writes nothing. What it leaves out, or is wrong about, costs time
 *         and nothing else
 */
import type { Command } from './protocol/command.ts'
import type { Reading } from './state/state.ts'
import { noRow, type Row } from './storage/storage.ts'

/** Commands looked at together: what was read still lies in the nearest caches when they are applied. */
const together = 32

/** Of accounts: their handles, and the rows that these lead to; of orders to cancel their rows, and a neighbour of each. */
const handles = new Int32Array(together)
const wallets = new Int32Array(together)
const exposures = new Int32Array(together)
const positions = new Int32Array(together)
const newest = new Int32Array(together)
const canceled = new Int32Array(together)
const beside = new Int32Array(together)

/** What was read came to this. */
let read = 0

/** Looks at some commands, from a place on; answers the place behind them. */
export function prefetch(reading: Reading, commands: readonly Command[], from: number): number {
  const end = Math.min(from + together, commands.length)
  const { accounts, ledger, futures, orders } = reading
  let owners = 0
  let cancels = 0
  for (let place = from; place < end; place++) {
    const command = commands[place]
    if (command.kind !== 'place-order' && command.kind !== 'cancel-order') continue
    handles[owners++] = accounts.handleOf(command.uid)
    const orderId = command.kind === 'cancel-order' ? command.order.orderId : undefined
    if (orderId !== undefined) canceled[cancels++] = orders.guess(orderId)
  }
  for (let at = 0; at < owners; at++) newest[at] = accounts.newestOrderOf(handles[at])
  for (let at = 0; at < owners; at++) wallets[at] = ledger.first[handles[at]] ?? noRow
  for (let at = 0; at < owners; at++) exposures[at] = futures.exposures.first[handles[at]] ?? noRow
  for (let at = 0; at < owners; at++) read += ledger.watch[handles[at]] ?? 0
  read += ledger.touchRows(wallets, owners)
  read += futures.exposures.touchRows(exposures, owners, positions) + futures.positions.touchRows(positions, owners)
  for (let at = 0; at < owners; at++) read += orders.accountPrevious.at(newest[at])
  if (cancels === 0) return end

  read += orders.touchRows(canceled, cancels)
  read += look(orders.previous, cancels) + look(orders.next, cancels)
  read += look(orders.accountPrevious, cancels) + look(orders.accountNext, cancels)
  return end
}

/** The neighbours of the orders to cancel, by one of their links. */
function look(link: { at(row: Row): Row }, count: number): number {
  let sum = 0
  for (let at = 0; at < count; at++) beside[at] = link.at(canceled[at])
  for (let at = 0; at < count; at++) sum += link.at(beside[at])
  return sum
}
