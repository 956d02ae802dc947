/**
 * Prices in a heap: the next one to fire on top, so that a mark update touches only accounts whose price it reached.
 *
 * Order     `above` fires the lowest price first, `below` the highest: prices are kept with the sign that makes the top least
 * Stale     an entry of an older version of its account is skipped when it comes up
 */
export interface PriceHeap {
  /** Price times the heap's sign, account, version. */
  readonly keys: number[]
  readonly accounts: number[]
  readonly versions: number[]
}

export interface HeapEntry {
  readonly key: number
  readonly account: number
  readonly version: number
}

export function newHeap(): PriceHeap {
  return { keys: [], accounts: [], versions: [] }
}

export function push(heap: PriceHeap, key: number, account: number, version: number): void {
  heap.keys.push(key)
  heap.accounts.push(account)
  heap.versions.push(version)
  let child = heap.keys.length - 1
  while (child > 0) {
    const parent = (child - 1) >> 1
    if (heap.keys[parent] <= heap.keys[child]) return
    swap(heap, parent, child)
    child = parent
  }
}

/** Takes the top off when its key is at most `limit`. */
export function popUpTo(heap: PriceHeap, limit: number): HeapEntry | undefined {
  if (heap.keys.length === 0 || heap.keys[0] > limit) return undefined
  const top = { key: heap.keys[0], account: heap.accounts[0], version: heap.versions[0] }
  swap(heap, 0, heap.keys.length - 1)
  heap.keys.pop()
  heap.accounts.pop()
  heap.versions.pop()
  let parent = 0
  for (;;) {
    let least = parent
    const left = parent * 2 + 1
    if (left < heap.keys.length && heap.keys[left] < heap.keys[least]) least = left
    if (left + 1 < heap.keys.length && heap.keys[left + 1] < heap.keys[least]) least = left + 1
    if (least === parent) return top
    swap(heap, parent, least)
    parent = least
  }
}

function swap({ keys, accounts, versions }: PriceHeap, a: number, b: number): void {
  ;[keys[a], keys[b]] = [keys[b], keys[a]]
  ;[accounts[a], accounts[b]] = [accounts[b], accounts[a]]
  ;[versions[a], versions[b]] = [versions[b], versions[a]]
}
