/**
 * The channels over WebSocket, below the calls: each with its subscription, the fields of a push, and a push that came.
 *
 * Made of  `/docs/channels.json` of the venue (src/stream/reference/), so that page and venue cannot differ
 * Linked   each by its id, as `#v2-orders-futures`: the one that is named opens
 */
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
  readonly scope: string
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

const intro = [
  'Text frames of JSON. The text `ping` is answered with `pong`. Any path serves every channel of its version; private ones need a login.',
  'decimal, time, id and word are texts; a text is empty where there is nothing to say. A number is a number in JSON.',
]

/** Fills the section; `asked`: what of it the address named. */
export async function showChannels(section: HTMLElement, asked: string): Promise<void> {
  const answer = await fetch('/docs/channels.json').catch(() => undefined)
  const title = element('h2', { id: 'channels-title' }, 'Channels over WebSocket')
  if (answer?.ok !== true) {
    section.replaceChildren(title, element('p', {}, 'They could not be loaded: is the venue still running?'))
    return
  }
  const { channels } = (await answer.json()) as { readonly channels: readonly Channel[] }
  const shown = channels.map((channel) => ({ channel, item: itemOf(channel) }))
  const groups = [...new Set(channels.map(groupOf))].map((name) => {
    const items = shown.filter(({ channel }) => groupOf(channel) === name).map(({ item }) => item)
    return element('div', {}, element('h3', {}, name), ...items)
  })
  const filter = element('input', { type: 'search', placeholder: 'name, field or meaning' })
  filter.addEventListener('input', () => {
    const wanted = filter.value.trim().toLowerCase()
    for (const { channel, item } of shown) item.hidden = !JSON.stringify(channel).toLowerCase().includes(wanted)
    for (const group of groups) group.hidden = [...group.querySelectorAll('details')].every(({ hidden }) => hidden)
  })
  const label = element('label', {}, 'Filter the channels ', filter)
  section.replaceChildren(title, ...intro.map((line) => element('p', {}, ...worded(line))), label, ...groups)
  openNamed(asked)
  addEventListener('hashchange', () => openNamed(location.hash))
}

/** The one that is named, if one is. */
function openNamed(hash: string): void {
  const named = hash.startsWith('#v') ? document.getElementById(hash.slice(1)) : null
  if (!(named instanceof HTMLDetailsElement)) return
  named.open = true
  named.scrollIntoView()
}

function groupOf({ version, scope, path }: Channel): string {
  return `${version}, ${scope}: ${path}`
}

function itemOf(channel: Channel): HTMLDetailsElement {
  const { id, names, instTypes, about, first, later, pace, permission, subscribe, fields, push } = channel
  const named = names.length > 5 ? [...names.slice(0, 2), '…', ...names.slice(-1)] : names
  const facts = { instType: instTypes.join(', '), 'First push': first, Then: later, Pace: pace }
  const listed = Object.entries({ ...facts, ...(permission !== undefined && { Permission: permission }) })
  const item = element('details', { id })
  item.append(
    element(
      'summary',
      {},
      element('strong', {}, named.join(' ')),
      element('span', { className: 'kind' }, instTypes[0]),
      about,
    ),
    element(
      'div',
      { className: 'inside', tabIndex: 0 },
      element(
        'dl',
        {},
        ...listed.flatMap(([name, text]) => [element('dt', {}, name), element('dd', {}, ...worded(text))]),
      ),
      element('p', {}, 'Subscribe:'),
      element('pre', {}, JSON.stringify(subscribe)),
      ...(fields.length === 0 ? [] : [tableOf(fields)]),
      ...(push === undefined
        ? []
        : [element('p', {}, 'A push:'), element('pre', {}, JSON.stringify(push, undefined, 2))]),
    ),
  )
  return item
}

function tableOf(fields: readonly Field[]): HTMLElement {
  const heads = ['Field', 'Type', 'Unit', 'Meaning'].map((name) => element('th', { scope: 'col' }, name))
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...heads)),
    element(
      'tbody',
      {},
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
