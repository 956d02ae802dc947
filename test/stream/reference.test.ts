/**
 * The reference of channels: each is subscribed to on a demo venue as its example says, and what is pushed is what is described,
 * field by field, both ways.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { channelEntries, type DescribedField, describedChannels } from '../../src/stream/stream.ts'
import type { Row } from '../support/socket.ts'
import { EveryChannel } from './every-channel.ts'

const channels = describedChannels()
let every: EveryChannel

beforeAll(async () => {
  every = await EveryChannel.open(channelEntries)
  await every.play()
}, 60_000)
afterAll(() => every?.close())

const shapes = {
  decimal: /^(?:-?[0-9]+(?:\.[0-9]+)?)?$/,
  time: /^(?:[0-9]{13})?$/,
  id: /^[0-9]*$/,
  word: /^[\s\S]*$/,
} as const

/** What is wrong with rows, held against the fields that are described. */
function faultsOf(rows: readonly Row[], fields: readonly DescribedField[], at: string): string[] {
  const named = new Set(fields.map(({ name }) => name))
  const more = new Set(rows.flatMap((row) => Object.keys(row)).filter((name) => !named.has(name)))
  return [
    ...[...more].map((name) => `${at}.${name} is pushed and not described`),
    ...fields.flatMap((field) => faultsOfField(rows, field, `${at}.${field.name}`)),
  ]
}

function faultsOfField(rows: readonly Row[], { name, type, when, fields }: DescribedField, at: string): string[] {
  const having = rows.filter((row) => Object.hasOwn(row, name))
  if (having.length === 0) return [`${at} is described and never pushed`]
  if (when === undefined && having.length < rows.length) return [`${at} is missing in some pushes`]
  if (when !== undefined && having.length === rows.length) return [`${at} is in every push, not only ${when}`]
  const values = having.map((row) => row[name])
  if (fields !== undefined) return faultsOf(values.flat() as Row[], fields, at)
  const wrong = values.filter((value) => !isOfType(value, type))
  return wrong.length === 0 ? [] : [`${at}: ${JSON.stringify(wrong[0])} is no ${type}`]
}

function isOfType(value: unknown, type: DescribedField['type']): boolean {
  if (type === 'list') return Array.isArray(value)
  if (type === 'number') return typeof value === 'number'
  return typeof value === 'string' && shapes[type].test(value)
}

/** Rows with names: those of a candle by its places. */
function rowsOf(rows: readonly unknown[], { fields }: { readonly fields: readonly DescribedField[] }): readonly Row[] {
  return rows.map((row) => {
    if (!Array.isArray(row)) return row as Row
    return Object.fromEntries(
      row.map((value, place): [string, unknown] => [fields[place]?.name ?? String(place), value]),
    )
  })
}

describe.each(channels.map((channel, index) => ({ channel, entry: channelEntries[index], id: channel.id })))(
  '$id',
  ({ channel, entry }) => {
    test('every field that is pushed is described, and each that is described is pushed', async () => {
      await vi.waitFor(
        () => {
          const rows = (every.pushed.get(entry) ?? []).flatMap(({ data = [] }) => data)
          expect(faultsOf(rowsOf(rows, channel), channel.fields, channel.id)).toEqual([])
        },
        { timeout: 10_000, interval: 100 },
      )
    })

    test('its example push answers its example subscription, and has the fields', () => {
      const [argument] = (channel.subscribe as { readonly args: readonly object[] }).args
      if (channel.fields.length === 0) return expect(channel.push).toBeUndefined()
      const push = channel.push as { readonly arg: object; readonly action: string; readonly data: readonly unknown[] }
      expect(push.arg).toEqual(argument)
      expect(push.data.length).toBeGreaterThan(0)
      const required = channel.fields.map(({ when: _when, ...field }) => field)
      const shown = required.filter((field) =>
        rowsOf(push.data, channel).every((row) => Object.hasOwn(row, field.name)),
      )
      expect(faultsOf(rowsOf(push.data, channel), shown, channel.id)).toEqual([])
      const always = channel.fields.filter(({ when }) => when === undefined).map(({ name }) => name)
      expect(shown.map(({ name }) => name)).toEqual(expect.arrayContaining(always))
    })

    test('every field says what it means, in more than its name', () => {
      const wordless = channel.fields
        .flatMap((field) => [field, ...(field.fields ?? [])])
        .filter(({ name, means }) => means.length < 5 || means.toLowerCase() === name.toLowerCase())
      expect(wordless).toEqual([])
    })
  },
)

test('docs/streams.md names every channel of the reference, and no other', () => {
  const page = readFileSync(new URL('../../docs/streams.md', import.meta.url), 'utf8')
  const [, table = ''] = /\| v2 \| v3 \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(page) ?? []
  const rows = table.split('\n').filter((line) => line !== '')
  const cells = rows.map((line) => line.split('|').slice(1, 3))
  for (const [place, version] of (['v2', 'v3'] as const).entries()) {
    const named = new Set(channels.flatMap((channel) => (channel.version === version ? channel.names : [])))
    const text = cells.map((row) => row[place]).join(' ')
    const written = [...text.matchAll(/`([a-zA-Z0-9-]+)`/g)].map(([, name]) => name)
    expect([...named].filter((name) => !written.includes(name) && !name.startsWith('candle'))).toEqual([])
    const known = new Set([...named, 'interval', 'coin', 'the same'])
    expect(written.filter((name) => !known.has(name))).toEqual([])
  }
})

test('a venue serves the reference', async () => {
  const answer = await fetch(`${every.url}/docs/channels.json`)
  expect(answer.headers.get('content-type')).toContain('application/json')
  expect(await answer.json()).toEqual(JSON.parse(JSON.stringify({ channels })))
})
