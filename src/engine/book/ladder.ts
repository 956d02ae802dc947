/**
 * Price levels of one side: a tree of bit sets over the price in ticks, three levels of 1,024.
 *
 * Layout    root -> branch (price >> 20) -> leaf (price >> 10) -> level (price & 1023); a node is there only while it
 *           has an occupied price below it; each bit set has a summary word, so a step is a few instructions
 * Holds     a bit is set exactly while something occupied lies below it
 * Cost      finding, adding and removing a price is constant; an occupied neighbourhood of 1,024 ticks costs 20 kB
 */
import { assert, priceTicksMax } from '../numbers/numbers.ts'

/** 32 words of bits, then one summary word. */
type Bits = Int32Array

/** Levels of 1,024 prices, each at the place that `placeOf` gives. */
export interface Leaf {
  readonly bits: Bits
  readonly head: Int32Array
  readonly tail: Int32Array
  readonly quantity: Float64Array
}

/** A set of bits that is only read; leaf, branch and ladder that are only read follow. */
interface ReadonlyBits {
  readonly [word: number]: number
}

export interface ReadonlyLeaf {
  readonly bits: ReadonlyBits
  readonly head: ReadonlyBits
  readonly tail: ReadonlyBits
  readonly quantity: ReadonlyBits
}

interface ReadonlyBranch {
  readonly bits: ReadonlyBits
  readonly leaves: readonly (ReadonlyLeaf | undefined)[]
}

export interface ReadonlyLadder {
  readonly direction: 1 | -1
  readonly best: number
  readonly bits: ReadonlyBits
  readonly branches: readonly (ReadonlyBranch | undefined)[]
}

interface Branch {
  readonly bits: Bits
  readonly leaves: (Leaf | undefined)[]
}

export interface Ladder {
  /** Walking direction from the best price: 1 upward (asks), -1 downward (bids). */
  readonly direction: 1 | -1
  /** Best price, 0 when empty. */
  best: number
  readonly bits: Bits
  readonly branches: (Branch | undefined)[]
}

const fanout = 1024
/** Empty nodes out of use: a side that keeps emptying and filling again allocates none. */
const spareLeaves: Leaf[] = []
const spareBranches: Branch[] = []

export function emptyLadder(direction: 1 | -1): Ladder {
  return { direction, best: 0, bits: new Int32Array(33), branches: [] }
}

/** The nearest occupied price from `price` on (itself included) in walking direction, 0 when there is none. */
export function ladderNext(ladder: ReadonlyLadder, price: number): number {
  const { direction } = ladder
  if (price < 1 || price > priceTicksMax) return 0
  const high = price >> 20
  const middle = (price >> 10) & 1023
  const step = direction === 1 ? bitFrom : bitUntil
  const branch = ladder.branches[high]
  if (branch !== undefined) {
    const leaf = branch.leaves[middle]
    if (leaf !== undefined) {
      const low = step(leaf.bits, price & 1023)
      if (low >= 0) return (high << 20) | (middle << 10) | low
    }
    const nextLeaf = step(branch.bits, middle + direction)
    if (nextLeaf >= 0) return (high << 20) | (nextLeaf << 10) | edge(branch, nextLeaf, direction)
  }
  const nextBranch = step(ladder.bits, high + direction)
  if (nextBranch < 0) return 0
  const found = ladder.branches[nextBranch] as ReadonlyBranch
  const leafAt = step(found.bits, direction === 1 ? 0 : 1023)
  return (nextBranch << 20) | (leafAt << 10) | edge(found, leafAt, direction)
}

/** Where the level of a price lies in its leaf. */
export function placeOf(price: number): number {
  return price & 1023
}

/** The leaf of an occupied price; of a read-only ladder it is read-only too. */
export function ladderLeaf<L extends ReadonlyLeaf>(
  ladder: { readonly branches: readonly ({ readonly leaves: readonly (L | undefined)[] } | undefined)[] },
  price: number,
): L {
  const leaf = ladder.branches[price >> 20]?.leaves[(price >> 10) & 1023]
  assert(leaf !== undefined, 'the price level exists')
  return leaf
}

