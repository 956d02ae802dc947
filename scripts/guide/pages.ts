/**
 * The guide: every page of docs/ as HTML, and README and CHANGELOG beside it, with their headings, links and sections for the search.
 *
 * Links     from page to page lead to `/docs/guide/…`; to what no venue serves (sources, data) they become their text
 * Headings  have ids as GitHub makes them, so that the same links work there and here
 * HTML      that is written in a page is shown as text
 * Folders   are led to by the page of their name, else by their README, else by a list of their pages
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, sep } from 'node:path'
import { Marked, type Tokens } from 'marked'

const guideAt = '/docs/guide'
/** Where pictures are in the build. */
const picturesAt = '/guide'

interface Section {
  readonly title: string
  readonly heading: string
  readonly text: string
  readonly address: string
}

export interface GuidePage {
  /** `operations`, `decisions/0004-terminal`; `index` of docs/README.md, `readme` of the one beside docs/. */
  readonly name: string
  readonly title: string
  readonly html: string
  readonly headings: readonly { readonly id: string; readonly text: string; readonly depth: number }[]
  readonly sections: readonly Section[]
  /** Where its links lead within the guide. */
  readonly links: readonly string[]
  /** What it links to that no venue serves, by the path from docs/. */
  readonly unserved: readonly string[]
}

export interface Guide {
  readonly pages: readonly GuidePage[]
  /** Files beside the pages, by their path in docs/. */
  readonly pictures: readonly string[]
}

const picture = /\.(?:png|svg)$/

/** `beside`: names of pages that lie beside the folder, such as `CHANGELOG.md`. */
export function renderGuide(docs: string, beside: readonly string[] = []): Guide {
  const files = readdirSync(docs, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(docs, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
  const written = [...files.filter((file) => file.endsWith('.md')), ...beside.map((file) => `../${file}`)]
  const names = new Map(written.map((file) => [file, nameOf(file)]))
  const folders = new Set(files.filter((file) => file.endsWith('.md')).map((file) => dirname(file)))
  folders.delete('.')
  const unlisted = [...folders].filter((folder) => ![...names.values()].includes(folder))
  for (const folder of folders) names.set(`${folder}/`, folder)
  const texts = new Map(written.map((file) => [file, readFileSync(join(docs, file), 'utf8')]))
  const pages = [...texts].map(([file, text]) => renderPage(file, text, names))
  const lists = unlisted.map((folder) => {
    const listed = pages.filter(({ name }) => dirname(name) === folder)
    const lines = listed.map(({ name, title }) => `- [${title}](${basename(name)}.md)`)
    return renderPage(`${folder}/`, `# ${titleOfFolder(folder)}\n\n${lines.join('\n')}\n`, names)
  })
  return { pages: [...pages, ...lists], pictures: files.filter((file) => picture.test(file)) }
}

function titleOfFolder(folder: string): string {
  return `${folder.slice(0, 1).toUpperCase()}${folder.slice(1)}`
}

function nameOf(file: string): string {
  if (file.startsWith('../')) return basename(file, '.md').toLowerCase()
  return file === 'README.md' ? 'index' : file.replace(/(?:\/README)?\.md$/, '')
}

/** The address of a page. */
export function addressOf(name: string): string {
  return name === 'index' ? guideAt : `${guideAt}/${name}`
}

function renderPage(file: string, text: string, names: ReadonlyMap<string, string>): GuidePage {
  const name = names.get(file) ?? ''
  const headings: { id: string; text: string; depth: number }[] = []
  const links: string[] = []
  const unserved: string[] = []
  const ids = new Map<string, number>()
  const folder = file.endsWith('/') ? file.slice(0, -1) : dirname(file)
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const plain = this.parser.parseInline(tokens, this.parser.textRenderer)
        const id = uniqueId(slugOf(plain), ids)
        headings.push({ id, text: unescaped(plain), depth })
        const anchor = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const shown = this.parser.parseInline(tokens)
        const target = targetOf(href, folder, names)
        if (target === undefined) {
          unserved.push(pathFrom(folder, href.split('#')[0] ?? ''))
          return shown
        }
        if (target.startsWith('/') || target.startsWith('#'))
          links.push(target.startsWith('#') ? `${addressOf(name)}${target}` : target)
        return `<a href="${escaped(target)}">${shown}</a>`
      },
      image({ href, text: alt }: Tokens.Image) {
        return `<img src="${picturesAt}/${pathFrom(folder, href)}" alt="${escaped(alt)}" loading="lazy">`
      },
      html({ text: raw }: Tokens.HTML | Tokens.Tag) {
        return escaped(raw)
      },
    },
  })
  const html = (marked.parse(text) as string)
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">')
  const title = headings[0]?.text ?? name
  return { name, title, html, headings, links, unserved, sections: sectionsOf(text, title, headings, addressOf(name)) }
}

/** From docs/, whose own name pages beside it write. */
function pathFrom(folder: string, path: string): string {
  return posix.join(folder, path).replace(/^\.\.\/docs\//, '')
}

/** Undefined: nothing that a venue serves. */
function targetOf(href: string, folder: string, names: ReadonlyMap<string, string>): string | undefined {
  if (/^[a-z]+:/.test(href) || href.startsWith('#') || href.startsWith('/')) return href
  const [path = '', anchor] = href.split('#')
  const file = pathFrom(folder, path)
  const name = names.get(file) ?? names.get(`${file}/`)
  return name === undefined ? undefined : addressOf(name) + (anchor === undefined ? '' : `#${anchor}`)
}

/** The text below each heading, without marks. */
function sectionsOf(text: string, title: string, headings: GuidePage['headings'], address: string): Section[] {
  const parts: string[][] = []
  let isCode = false
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    else if (!isCode && /^#{1,6} /.test(line)) parts.push([])
    else parts.at(-1)?.push(line)
  }
  return headings.map(({ id, text: heading, depth }, at) => ({
    title,
    heading,
    text: plainOf((parts[at] ?? []).join(' ')),
    address: depth === 1 ? address : `${address}#${id}`,
  }))
}

function plainOf(text: string): string {
  return text
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/\|[-|: ]+\|/g, ' ')
    .replaceAll(/[`*[\]|!]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** As GitHub does it: small letters, hyphens for blanks, no other marks. */
function slugOf(plain: string): string {
  return unescaped(plain)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-')
}

function uniqueId(slug: string, ids: Map<string, number>): string {
  const count = ids.get(slug) ?? 0
  ids.set(slug, count + 1)
  return count === 0 ? slug : `${slug}-${count}`
}

const marks: readonly (readonly [mark: string, entity: string])[] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]

export function escaped(text: string): string {
  return marks.reduce((made, [mark, entity]) => made.replaceAll(mark, entity), text)
}

function unescaped(text: string): string {
  return marks.toReversed().reduce((made, [mark, entity]) => made.replaceAll(entity, mark), text)
}
