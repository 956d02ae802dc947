/**
 * The search box: over every section of the guide, every call of the reference, and every channel over WebSocket.
 *
 * Loaded  when the box is first used: the sections as the build wrote them, calls and channels as this venue has them
 * Keys    `/` goes to the box, Enter opens the first that was found, Escape ends it
 */
import { effect } from '@preact/signals'
import { docs } from '../words/docs.ts'
import { spokenTag } from '../words/languages.ts'
import { type Entry, searchOver } from './found.ts'

type Unnumbered = Omit<Entry, 'id'>

const shownMax = 12
const excerptLength = 140

export function openSearch(form: HTMLFormElement): void {
  const box = form.querySelector('input')!
  const told = form.querySelector('output')!
  const list = form.querySelector('ol')!
  let index: Promise<(words: string) => Entry[]> | undefined
  const ready = () => (index ??= indexed())
  const search = async () => {
    const words = box.value.trim()
    const find = await ready()
    // Something else may have been typed while it was loaded.
    if (words !== box.value.trim()) return
    const found = words === '' ? [] : find(words).slice(0, shownMax)
    told.value = words === '' ? '' : found.length === 0 ? docs.guide.nothing : docs.guide.shown(found.length)
    list.replaceChildren(...found.map((entry) => itemOf(entry, words)))
  }
  form.hidden = false
  effect(() => {
    void spokenTag()
    if (box.value.trim() !== '') void search()
  })
  box.addEventListener('focus', () => void ready())
  box.addEventListener('input', () => void search())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void search().then(() => list.querySelector('a')?.click())
  })
  form.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return
    box.value = ''
    void search()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    box.focus()
  })
}

async function indexed(): Promise<(words: string) => Entry[]> {
  const lists = await Promise.all([sections(), calls(), channels()])
  return searchOver(lists.flat())
}

async function jsonOf<Content>(address: string): Promise<Content | undefined> {
  const answer = await fetch(address).catch(() => undefined)
  return answer?.ok === true ? ((await answer.json()) as Content) : undefined
}

async function sections(): Promise<readonly Unnumbered[]> {
  type Sections = readonly Omit<Unnumbered, 'kind'>[]
  const found = (await jsonOf<{ readonly sections: Sections }>('/guide/search.json'))?.sections ?? []
  return found.map((section) => ({ kind: 'page', ...section }))
}

interface Operation {
  readonly summary: string
  readonly operationId: string
  readonly tags: readonly string[]
}

async function calls(): Promise<readonly Unnumbered[]> {
  type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const document = await jsonOf<{ readonly paths: Paths }>('/api/openapi.json')
  return Object.entries(document?.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { summary, operationId, tags }]) => {
      const address = `/docs#/${encodeURIComponent(tags[0] ?? '')}/${operationId}`
      return {
        kind: 'call',
        title: 'Call over HTTP',
        heading: `${method.toUpperCase()} ${path}`,
        text: summary,
        address,
      }
    }),
  )
}

interface Channel {
  readonly id: string
  readonly version: string
  readonly names: readonly string[]
  readonly about: string
  readonly fields: readonly { readonly name: string }[]
}

async function channels(): Promise<readonly Unnumbered[]> {
  const document = await jsonOf<{ readonly channels: readonly Channel[] }>('/docs/channels.json')
  return (document?.channels ?? []).map(({ id, version, names, about, fields }) => ({
    kind: 'channel',
    title: 'Channel over WebSocket',
    heading: `${version} ${names.slice(0, 5).join(' ')}`,
    text: `${about} ${fields.map(({ name }) => name).join(' ')}`,
    address: `/docs#${id}`,
  }))
}

function itemOf({ kind, title, heading, text, address }: Entry, words: string): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  const excerpt = document.createElement('small')
  link.href = address
  const place = document.createElement('span')
  place.lang = 'en'
  excerpt.lang = 'en'
  place.append(heading === title || kind !== 'page' ? heading : `${title} › ${heading}`)
  if (kind !== 'page') link.append(`${docs.guide.kinds[kind]} › `)
  link.append(place)
  excerpt.append(excerptOf(text, words))
  link.append(excerpt)
  item.append(link)
  return item
}

/** Around the first of the words that stands in it. */
function excerptOf(text: string, words: string): string {
  const lower = text.toLowerCase()
  const places = words
    .toLowerCase()
    .split(/\s+/)
    .map((word) => lower.indexOf(word))
  const first = Math.min(...places.filter((place) => place >= 0))
  const from = Number.isFinite(first) ? Math.max(0, text.lastIndexOf(' ', first - 40) + 1) : 0
  const shown = text.slice(from, from + excerptLength)
  return `${from > 0 ? '… ' : ''}${shown}${from + excerptLength < text.length ? ' …' : ''}`
}
