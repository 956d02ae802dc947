/**
 * The table of docs/clients.md that says how the two dialects of v3 differ, made from the rows that the venue reads.
 *
 * Same  from the same source, in the order of src/api/errors/dialect.ts
 */
import { edgeCodes, fieldDifferences, refusalCodes } from '../src/api/errors/dialect.ts'

const begin = '<!-- written by `npm run dialect:page` -->'
const end = '<!-- end of the dialects -->'

/** Lists that are named in a cell; more stand below the table. */
const placesMax = 4

/** The page with the table as it has to be. */
export function withDialectTable(page: string): string {
  const [before, rest, ...more] = page.split(begin)
  const [, after] = rest?.split(end) ?? []
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`the page needs ${begin} and ${end} once`)
  return `${before}${begin}\n${dialectTable()}${end}${after}`
}

function dialectTable(): string {
  const codes = [
    ...Object.entries(refusalCodes).map(([kind, pair]) => [kind.replaceAll('-', ' '), ...pair] as const),
    ...Object.entries(edgeCodes).map(([name, pair]) => [name, ...pair] as const),
  ]
  const many: string[] = []
  const fields = fieldDifferences.map((row) => {
    const where = row.where.map((place) => `\`${place.replace('GET /api/v3/', '')}\``).join(', ')
    const isFew = row.where.length <= placesMax
    if (!isFew) many.push(`- (${many.length + 1}) ${where}`)
    return [isFew ? where : `those of (${many.length})`, row.field, row.interface.says, row.live.says]
  })
  return [
    '| Refused because | `interface` | `live` |',
    '|---|---|---|',
    ...codes.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    '| List | Field | `interface` | `live` |',
    '|---|---|---|---|',
    ...fields.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    ...many,
    '',
  ].join('\n')
}
