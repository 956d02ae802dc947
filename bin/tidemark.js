#!/usr/bin/env node
/**
 * The `tidemark` command: installs what is missing, builds the terminal for a start, then hands over to src/cli/cli.ts, in
 * this process if its Node is new enough and in a child otherwise.
 *
 * `npm start` runs it by `exec`: npm sends a SIGTERM to its shell, and a shell in between would die of it and leave the
 * server running.
 */
import { fileURLToPath } from 'node:url'
import { launch, nodeIsCurrent, run } from '../scripts/ready.js'
import { ensureTerminal } from '../scripts/terminal.js'

const cli = new URL('../src/cli/cli.ts', import.meta.url)

await launch(async () => {
  if (process.argv[2] === 'start') ensureTerminal()
  if (nodeIsCurrent()) await import(cli.href)
  else run([fileURLToPath(cli), ...process.argv.slice(2)])
})
