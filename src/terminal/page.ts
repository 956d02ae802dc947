/**
 * Pages of web/, with the files that their build made, kept in memory.
 *
 * Files    exactly those of the build, by exact paths: nothing else of the disk can be asked for. Those under /assets/
 *          carry their hash in their name and may be kept for ever, a page itself is asked for each time
 * Packed   as the build has it. For the few clients that cannot unpack it, it is unpacked when the first of them asks
 * Page     may load and reach nothing but where it came from, runs no script that is not a file of it
 * Missing  not built: its path says how to build it
 * Source   design.md §1 (web/); docs/decisions/0004-terminal.md
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, extname, join, relative, sep } from 'node:path'
import { type FixedContent, fixedPage, type Page, pageRequestsPerSecondMax } from '../http/http.ts'

/** Where scripts/terminal.js keeps its builds, and the package its one; `current` names the one that counts. */
const buildsAt = join(dirname(findPackageJSON(import.meta.url) ?? ''), 'dist', 'terminal')

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.json': 'application/json',
  '.png': 'image/png',
}

const sharedHeaders = { 'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin' } as const

const notBuilt = 'The page is not built: run "npm run build" in the checkout, then start the venue again.\n'

export interface BuiltPage {
  /** Its name in the build. */
  readonly file: string
  /** Where it is served. */
  readonly paths: readonly string[]
  readonly contentSecurityPolicy: string
}

/** Pages of the build that are served by the names that they have in its folder. */
export interface BuiltFolder {
  readonly folder: string
  /** Where they are served; the page `index` is there itself. */
  readonly path: string
  readonly contentSecurityPolicy: string
}

/** These pages of the build, with all of its other files; other pages of it are not there. */
export function builtPages(
  named: readonly BuiltPage[],
  builds = buildsAt,
  folders: readonly BuiltFolder[] = [],
): Page[] {
  const files = readBuild(builds)
  const pages = [...named, ...folders.flatMap((folder) => pagesIn(folder, files))]
  const served = pages.flatMap(({ file, paths, contentSecurityPolicy }) => {
    const page = files.get(`/${file}`)
    const headers = { ...sharedHeaders, 'content-security-policy': contentSecurityPolicy, 'cache-control': 'no-cache' }
    return paths.map((path) => (page === undefined ? missingPage(path) : filePage(path, page, headers)))
  })
  const loaded = [...files].filter(([path]) => extname(path) !== '.html')
  return [
    ...served,
    ...loaded.map(([path, file]) => {
      const kept = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
      return filePage(path, file, { 'cache-control': kept })
    }),
  ]
}

function pagesIn({ folder, path, contentSecurityPolicy }: BuiltFolder, files: Map<string, BuiltFile>): BuiltPage[] {
  const names = [...files.keys()].flatMap((file) => {
    const [, name] = /^(.+)\.html$/.exec(file.startsWith(`/${folder}/`) ? file.slice(folder.length + 2) : '') ?? []
    return name === undefined || name === 'index' ? [] : [name]
  })
  return [
    { file: `${folder}/index.html`, paths: [path, `${path}/`], contentSecurityPolicy },
    ...names.map((name) => ({ file: `${folder}/${name}.html`, paths: [`${path}/${name}`], contentSecurityPolicy })),
  ]
}

type BuiltFile = Omit<FixedContent, 'path' | 'headers'>

function filePage(path: string, file: BuiltFile, headers: Readonly<Record<string, string>>): Page {
  return fixedPage({ ...file, path, headers: { ...headers, 'x-content-type-options': 'nosniff' } })
}

function missingPage(path: string): Page {
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  return { path, perSecondMax: pageRequestsPerSecondMax, answer: () => ({ httpStatus: 503, headers, body: notBuilt }) }
}

function readBuild(builds: string): Map<string, BuiltFile> {
  const current = join(builds, 'current')
  const directory = existsSync(current) ? join(builds, readFileSync(current, 'utf8')) : ''
  if (directory === '' || !existsSync(directory)) return new Map()
  const names = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    names.flatMap((name): [string, BuiltFile][] => {
      const shown = name.replace(/\.gz$/, '')
      const contentType = contentTypes[extname(shown)]
      if (contentType === undefined) return []
      const path = `/${relative(directory, shown).split(sep).join('/')}`
      return [[path, { contentType, [shown === name ? 'bytes' : 'packed']: readFileSync(name) }]]
    }),
  )
}
