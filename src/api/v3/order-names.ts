/**
 * How a request of v3 names an order or a strategy order: by its number or client order id, the number first.
 *
 * Belongs  `category` and `symbol` may stand beside the name. They have to be the order's own: an order of another category
 *          or symbol is not the one that is meant
 * Source   design.md §4.43
 */
import Type from 'typebox'
import type { Category, InstrumentId } from '../../engine/catalog/catalog.ts'
import type { CatalogIndex } from '../catalog-index.ts'
import * as field from '../parsing/fields.ts'
import { namedInstrument } from './market.ts'

export const orderNameFields = {
  orderId: Type.Optional(field.id()),
  clientOid: Type.Optional(field.clientOidV3()),
}

export const belongingFields = {
  category: Type.Optional(field.category()),
  symbol: Type.Optional(field.symbol()),
}

interface Belonging {
  readonly category?: Category
  readonly symbol?: string
}

/** Whether an order is of the category and symbol that a request names. */
export function belongs(
  catalog: CatalogIndex,
  order: { readonly category: Category; readonly instrument: InstrumentId },
  { category, symbol }: Belonging,
): boolean {
  if (category !== undefined && symbol !== undefined) namedInstrument<Category>(catalog, category, symbol)
  return (
    (category === undefined || category === order.category) &&
    (symbol === undefined || symbol === catalog.instrument(order.instrument).symbol)
  )
}
