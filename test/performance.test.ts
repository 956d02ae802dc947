/** docs/performance/runs.jsonl: a machine can read what people wrote down, and the pages name the list. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../docs/performance/', import.meta.url)
const lines = readFileSync(new URL('runs.jsonl', folder), 'utf8').trimEnd().split('\n')

interface Run {
  readonly bench: string
  readonly machine: string
  readonly build: string
  readonly minutes?: number
  readonly p999Ms?: number
  readonly eachMinute?: Readonly<Record<string, readonly number[]>>
}

test.each(lines)('%s', (line) => {
  const { bench, machine, build, minutes, p999Ms, eachMinute = {} } = JSON.parse(line) as Run
  expect([bench, machine, build]).not.toContain(undefined)
  for (const figures of Object.values(eachMinute)) expect(figures).toHaveLength(minutes ?? 0)
  expect(p999Ms ?? eachMinute['p999Ms']).toBeDefined()
})

test.each(['../performance.md', 'pauses.md'])('%s names the list', (page) => {
  expect(readFileSync(new URL(page, folder), 'utf8')).toContain('runs.jsonl')
})
