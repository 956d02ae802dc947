/**
 * Pages of web/, with the files that their build made, served from memory.
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
import { gunzipSync } from 'node:zlib'
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
  readonly contentType: string
  readonly packed: Buffer | undefined
  readonly plain: () => Buffer
}

function serveFile(
  app: FastifyInstance,
  path: string,
  file: BuiltFile,
  headers: Readonly<Record<string, string>>,
): void {
  const { contentType, packed, plain } = file
  app.get(path, (request, reply) => {
    const isPacked = packed !== undefined && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    return reply
      .headers({ ...headers, 'x-content-type-options': 'nosniff', vary: 'accept-encoding' })
      .headers(isPacked ? { 'content-encoding': 'gzip' } : {})
      .type(contentType)
      .send(isPacked ? packed : plain())
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
      const shown = name.replace(/\.gz$/, '')
      const contentType = contentTypes[extname(shown)]
      if (contentType === undefined) return []
      const path = `/${relative(directory, shown).split(sep).join('/')}`
      return [[path, shown === name ? plainFile(contentType, name) : packedFile(contentType, name)]]
    }),
  )
}

function plainFile(contentType: string, name: string): BuiltFile {
  const bytes = readFileSync(name)
  return { contentType, packed: undefined, plain: () => bytes }
}

function packedFile(contentType: string, name: string): BuiltFile {
  const packed = readFileSync(name)
  let bytes: Buffer | undefined
  return { contentType, packed, plain: () => (bytes ??= gunzipSync(packed)) }
}
