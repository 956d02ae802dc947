/**
 * `npm run conformance:gateways [-- FILE...] [--minutes=M]`: the tables of test/conformance before two gateways of which a balancer
 * gives each request to the next (test/support/gateways-venue.ts). One file at a time: those that are named, or all that can hold. No file
 * begins after thirty minutes, or as many as are asked for.
 *
 * Tells   one line for each file, with its end where it failed; at the end what was left
 * Exits   1 when one failed; 2 when it is asked wrongly
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'

/** What one process alone promises (docs/scale.md). */
const cannotHold: Readonly<Record<string, string>> = {
  'rate-limits': 'reads are told to the other gateway every 100 ms',
  'address-limit': 'each gateway counts an address by itself',
  envelope: 'the balancer answers what is barely HTTP',
}
const linesTold = 60

const folder = new URL('../test/conformance/', import.meta.url)
const all = readdirSync(folder).flatMap((file) =>
  file.endsWith('.test.ts') ? [file.slice(0, -'.test.ts'.length)] : [],
)
const { files, minutesMax } = readAsked()
const endMs = performance.now() + minutesMax * 60_000
const left: string[] = []
for (const file of files) {
  if (performance.now() < endMs) runOne(file)
  else left.push(file)
}
if (left.length > 0) console.log(`left out after ${minutesMax} minutes: ${left.join(' ')}`)

function runOne(file: string): void {
  const startMs = performance.now()
  const ran = spawnSync(
    process.execPath,
    ['node_modules/.bin/vitest', 'run', '--reporter=dot', `test/conformance/${file}.test.ts`],
    {
      cwd: new URL('..', import.meta.url),
      env: { ...process.env, VENUE_GATEWAYS: '2', NO_COLOR: '1' },
      encoding: 'utf8',
      maxBuffer: Infinity,
    },
  )
  const said = `${ran.stdout}\n${ran.stderr}`
  const rows = /^ *Tests +(.*)$/m.exec(said)?.[1] ?? 'no row ran'
  const seconds = Math.round((performance.now() - startMs) / 1000)
  console.log(`${ran.status === 0 ? 'holds ' : 'FAILED'} ${file}: ${rows}, ${seconds} s`)
  if (ran.status === 0) return
  process.exitCode = 1
  console.log(said.trim().split('\n').slice(-linesTold).join('\n'))
}

function readAsked() {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { minutes: { type: 'string' } } })
    const unknown = positionals.find((name) => !all.includes(name))
    if (unknown !== undefined) throw new Error(`${unknown}: no such file in test/conformance`)
    const alone = positionals.find((name) => Object.hasOwn(cannotHold, name))
    if (alone !== undefined) throw new Error(`${alone} cannot hold: ${cannotHold[alone]}`)
    const minutes = values.minutes ?? '30'
    if (!/^[1-9]\d{0,3}$/.test(minutes)) throw new Error(`--minutes "${minutes}": must be a whole number from 1`)
    const held = all.filter((name) => !Object.hasOwn(cannotHold, name))
    return { files: positionals.length > 0 ? positionals : held, minutesMax: Number(minutes) }
  } catch (error) {
    console.error((error as Error).message.split('. ')[0])
    process.exit(2)
  }
}
