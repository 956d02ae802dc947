/**
 * `node scripts/guide.ts BUILD`: renders docs/, README and CHANGELOG into a build of the pages: `guide/NAME.html` from the template that vite has made,
 * the pictures, and `guide/search.json`. scripts/terminal.js runs it in each build.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { escaped, type GuidePage, renderGuide } from './guide/pages.ts'

const docs = fileURLToPath(new URL('../docs', import.meta.url))
const [build = ''] = process.argv.slice(2)
const templateFile = join(build, 'guide.html')
const template = readFileSync(templateFile, 'utf8')
const { pages, pictures } = renderGuide(docs, ['README.md', 'CHANGELOG.md'])

for (const page of pages) write(`guide/${page.name}.html`, filled(page))
write('guide/search.json', JSON.stringify({ sections: pages.flatMap(({ sections }) => sections) }))
for (const file of pictures) {
  const target = join(build, 'guide', file)
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(join(docs, file), target)
}
rmSync(templateFile)

function filled({ title, html, headings }: GuidePage): string {
  const listed = headings.filter(({ depth }) => depth === 2)
  const contents = listed.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`).join('')
  const parts: readonly (readonly [mark: string, text: string])[] = [
    ['<title>Tidemark guide</title>', `<title>${escaped(title)} · Tidemark guide</title>`],
    [
      '<nav id="contents" aria-label="On this page"></nav>',
      `<nav id="contents" aria-label="On this page"><ul lang="en">${contents}</ul></nav>`,
    ],
    ['<main id="page" lang="en"></main>', `<main id="page" lang="en">${html}</main>`],
  ]
  return parts.reduce((made, [mark, text]) => {
    if (!made.includes(mark)) throw new Error(`web/guide.html has no ${mark}`)
    return made.replace(mark, () => text)
  }, template)
}

function write(name: string, text: string): void {
  const file = join(build, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
