#!/usr/bin/env node
/** The `tidemark-verify` command: hands over to verifier/cli.ts, in this process if its Node is new enough, else in a child. */
import { fileURLToPath } from 'node:url'
import { launch, nodeIsCurrent, run } from '../scripts/ready.js'

const cli = new URL('../verifier/cli.ts', import.meta.url)

await launch('running', async () => {
  if (nodeIsCurrent()) await import(cli.href)
  else run([fileURLToPath(cli), ...process.argv.slice(2)])
})
