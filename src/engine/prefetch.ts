/**
 * Fetches from memory what commands are about to read, for many commands at once.
 *
 * Why     the accounts of the next commands are random ones of a million, and no cache holds them. A command finds one
 *         line of memory by what another says, and waits for each in turn. Here the same line of many commands is fetched
 *         together, then the next: the processor waits for all of them hardly longer than for one
 * Whose   orders that are placed, or canceled by their number. Of the account: its newest wallet, its first contract with
 *         the position there, its newest order. Of an order to cancel: its row, and its neighbours at its account and in
 *         its level
 * Reads   and sums what it reads, so that compilers keep it; writes nothing. What it leaves out, or gets wrong, costs
 *         time and nothing else
 */
import type { Command } from './protocol/command.ts'
import type { Reading } from './state/state.ts'
import { noRow, type Row } from './storage/storage.ts'

/** Commands fetched together: few enough that the nearest caches still have it all when they are applied. */
const together = 32

/** Of accounts: handles, and the rows that they lead to. Of orders to cancel: their rows, and a neighbour of each. */
const handles = new Int32Array(together)
const wallets = new Int32Array(together)
const exposures = new Int32Array(together)
const positions = new Int32Array(together)
const newest = new Int32Array(together)
const canceled = new Int32Array(together)
const beside = new Int32Array(together)

/** The sum of what was read: it exists only so that the reads are not optimised away. */
let read = 0

/** Fetches for some commands, from a place on; answers the place behind them. */
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
  read += touchNeighbors(orders.previous, cancels) + touchNeighbors(orders.next, cancels)
  read += touchNeighbors(orders.accountPrevious, cancels) + touchNeighbors(orders.accountNext, cancels)
  return end
}

/** Reads the neighbours of the orders to cancel, by one of their links. */
function touchNeighbors(link: { at(row: Row): Row }, count: number): number {
  let sum = 0
  for (let at = 0; at < count; at++) beside[at] = link.at(canceled[at])
  for (let at = 0; at < count; at++) sum += link.at(beside[at])
  return sum
}
