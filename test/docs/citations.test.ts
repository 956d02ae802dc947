/**
 * What docs, sources, explanations and the terminal cite as `docs/NAME.md § Section` or `docs/NAME.md "Section"` is there. Links are
 * followed in guide.test.ts.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { chapters } from '../../src/engine/explain/lines.ts'
import { chapters as chaptersOfTerminal } from '../../web/store/explanations.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

function headingsOf(page: string): readonly string[] {
  const text = readFileSync(join(checkout, page), 'utf8')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading.replaceAll('`', ''))
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(checkout, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:md|ts|tsx|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

/** `[docs/risk.md § Isolated]`, `docs/risk.md "How a liquidation goes"`; over the end of a line of a comment, too. */
const citation = /(docs\/[a-z-]+\.md)(?: § (?<plain>[A-Z][^\]\n`'"$]*)|,?\s(?:\* +)?"(?<quoted>[A-Z][^"\n]*)")/g

const cited = ['src', 'web', 'docs', 'verifier', 'clients', 'scripts', 'test']
  .flatMap(filesUnder)
  .filter((file) => !file.endsWith('citations.test.ts'))
  .flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(citation)].map((found): [string, string, string] => [
      found[1],
      (found.groups?.['plain'] ?? found.groups?.['quoted'] ?? '').trim(),
      file.slice(checkout.length),
    ]),
  )

test('there are citations to look at', () => {
  expect(cited.length).toBeGreaterThan(10)
})

test.each(cited)('%s § %s, cited in %s', (page, section) => {
  expect(headingsOf(page)).toContain(section)
})

test.each(chapters)('docs/risk.md § %s, of explanations', (chapter) => {
  expect(headingsOf('docs/risk.md')).toContain(chapter)
})

test.each(Object.values(chaptersOfTerminal))('docs/risk.md, “%s”, of the terminal', (chapter) => {
  expect(headingsOf('docs/risk.md')).toContain(chapter)
})
