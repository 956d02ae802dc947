/**
 * Sorted blocks become one sorted sequence, in one scale.
 *
 * Order   by time; rows of one time in the order of their blocks, and in it as they stand
 * Open    only blocks whose times overlap: one that begins behind all others ends waits on the disk
 */
import { Block, blockRowsMax, type Scales } from './columns.ts'
import { grow } from './intake.ts'
import type { TmkWriter } from './tmk-file.ts'

interface Cursor {
  readonly order: number
  readonly block: Block
  at: number
}

/** `full` gets each block of the result; it is used again afterwards. */
export function mergeBlocks(runs: TmkWriter, scales: Scales, full: (block: Block) => void): void {
  const waiting = runs.blocks
    .map((entry, order) => ({ entry, order }))
    .sort((a, b) => {
      return a.entry.first - b.entry.first || a.order - b.order
    })
  const result = new Block(blockRowsMax)
  const spare: Block[] = []
  const open: Cursor[] = []
  let next = 0
  const openUpTo = (time: number) => {
    for (; next < waiting.length && waiting[next].entry.first <= time; next++) {
      const { entry, order } = waiting[next]
      const block = spare.pop() ?? new Block(blockRowsMax)
      runs.read(entry, block)
      const before = entry.scales ?? scales
      grow(block, 'price', 10 ** (scales.price - before.price))
      grow(block, 'amount', 10 ** (scales.amount - before.amount))
      open.push({ order, block, at: 0 })
    }
  }
  while (next < waiting.length || open.length > 0) {
    if (open.length === 0) openUpTo(waiting[next].entry.first)
    const first = open.reduce((best, cursor) => (isBefore(cursor, best) ? cursor : best))
    openUpTo(timeOf(first))
    // As far as nobody else comes in between.
    const least = open.reduce((best, cursor) => (isBefore(cursor, best) ? cursor : best))
    const others = open.filter((cursor) => cursor !== least)
    const rival = others.length === 0 ? undefined : others.reduce((best, one) => (isBefore(one, best) ? one : best))
    const unopened = next < waiting.length ? waiting[next].entry.first : Number.POSITIVE_INFINITY
    const { times, kinds, values, amounts, length } = least.block
    const until = rival === undefined ? Number.POSITIVE_INFINITY : timeOf(rival)
    const isOlder = rival === undefined || least.order < rival.order
    do {
      const at = least.at++
      result.add(times[at], kinds[at], values[at], amounts[at])
      if (result.length === blockRowsMax) {
        full(result)
        result.length = 0
      }
      if (least.at === length) break
    } while (times[least.at] < unopened && (times[least.at] < until || (isOlder && times[least.at] === until)))
    if (least.at < length) continue
    open.splice(open.indexOf(least), 1)
    spare.push(least.block)
  }
  if (result.length > 0) full(result)
}

function timeOf({ block, at }: Cursor): number {
  return block.times[at]
}

function isBefore(one: Cursor, other: Cursor): boolean {
  const [mine, theirs] = [timeOf(one), timeOf(other)]
  return mine < theirs || (mine === theirs && one.order < other.order)
}