/** Lots at a price; 0 where nothing rests. */
export function ladderQuantity(ladder: ReadonlyLadder, price: number): number {
  return ladder.branches[price >> 20]?.leaves[(price >> 10) & 1023]?.quantity[price & 1023] ?? 0
}

/** The leaf of a price, which counts as occupied from now on. */
export function ladderTouch(ladder: Ladder, price: number): Leaf {
  assert(price >= 1 && price <= priceTicksMax, 'a price lies within the ladder')
  const high = price >> 20
  const middle = (price >> 10) & 1023
  while (ladder.branches.length <= high) ladder.branches.push(undefined)
  let branch = ladder.branches[high]
  if (branch === undefined) {
    branch = spareBranches.pop() ?? emptyBranch()
    ladder.branches[high] = branch
    setBit(ladder.bits, high)
  }
  let leaf = branch.leaves[middle]
  if (leaf === undefined) {
    leaf = spareLeaves.pop() ?? emptyLeaf()
    branch.leaves[middle] = leaf
    setBit(branch.bits, middle)
  }
  setBit(leaf.bits, price & 1023)
  if (ladder.best === 0 || (price - ladder.best) * ladder.direction < 0) ladder.best = price
  return leaf
}

/** The price is occupied no more. */
export function ladderRemove(ladder: Ladder, price: number): void {
  const high = price >> 20
  const middle = (price >> 10) & 1023
  const branch = ladder.branches[high] as Branch
  const leaf = branch.leaves[middle] as Leaf
  clearBit(leaf.bits, price & 1023)
  prune(ladder, branch, leaf, high, middle)
  if (price === ladder.best) ladder.best = ladderNext(ladder, price + ladder.direction)
}

/** Removes nodes that have no occupied price left. */
function prune(ladder: Ladder, branch: Branch, leaf: Leaf, high: number, middle: number): void {
  if (leaf.bits[32] !== 0) return
  branch.leaves[middle] = undefined
  spareLeaves.push(leaf)
  clearBit(branch.bits, middle)
  if (branch.bits[32] !== 0) return
  ladder.branches[high] = undefined
  spareBranches.push(branch)
  clearBit(ladder.bits, high)
}

function emptyLeaf(): Leaf {
  return {
    bits: new Int32Array(33),
    head: new Int32Array(fanout),
    tail: new Int32Array(fanout),
    quantity: new Float64Array(fanout),
  }
}

function emptyBranch(): Branch {
  return { bits: new Int32Array(33), leaves: Array.from({ length: fanout }, () => undefined) }
}

function edge(branch: ReadonlyBranch, leafAt: number, direction: 1 | -1): number {
  const leaf = branch.leaves[leafAt] as Leaf
  return direction === 1 ? bitFrom(leaf.bits, 0) : bitUntil(leaf.bits, 1023)
}

function setBit(bits: Bits, index: number): void {
  bits[index >> 5] = bits[index >> 5] | (1 << (index & 31))
  bits[32] = bits[32] | (1 << (index >> 5))
}

function clearBit(bits: Bits, index: number): void {
  const word = bits[index >> 5] & ~(1 << (index & 31))
  bits[index >> 5] = word
  if (word === 0) bits[32] = bits[32] & ~(1 << (index >> 5))
}

/** Lowest set bit at or above `index`, -1 when none. */
function bitFrom(bits: ReadonlyBits, index: number): number {
  if (index > 1023) return -1
  const word = index >> 5
  const here = bits[word] & (-1 << (index & 31))
  if (here !== 0) return (word << 5) | lowest(here)
  const above = bits[32] & (-2 << word)
  if (above === 0) return -1
  const next = lowest(above)
  return (next << 5) | lowest(bits[next])
}

/** Highest set bit at or below `index`, -1 when none. */
function bitUntil(bits: ReadonlyBits, index: number): number {
  if (index < 0) return -1
  const word = index >> 5
  const here = bits[word] & (-1 >>> (31 - (index & 31)))
  if (here !== 0) return (word << 5) | (31 - Math.clz32(here))
  const below = bits[32] & ((1 << word) - 1)
  if (below === 0) return -1
  const next = 31 - Math.clz32(below)
  return (next << 5) | (31 - Math.clz32(bits[next]))
}

function lowest(word: number): number {
  return 31 - Math.clz32(word & -word)
}
