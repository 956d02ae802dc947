/** All rows of a list that the venue tells page by page. */
import type { Query } from '../query.ts'

const listMax = 100

export async function everyPage<Row>(
  read: (query: Query) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
): Promise<Row[]> {
  const found: Row[] = []
  for (;;) {
    const last = found.at(-1)
    const page = await read({ limit: listMax, idLessThan: last && idOf(last) })
    found.push(...page)
    if (page.length < listMax) return found
  }
}
