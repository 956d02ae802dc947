/** The program that bin/tidemark-verify.js starts. On a terminal it shows which part it is at, on standard error. */
import { main } from './main.ts'
import { type OnPart, parts } from './findings.ts'

const { stdout, stderr } = process
const takeAway = stderr.isTTY ? '\r\x1b[2K' : ''
const onPart: OnPart = (part) => {
  if (takeAway === '') return
  const done = parts.indexOf(part)
  stderr.write(`${takeAway}verifying [${'#'.repeat(done)}${'.'.repeat(parts.length - done)}] ${part}`)
}

process.exitCode = main(
  process.argv.slice(2),
  (text) => void stdout.write(`${takeAway}${text}\n`),
  (text) => void stderr.write(`${takeAway}${text}\n`),
  onPart,
)
