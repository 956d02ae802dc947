/**
 * The channels as a document, at `/docs/channels.json`: what the page at `/docs` shows below the calls over HTTP.
 *
 *   channels.ts  which there are    fields.ts  what their fields are    examples.ts  pushes of a demo venue
 *
 * Fixed   written and packed once, as the document of the calls
 */
import { documentPages } from '../../http/http.ts'
import { type ChannelEntry, channelEntries, subscribed } from './channels.ts'
import { pushExamples } from './examples.ts'
import { type FieldType, meaningOf, typeOf } from './fields.ts'

export interface DescribedField {
  readonly name: string
  readonly type: FieldType
  readonly unit: string
  readonly means: string
  /** When it is there; absent: always. */
  readonly when?: string
  /** Of the rows of a list. */
  readonly fields?: readonly DescribedField[]
}

type Told = 'id' | 'version' | 'scope' | 'names' | 'instTypes' | 'about' | 'first' | 'later' | 'pace' | 'permission'

export interface DescribedChannel extends Pick<ChannelEntry, Told> {
  /** Where the socket is opened. */
  readonly path: string
  readonly subscribe: object
  readonly fields: readonly DescribedField[]
  /** Absent: nothing is pushed. */
  readonly push?: object
}

/** All channels as the page shows them. */
export function describedChannels(): readonly DescribedChannel[] {
  return channelEntries.map((entry) => {
    const { id, version, scope, names, instTypes, about, first, later, pace, permission } = entry
    const push = pushExamples[entry.id]
    return {
      id,
      version,
      scope,
      names,
      instTypes,
      about,
      first,
      later,
      pace,
      ...(permission !== undefined && { permission }),
      path: `/${entry.version}/ws/${entry.scope}`,
      subscribe: { op: 'subscribe', args: [subscribed(entry, entry.names[0])] },
      fields: describedFields(entry),
      ...(push && { push }),
    }
  })
}

function describedFields(entry: ChannelEntry): readonly DescribedField[] {
  return fieldsNamed(entry.fields, entry)
}

function fieldsNamed(list: string, entry: ChannelEntry): readonly DescribedField[] {
  const names = list.split(' ').filter((name) => name !== '')
  return names.map((marked) => {
    const name = marked.replace(/[?#]$/, '')
    const part = list === entry.fields ? entry.parts?.[name] : undefined
    const when = marked.endsWith('?') ? entry.sometimes?.[name] : undefined
    return {
      name,
      ...typeOf(name),
      means: entry.means?.[name] ?? meaningOf(name) ?? '',
      ...(entry.units?.[name] !== undefined && { unit: entry.units[name] }),
      ...(marked.endsWith('#') && { type: 'number' as const }),
      ...(when !== undefined && { when }),
      ...(part !== undefined && { type: 'list' as const, unit: '', fields: fieldsNamed(part, entry) }),
    }
  })
}

/** The document as a page, for all venues of a process. */
export const channelPages: ReturnType<typeof documentPages> = documentPages(
  { '/docs/channels.json': 'application/json' },
  () => ({ channels: describedChannels() }),
)
