/**
 * The channels over WebSocket, below the calls: each with its subscription, the fields of a push, and a push that came.
 *
 * Made of  `/docs/channels.json` of the venue (src/stream/reference/), so that page and venue cannot differ
 * Linked   each by its id, as `#v2-orders-futures`: the one that is named opens
 * Words    those around the channels are in the language that is spoken; what the venue says of a channel is English
 */
import { effect } from '@preact/signals'
import { docs } from '../words/docs.ts'

interface Field {
  readonly name: string
  readonly type: string
  readonly unit: string
  readonly means: string
  readonly when?: string
  readonly fields?: readonly Field[]
}

interface Channel {
  readonly id: string
  readonly version: string
  readonly scope: 'public' | 'private'
  readonly names: readonly string[]
  readonly instTypes: readonly string[]
  readonly about: string
  readonly first: string
  readonly later: string
  readonly pace: string
  readonly permission?: string
  readonly path: string
  readonly subscribe: object
  readonly fields: readonly Field[]
  readonly push?: object
}

/** Fills the section; `asked`: what of it the address named. */
export async function showChannels(section: HTMLElement, asked: string): Promise<void> {
  const answer = await fetch('/docs/channels.json').catch(() => undefined)
  const found = answer?.ok === true ? ((await answer.json()) as { readonly channels: readonly Channel[] }) : undefined
  effect(() => {
    const open = [...section.querySelectorAll('details[open]')].map(({ id }) => id)
    const typed = section.querySelector('input')?.value ?? ''
    draw(section, found?.channels, typed)
    for (const id of open) document.getElementById(id)?.setAttribute('open', '')
  })
  openNamed(asked)
  addEventListener('hashchange', () => openNamed(location.hash))
}

/** `channels` undefined: they could not be loaded; `typed`: what the filter has. */
function draw(section: HTMLElement, channels: readonly Channel[] | undefined, typed: string): void {
  const title = element('h2', { id: 'channels-title' }, docs.reference.channels)
  if (channels === undefined) return section.replaceChildren(title, element('p', {}, docs.channels.notLoaded))
  const shown = channels.map((channel) => ({ channel, item: itemOf(channel) }))
  const groups = [...new Set(channels.map(groupOf))].map((name) => {
    const items = shown.filter(({ channel }) => groupOf(channel) === name).map(({ item }) => item)
    return element('div', {}, element('h3', {}, ...worded(name)), ...items)
  })
  const filter = element('input', { type: 'search', placeholder: docs.channels.filterBy, value: typed })
  const narrow = () => {
    const wanted = filter.value.trim().toLowerCase()
    for (const { channel, item } of shown) item.hidden = !JSON.stringify(channel).toLowerCase().includes(wanted)
    for (const group of groups) group.hidden = [...group.querySelectorAll('details')].every(({ hidden }) => hidden)
  }
  filter.addEventListener('input', narrow)
  narrow()
  const label = element('label', {}, docs.channels.filter, filter)
  const intro = [docs.channels.frames, docs.channels.types]
  section.replaceChildren(title, ...intro.map((line) => element('p', {}, ...worded(line))), label, ...groups)
}

/** The one that is named, if one is. */
function openNamed(hash: string): void {
  const named = hash.startsWith('#v') ? document.getElementById(hash.slice(1)) : null
  if (!(named instanceof HTMLDetailsElement)) return
  named.open = true
  named.scrollIntoView()
}

function groupOf({ version, scope, path }: Channel): string {
  return `${version}, ${docs.channels.scopes[scope]}: \`${path}\``
}

function itemOf(channel: Channel): HTMLDetailsElement {
  const { id, names, instTypes, about, first, later, pace, permission, subscribe, fields, push } = channel
  const named = names.length > 5 ? [...names.slice(0, 2), '…', ...names.slice(-1)] : names
  const listed = [
    ['`instType`', instTypes.join(', ')],
    [docs.channels.first, first],
    [docs.channels.later, later],
    [docs.channels.pace, pace],
    ...(permission === undefined ? [] : [[docs.channels.permission, permission] as const]),
  ] as const
  const item = element('details', { id })
  item.append(
    element(
      'summary',
      {},
      element('strong', { lang: 'en' }, named.join(' ')),
      element('span', { className: 'kind', lang: 'en' }, instTypes[0]),
      element('span', { lang: 'en' }, about),
    ),
    element(
      'div',
      { className: 'inside', tabIndex: 0 },
      element(
        'dl',
        {},
        ...listed.flatMap(([name, text]) => [
          element('dt', {}, ...worded(name)),
          element('dd', { lang: 'en' }, ...worded(text)),
        ]),
      ),
      element('p', {}, docs.channels.subscribe),
      element('pre', { lang: 'en' }, JSON.stringify(subscribe)),
      ...(fields.length === 0 ? [] : [tableOf(fields)]),
      ...(push === undefined
        ? []
        : [element('p', {}, docs.channels.push), element('pre', { lang: 'en' }, JSON.stringify(push, undefined, 2))]),
    ),
  )
  return item
}

function tableOf(fields: readonly Field[]): HTMLElement {
  const titles = [docs.channels.field, docs.channels.type, docs.channels.unit, docs.channels.meaning]
  const heads = titles.map((name) => element('th', { scope: 'col' }, name))
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...heads)),
    element(
      'tbody',
      { lang: 'en' },
      ...fields.flatMap((field) => [rowOf(field), ...(field.fields ?? []).map((part) => rowOf(part, true))]),
    ),
  )
}

function rowOf({ name, type, unit, means, when }: Field, isPart = false): HTMLElement {
  const meaning = when === undefined ? means : `${means}. Only ${when}`
  return element(
    'tr',
    {},
    element('td', { className: isPart ? 'part' : '' }, element('code', {}, name)),
    ...[type, unit].map((text) => element('td', {}, text)),
    element('td', {}, ...worded(meaning)),
  )
}

/** Words between backticks as code. */
function worded(text: string): (string | HTMLElement)[] {
  return text.split('`').map((part, place) => (place % 2 === 0 ? part : element('code', {}, part)))
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: readonly (string | Node)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}
