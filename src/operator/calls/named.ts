/** Coins and instruments as an operator names them. */
import {
  type Catalog,
  type Coin,
  coinByName,
  type Instrument,
  instrumentBySymbol,
} from '../../engine/catalog/catalog.ts'
import { unknownThing } from './refusals.ts'

/** Throws CallRefused, which names the field, where there is none. */
export function coinNamed(catalog: Catalog, name: string, fieldName: string): Coin {
  const found = coinByName(catalog, name)
  if (found === undefined) throw unknownThing(fieldName, name, 'coin')
  return found
}

/** Throws CallRefused where there is none. */
export function instrumentNamed(
  catalog: Catalog,
  of: Parameters<typeof instrumentBySymbol>[1],
  name: string,
): Instrument {
  const found = instrumentBySymbol(catalog, of, name)
  if (found === undefined) throw unknownThing('symbol', `${of} ${name}`, 'instrument')
  return found
}
