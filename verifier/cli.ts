/** The program that bin/tidemark-verify.js starts. */
import { main } from './main.ts'

process.exitCode = main(
  process.argv.slice(2),
  (text) => void process.stdout.write(`${text}\n`),
  (text) => void process.stderr.write(`${text}\n`),
)
