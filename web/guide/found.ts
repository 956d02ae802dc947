/**
 * What the search of the guide finds: sections of pages, calls and channels, the likeliest first.
 *
 * Asked   words as a newcomer types them: those that stand in every sentence do not count
 * Found   what has all of the words; where nothing has, what has some of them
 * Weight  tutorials and the README come before what explains how Tidemark is built, and that before records of what was
 */
import MiniSearch from 'minisearch'

export interface Entry {
  readonly id: number
  readonly kind: 'page' | 'call' | 'channel'
  /** The page, or what kind of thing it is: in English, as all that is searched. */
  readonly title: string
  readonly heading: string
  readonly text: string
  readonly address: string
}

const common = new Set(
  'a already an and are at be by can do does error for from get how i if in is it its me my of on or so that the there this to use what when where which who why will with you your'.split(
    ' ',
  ),
)

/** The first that matches counts. */
const weights: readonly (readonly [address: RegExp, weight: number])[] = [
  [/^\/docs\/guide\/decisions/, 0.1],
  [/^\/docs\/guide\/(?:changelog|conformance|dependencies|performance\/|reliability)/, 0.4],
  [/^\/docs\/guide\/(?:architecture|interface)/, 0.5],
  [/^\/docs\/guide\/scale/, 0.6],
  [/^\/docs\/guide\/(?:readme|testing|tutorials)/, 1.4],
  [/^\/docs#/, 0.7],
]

export function searchOver(entries: readonly Omit<Entry, 'id'>[]): (words: string) => Entry[] {
  const index = new MiniSearch<Entry>({
    fields: ['heading', 'title', 'text'],
    storeFields: ['kind', 'title', 'heading', 'text', 'address'],
    searchOptions: {
      boost: { heading: 4, title: 2 },
      prefix: true,
      fuzzy: 0.1,
      // A word that was meant comes before one that looks like it: grade, trade.
      weights: { prefix: 0.375, fuzzy: 0.05 },
      boostDocument: weightOf,
    },
  })
  index.addAll(entries.map((entry, id) => ({ ...entry, id })))
  return (words) => {
    const asked = words.split(/\s+/).filter((word) => !common.has(word.toLowerCase()))
    const text = asked.length === 0 ? words : asked.join(' ')
    const all = index.search(text, { combineWith: 'AND' })
    return (all.length > 0 ? all : index.search(text, { combineWith: 'OR' })) as unknown as Entry[]
  }
}

function weightOf(_id: unknown, _term: string, stored?: Record<string, unknown>): number {
  const address = String(stored?.['address'])
  return weights.find(([pattern]) => pattern.test(address))?.[1] ?? 1
}
