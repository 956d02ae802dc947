/**
 * The pages that the venue serves: the trading terminal at `/` of the interface, the operator's desk at `/` of the operator's
 * listener. Both are clients like any other.
 *
 * Pages    page.ts: what of the build is served, and what a page may do
 * Demo     on a demo venue the terminal also has `/terminal/demo-accounts` (demo-accounts.ts)
 * Source   design.md §1 (web/), §6; docs/decisions/0004-terminal.md
 */
import type { FastifyInstance } from 'fastify'
import { serveDemoAccounts } from './demo-accounts.ts'
import { servePage } from './page.ts'

export interface TerminalOptions {
  /** The file with the demo accounts' keys, on a demo venue that only this machine can reach. */
  readonly demoKeysFile: string | undefined
  /** In place of dist/terminal (tests). */
  readonly directory?: string
}

export function serveTerminal(app: FastifyInstance, { demoKeysFile, directory }: TerminalOptions): void {
  if (demoKeysFile !== undefined) serveDemoAccounts(app, demoKeysFile)
  servePage(app, 'index.html', directory)
}

/** `directory` takes the place of dist/terminal (tests). */
export function serveDesk(app: FastifyInstance, directory?: string): void {
  servePage(app, 'desk.html', directory)
}
