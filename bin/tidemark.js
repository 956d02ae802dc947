#!/usr/bin/env node
/**
 * The `tidemark` command: installs what is missing, builds the terminal for a start, then hands over to src/cli/cli.ts, in
 * this process if its Node is new enough and in a child otherwise. A venue is a child as well until it may ask for large pages.
 *
 * `npm start` runs it by `exec`: npm sends a SIGTERM to its shell, and a shell in between would die of it and leave the
 * server running.
 */
import { fileURLToPath } from 'node:url'
import { useJoined, usingJoined } from '../scripts/joined.js'
import { choseItsPages, ensureJoined, launch, nodeIsCurrent, run } from '../scripts/ready.js'
import { ensureTerminal } from '../scripts/terminal.js'

const cli = new URL('../src/cli/cli.ts', import.meta.url)

await launch('running', async () => {
  const isStart = process.argv[2] === 'start'
  if (isStart) ensureTerminal()
  const libraries = process.argv[2] === 'dev' ? ensureJoined() : undefined
  if (nodeIsCurrent() && (!isStart || choseItsPages())) {
    if (libraries !== undefined) useJoined(libraries)
    await import(cli.href)
  } else {
    const joining = libraries === undefined ? [] : ['--import', usingJoined(libraries)]
    run([...joining, fileURLToPath(cli), ...process.argv.slice(2)])
  }
})
