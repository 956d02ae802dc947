/**
 * Pages of web/, with the files that their build made, served from memory.
 *
 * Files    exactly those of the build, by exact paths: nothing else of the disk can be asked for. Those under /assets/
 *          carry their hash in their name and may be kept for ever, a page itself is asked for each time
 * Packed   for those who can unpack it, where the build has it so
 * Page     may load and reach nothing but where it came from, runs no script that is not a file of it
 * Missing  not built: its path says how to build it
 * Source   design.md §1 (web/); docs/decisions/0004-terminal.md
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, extname, join, relative, sep } from 'node:path'
import type { FastifyInstance } from 'fastify'

/** Where scripts/terminal.js keeps its builds, and the package its one; `current` names the one that counts. */
const buildsAt = join(dirname(findPackageJSON(import.meta.url) ?? ''), 'dist', 'terminal')

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
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

/** Serves these pages of the build; other pages of it are not there. */
export function servePages(app: FastifyInstance, pages: readonly BuiltPage[], builds = buildsAt): void {
  const files = readBuild(builds)
  for (const { file, paths, contentSecurityPolicy } of pages) {
    const page = files.get(`/${file}`)
    for (const path of paths) {
      if (page !== undefined) {
        const headers = { ...sharedHeaders, 'content-security-policy': contentSecurityPolicy }
        serveFile(app, path, page, { ...headers, 'cache-control': 'no-cache' })
      } else {
        app.get(path, (_request, reply) => reply.code(503).type('text/plain; charset=utf-8').send(notBuilt))
      }
    }
  }
  for (const [path, file] of files) {
    if (extname(path) === '.html') continue
    const kept = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    serveFile(app, path, file, { 'cache-control': kept })
  }
}

interface BuiltFile {
  readonly bytes: Buffer
  readonly packed: Buffer | undefined
  readonly contentType: string
}

function serveFile(
  app: FastifyInstance,
  path: string,
  file: BuiltFile,
  headers: Readonly<Record<string, string>>,
): void {
  const { bytes, packed, contentType } = file
  app.get(path, (request, reply) => {
    const isPacked = packed !== undefined && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    return reply
      .headers({ ...headers, 'x-content-type-options': 'nosniff', vary: 'accept-encoding' })
      .headers(isPacked ? { 'content-encoding': 'gzip' } : {})
      .type(contentType)
      .send(isPacked ? packed : bytes)
  })
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
      const contentType = contentTypes[extname(name)]
      if (contentType === undefined) return []
      const packed = names.includes(`${name}.gz`) ? readFileSync(`${name}.gz`) : undefined
      const path = `/${relative(directory, name).split(sep).join('/')}`
      return [[path, { bytes: readFileSync(name), packed, contentType }]]
    }),
  )
}
