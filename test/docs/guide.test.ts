/** docs/, README and CHANGELOG as the guide that a venue serves: every page is there, every link leads somewhere, and nothing in a page is run. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { chapters } from '../../src/engine/explain/lines.ts'
import { chapters as chaptersOfTerminal } from '../../web/store/explanations.ts'
import { chapterAddress, citedIn, interfaceAt } from '../../web/venue/guide.ts'
import { addressOf, type GuidePage, renderGuide } from '../../scripts/guide/pages.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const { pages } = renderGuide(docs, ['README.md', 'CHANGELOG.md'])
const places = new Set(
  pages.flatMap(({ name, headings }) => [addressOf(name), ...headings.map(({ id }) => `${addressOf(name)}#${id}`)]),
)

test('pages of folders are there beside those of docs/ itself', () => {
  const names = pages.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['index', 'readme', 'changelog', 'operations', 'decisions', 'decisions/0004-terminal']),
  )
  expect(new Set(names).size).toBe(names.length)
})

describe.each(pages.map((page) => [page.name, page] as const))('%s', (_, { title, links, unserved }) => {
  test('has a title, and each of its links leads to a heading or a file that is there', () => {
    expect(title).not.toBe('')
    expect(links.filter((link) => link.startsWith('/docs/guide') && !places.has(link))).toEqual([])
    expect(unserved.filter((path) => !existsSync(join(docs, path)))).toEqual([])
  })
})

test.each(Object.entries(chaptersOfTerminal))('the terminal leads to what is said of %s', (_, chapter) => {
  expect([...places]).toContain(chapterAddress('risk', chapter))
})

test.each(chapters)('the desk leads to what a line of an explanation cites: %s', (chapter) => {
  const cited = citedIn(`docs/risk.md § ${chapter}`)
  expect(cited).toEqual({ page: 'risk', chapter })
  expect([...places]).toContain(chapterAddress('risk', chapter))
})

test.each([
  // what the status says      where the desk is   where the guide is
  ['http://127.0.0.1:8080', 'localhost', 'http://127.0.0.1:8080'],
  ['https://0.0.0.0:8443', 'venue.example', 'https://venue.example:8443'],
  ['http://[::]:8080', '10.0.0.7', 'http://10.0.0.7:8080'],
  ['10.0.0.7:9000', 'localhost', undefined],
  ['', 'localhost', undefined],
])('the guide of a venue at %s, from a desk on %s: %s', (address, here, found) => {
  expect(interfaceAt(address, here)).toBe(found)
})

function rendered(files: Readonly<Record<string, string>>, beside: readonly string[] = []): Map<string, GuidePage> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-guide-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    const file = join(directory, 'docs', name)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
  }
  return new Map(renderGuide(join(directory, 'docs'), beside).pages.map((page) => [page.name, page]))
}

test('links lead to pages of the guide; what no venue serves is its text', () => {
  const made = rendered({
    'README.md':
      '# A\n\n[b](b.md#one-two) [all](more/) [code](../src/main.ts) [out](https://example.com/) [here](#a)\n',
    'b.md': '# B\n\n## One, *two*!\n\n## One two\n',
    'more/c.md': '# C\n\n[up](../b.md) ![d](d.png)\n',
    'more/d.png': '',
  })
  const { html, unserved } = made.get('index')!
  expect(html).toContain('<a href="/docs/guide/b#one-two">b</a>')
  expect(html).toContain('<a href="/docs/guide/more">all</a> code <a href="https://example.com/">out</a>')
  expect(unserved).toEqual(['../src/main.ts'])
  expect(made.get('b')!.headings.map(({ id }) => id)).toEqual(['b', 'one-two', 'one-two-1'])
  expect(made.get('more')!.html).toContain('<a href="/docs/guide/more/c">C</a>')
  expect(made.get('more/c')!.html).toContain('<img src="/guide/more/d.png" alt="d"')
})

test('pages beside docs/ are led to, and lead into it', () => {
  const made = rendered(
    {
      'README.md': '# A\n\n[what came when](../CHANGELOG.md#one)\n',
      'b.png': '',
      '../CHANGELOG.md': '# Changes\n\n## One\n\n[A](docs/README.md) [code](src/main.ts) ![b](docs/b.png)\n',
    },
    ['CHANGELOG.md'],
  )
  expect(made.get('index')!.html).toContain('<a href="/docs/guide/changelog#one">')
  const { html, unserved, sections } = made.get('changelog')!
  expect(html).toContain('<a href="/docs/guide">A</a> code <img src="/guide/b.png"')
  expect(unserved).toEqual(['../src/main.ts'])
  expect(sections.map(({ address }) => address)).toEqual(['/docs/guide/changelog', '/docs/guide/changelog#one'])
})

test('HTML that is written in a page is shown, not run', () => {
  const { html } = rendered({ 'README.md': '# A\n\n<script>alert(1)</script>\n\nand <b onclick="x">so</b>\n' }).get(
    'index',
  )!
  expect(html).not.toMatch(/<script|<b /)
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
})

test('the search has the text of each section, without marks', () => {
  const text =
    '# A\n\nFirst.\n\n## Two\n\nWith `code`, a [link](b.md).\n\n```sh\n# no heading\n```\n\n| x | y |\n|---|---|\n| 1 | 2 |\n'
  const { sections } = rendered({ 'README.md': text }).get('index')!
  expect(sections).toEqual([
    { title: 'A', heading: 'A', text: 'First.', address: '/docs/guide' },
    {
      title: 'A',
      heading: 'Two',
      text: expect.stringMatching(/^With code , a link\. # no heading x y 1 2$/),
      address: '/docs/guide#two',
    },
  ])
})
