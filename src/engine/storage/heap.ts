/**
 * Items in the order of their keys, the least on top; each item once, so that a new key moves it and nothing grows stale.
 *
 * Order   by key, then by item: the same whatever the heap went through
 * State   plain data, saved as it is
 */
export interface Heap {
  readonly items: number[]
  /** Key of the item at the same place. */
  readonly keys: number[]
  readonly places: Map<number, number>
}

type Order = { readonly [Part in 'items' | 'keys']: readonly number[] }

export function emptyHeap(): Heap {
  return { items: [], keys: [], places: new Map() }
}

/** The item with the least key. */
export function topOf({ items }: Heap): number | undefined {
  return items[0]
}

/** The least key; infinite when there is none. */
export function topKey({ keys }: Heap): number {
  return keys.length === 0 ? Number.POSITIVE_INFINITY : keys[0]
}

/** Puts an item in, or gives it another key. */
export function setKey(heap: Heap, item: number, key: number): void {
  let place = heap.places.get(item)
  if (place === undefined) {
    place = heap.items.length
    heap.items.push(item)
    heap.keys.push(key)
    heap.places.set(item, place)
  } else heap.keys[place] = key
  sink(heap, rise(heap, place))
}

export function removeItem(heap: Heap, item: number): void {
  const place = heap.places.get(item)
  if (place === undefined) return
  const last = heap.items.pop() as number
  const key = heap.keys.pop() as number
  heap.places.delete(item)
  if (last === item) return
  put(heap, place, last, key)
  sink(heap, rise(heap, place))
}

/** Items with their keys, the least first; the heap stays as it is. It costs what is taken of it. */
export function* inOrder({ items, keys }: Order): Generator<readonly [item: number, key: number]> {
  // Places whose parents have been told.
  const open = emptyHeap()
  if (items.length > 0) setKey(open, 0, keys[0])
  for (let place = topOf(open); place !== undefined; place = topOf(open)) {
    removeItem(open, place)
    yield [items[place], keys[place]]
    for (const child of [2 * place + 1, 2 * place + 2]) {
      if (child < items.length) setKey(open, child, keys[child])
    }
  }
}

function rise(heap: Heap, from: number): number {
  let place = from
  while (place > 0) {
    const parent = (place - 1) >> 1
    if (!isBefore(heap, place, parent)) break
    swap(heap, place, parent)
    place = parent
  }
  return place
}

function sink(heap: Heap, from: number): void {
  let place = from
  for (;;) {
    let least = place
    const left = place * 2 + 1
    if (left < heap.items.length && isBefore(heap, left, least)) least = left
    if (left + 1 < heap.items.length && isBefore(heap, left + 1, least)) least = left + 1
    if (least === place) return
    swap(heap, place, least)
    place = least
  }
}

function isBefore({ items, keys }: Heap, a: number, b: number): boolean {
  return keys[a] === keys[b] ? items[a] < items[b] : keys[a] < keys[b]
}

function swap(heap: Heap, a: number, b: number): void {
  const item = heap.items[a]
  const key = heap.keys[a]
  put(heap, a, heap.items[b], heap.keys[b])
  put(heap, b, item, key)
}

function put(heap: Heap, place: number, item: number, key: number): void {
  heap.items[place] = item
  heap.keys[place] = key
  heap.places.set(item, place)
}
