/**
 * A page of web/ at `/`, with the files that its build made, served from memory.
 *
 * Files    exactly those of the build, by exact paths: nothing else of the disk can be asked for. Those under /assets/
 *          carry their hash in their name and may be kept for ever, the page itself is asked for each time
 * Page     may load and reach nothing but where it came from, runs no script that is not a file of it, and is in no frame
 * Missing  not built: `/` says how to build it
 * Source   design.md §1 (web/); docs/decisions/0004-terminal.md
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

/** Where scripts/terminal.js keeps its builds; `current` names the one that counts. */
const buildsAt = fileURLToPath(new URL('../../dist/terminal', import.meta.url))

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const

const notBuilt = 'The page is not built: run "npm run build" in the checkout, then start the venue again.\n'

/** Serves one page of the build, by its file's name; other pages of it are not there. */
export function servePage(app: FastifyInstance, page: string, builds = buildsAt): void {
  const files = readBuild(builds)
  if (!files.has(`/${page}`)) {
    app.get('/', (_request, reply) => reply.code(503).type('text/plain; charset=utf-8').send(notBuilt))
    return
  }
  for (const [path, file] of files) {
    const isPage = path === `/${page}`
    if (extname(path) === '.html' && !isPage) continue
    app.get(isPage ? '/' : path, (request, reply) => {
      const zipped = file.zipped !== undefined && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
      return reply
        .headers(isPage ? pageHeaders : {})
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
        .header('vary', 'accept-encoding')
        .headers(zipped ? { 'content-encoding': 'gzip' } : {})
        .type(file.contentType)
        .send(zipped ? file.zipped : file.bytes)
    })
  }
}

interface BuiltFile {
  readonly bytes: Buffer
  readonly zipped: Buffer | undefined
  readonly contentType: string
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
      const bytes = readFileSync(name)
      const zipped = bytes.length > 1024 ? gzipSync(bytes, { level: 9 }) : undefined
      return [[`/${relative(directory, name)}`, { bytes, zipped, contentType }]]
    }),
  )
}
