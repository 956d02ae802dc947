/**
 * Every file of src/ that reads a clock or a random source is in the table of docs/decisions/0023-no-unseeded-source.md, with
 * what became of it in a deterministic venue. Comments and quoted strings do not count.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const source =
  /\b(?:Date\.now|performance\.now|Math\.random|hrtime|getRandomValues|random(?:Bytes|UUID|Int|FillSync))\b|\bnew Date\(\)|\bDate\(\)/
const commentsAndStrings = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'/g

function readsSource(text: string): boolean {
  return source.test(text.replaceAll(commentsAndStrings, ''))
}

test.each([
  ['const now = Date.now()', true],
  ['const { now = Date.now } = options', true],
  ['new Date()', true],
  ['new Date(at)', false],
  ["import { randomUUID } from 'node:crypto'", true],
  ['/** Not Date.now, nor Math.random. */', false],
  ["log('Date.now')", false],
])('%s', (line, found) => {
  expect(readsSource(line)).toBe(found)
})

test('a file that reads a clock or a random source is in the table, and nothing else is', () => {
  const files = readdirSync(join(checkout, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => join('src', file))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('src/cli/'))
    .filter((file) => readsSource(readFileSync(join(checkout, file), 'utf8')))
  const page = readFileSync(join(checkout, 'docs/decisions/0023-no-unseeded-source.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `(src\/[^`]+)` \|/gm)].map(([, file]) => file)
  expect(rows).toEqual(files.sort())
})
