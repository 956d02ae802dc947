/**
 * The pages that the venue serves: the trading terminal at `/` of the interface, the reference of all endpoints at `/docs` of it,
 * the guide (docs/) at `/docs/guide`, the operator's desk at `/` of the operator's listener, or at `/_lab/desk` of a laboratory. All are clients like any other.
 *
 * Pages    page.ts: what of the build is served, and what a page may do
 * Demo     on a demo venue the terminal also has `/terminal/demo-accounts` (demo-accounts.ts)
 * Source   design.md §1 (web/), §6; docs/decisions/0004-terminal.md
 */
import type { Page } from '../http/http.ts'
import { demoAccountsPage } from './demo-accounts.ts'
import { type BuiltFolder, type BuiltPage, builtPages } from './page.ts'

/** Nothing from elsewhere, nothing written into the page, and in no frame. */
const strictPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const terminal: BuiltPage = { file: 'index.html', paths: ['/'], contentSecurityPolicy: strictPolicy }
const desk: BuiltPage = { file: 'desk.html', paths: ['/'], contentSecurityPolicy: strictPolicy }
/** It calls below the path that it is at. */
const labDesk: BuiltPage = { ...desk, paths: ['/_lab/desk', '/_lab/desk/'] }
/** Nothing from elsewhere; the page writes styles into itself, and shows images of its own. */
const reference: BuiltPage = {
  file: 'reference.html',
  paths: ['/docs', '/docs/'],
  contentSecurityPolicy:
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; frame-ancestors 'self'",
}

const guide: BuiltFolder = { folder: 'guide', path: '/docs/guide', contentSecurityPolicy: strictPolicy }

export interface TerminalOptions {
  /** The demo accounts' keys as JSON, on a demo venue that only this machine can reach. */
  readonly demoKeys: (() => string) | undefined
  /** What clients speak with the venue; http if absent. */
  readonly over?: 'http' | 'https'
  /** Who gets them; absent: the user who runs the venue. */
  readonly demoKeysTo?: 'user' | 'open' | 'off'
  /** Whether the reference and the guide are served; absent: they are. */
  readonly docs?: boolean
  /** Of a venue of a laboratory: the operator's desk is on the same port. */
  readonly lab?: boolean
  /** In place of dist/terminal (tests). */
  readonly directory?: string
}

export function terminalPages({
  demoKeys,
  demoKeysTo = 'user',
  over = 'http',
  docs = true,
  lab = false,
  directory,
}: TerminalOptions): Page[] {
  const isShown = demoKeys !== undefined && demoKeysTo !== 'off'
  const demo = isShown ? [demoAccountsPage(demoKeys, demoKeysTo, over)] : []
  const shown = [terminal, ...(docs ? [reference] : []), ...(lab ? [labDesk] : [])]
  return [...demo, ...builtPages(shown, directory, docs ? [guide] : [])]
}

/** `directory` takes the place of dist/terminal (tests). */
export function deskPages(directory?: string): Page[] {
  return builtPages([desk], directory)
}
