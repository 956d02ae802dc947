/**
 * Lists of v2 out of rows that are written already: the texts of newest rows are made once (history/kept-rows.ts).
 *
 * Forms   one for each list, made with the module: by it a row's text is found again
 */
import type { Catalog } from '../../engine/catalog/catalog.ts'
import type { RowForm } from '../../history/history.ts'

/** A form out of a function of the dictionary. */
export function formOf<Row, Shown>(show: (catalog: Catalog, row: Row) => Shown): RowForm<Row, Catalog> {
  return { write: (row, catalog) => show(catalog, row) }
}
