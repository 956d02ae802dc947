/**
 * How the venue's state is kept and saved: typed columns that grow by rows, and one canonical encoding of plain data.
 *
 * Holds     equal states have equal bytes: a twin that replayed the same commands, or started from a snapshot and
 *           replayed the rest, saves the same bytes
 * Source    design.md §2, §5
 */
export { decode, encode } from './encoding.ts'
export { BigInt64Field, Float64Field, Int32Field, Uint16Field, Uint8Field } from './fields.ts'
export { emptyHeap, type Heap, inOrder, removeItem, setKey, topKey, topOf } from './heap.ts'
export { noRow, type Row } from './row.ts'
export { Table } from './table.ts'
