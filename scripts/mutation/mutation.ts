/**
 * `npm run mutation [-- ROOM ...] [--every N] [--file PART]`: changes the code of the core rooms, one small change at a
 * time, and reports which changes no test noticed.
 *
 * Rooms    their code and the tests near it: rooms.ts
 * Sample   all functions of the small rooms, the first of every few of the large ones; `--every 1` takes all
 * Set-up   Stryker is installed here when it is first needed, from a lock of its own
 * Prints   what survived, and each file's score; the report goes to artifacts/mutation/ROOM.json
 * Left out messages of invariants (left-out.js), constants that are made once (a test cannot tell which of them it ran)
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensureInstalled, launch } from '../ready.js'
import { type Room, rooms } from './rooms.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '..', '..')
const output = 'artifacts/mutation'

const { values, positionals } = parseArgs({
  options: { every: { type: 'string' }, file: { type: 'string', default: '*' } },
  allowPositionals: true,
})
const asked = positionals.length === 0 ? Object.keys(rooms) : positionals
const every = values.every === undefined ? undefined : Number(values.every)
if (
  asked.some((name) => rooms[name] === undefined) ||
  (every !== undefined && !(Number.isInteger(every) && every > 0))
) {
  console.error(`usage: npm run mutation [-- ${Object.keys(rooms).join('|')} ...] [--every N] [--file NAME]`)
  process.exit(2)
}

await launch('everything', async () => {
  ensureInstalled('everything', here)
  for (const name of asked) await runRoom(name, rooms[name])
})

/** Files of a part of the source, and those of them alone whose name is asked for. */
function filesOf(code: string): string[] {
  if (!code.endsWith('.ts')) return [`src/${code}/**/${values.file}.ts`]
  return values.file === '*' || code.endsWith(`/${values.file}.ts`) ? [`src/${code}`] : []
}

async function runRoom(name: string, room: Room): Promise<void> {
  const tests = room.tests.map((test) => `test/${test}.test.ts`)
  const config = {
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
    mutate: room.code.flatMap((code) => filesOf(code)),
    plugins: ['@stryker-mutator/vitest-runner', join(here, 'left-out.js')],
    ignorers: ['left-out'],
    ignorePatterns: ['/artifacts', '/coverage', '/data', '/docs', '/tsconfig.json'], // TypeScript 7 cannot rewrite the last
    ignoreStatic: true,
    coverageAnalysis: 'perTest',
    timeoutMS: 60_000, // that a machine is busy with other things is no notice of a change
    dryRunTimeoutMinutes: 60,
    concurrency: 1, // a second one would need as much memory again, and the machine may have but two cores
    tempDirName: `${output}/sandbox`,
    reporters: ['progress', 'clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: `${output}/${name}.json` },
  }
  mkdirSync(join(root, output), { recursive: true })
  const file = join(output, `${name}.config.json`)
  writeFileSync(join(root, file), JSON.stringify(config))
  const stryker = join(here, 'node_modules/.bin/stryker')
  const env = {
    ...process.env,
    MUTATION_TESTS: tests.join(','),
    MUTATION_EVERY: String(every ?? room.every),
    TIDEMARK_LAUNCHER: String(process.pid), // it ends when this process does (follow-parent.js)
  }
  const followParent = new URL('../follow-parent.js', import.meta.url).href
  const args = ['--import', followParent, stryker, 'run', file]
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  const [status] = await once(child, 'exit')
  if (status !== 0) process.exitCode = 1
}
