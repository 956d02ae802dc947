/**
 * Recorded markets: files of others become one checked, compact tape, which is read from any of its blocks on. The door of the room.
 *
 *   importing.ts    files → tape     formats.ts  which format a file has      row-readers.ts  what its rows mean
 *   reading.ts      tape → rows
 *   sources.ts      unpacking (zip.ts)      lines.ts  rows of bytes      intake.ts  scales and blocks      merging.ts  one order
 *   anchors.ts      the way of a price     columns.ts      rows and their bytes      tmk-file.ts  the file      gaps.ts, recorded-book.ts  what is looked for
 *
 * Source    lab.md §4.9; docs/recorded-markets.md
 */
export { Block, rateDecimals, referenceDecimals, rowKind, rowKindNames } from './columns.ts'
export { Tape } from './reading.ts'
export { pricePath, type PricePath } from './anchors.ts'
export { importTape, type ImportOptions, type ImportReport } from './importing.ts'
export { TapeWrong } from './wrong.ts'
