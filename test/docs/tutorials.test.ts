/**
 * docs/tutorials/: the commands of each run as they stand, one after the other in one shell, and each prints what the page shows.
 *
 * Venue   what a page starts in a terminal of its own is started once, for all pages that say so: only the port is another one
 * Shown   a block of `text` is the whole output of the block of `sh` before it; `…` stands for anything
 */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Laboratory } from '../lab/laboratory.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const tutorials = join(checkout, 'docs/tutorials')
const elsewhere = '# In a terminal of its own: it runs until Ctrl-C.\ntidemark dev --deterministic\n'
const between = '----8<----'

interface Step {
  readonly commands: string
  /** Absent: whatever it prints. */
  readonly shown: string | undefined
}

function stepsOf(page: string): readonly Step[] {
  const steps: { commands: string; shown: string | undefined }[] = []
  for (const [, language, content] of page.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    if (language === 'sh') steps.push({ commands: content, shown: undefined })
    else if (language === 'text') steps.at(-1)!.shown = content
  }
  return steps
}

let directory: string
let laboratory: Laboratory

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-tutorials-'))
  mkdirSync(join(directory, 'bin'))
  const program = join(directory, 'bin', 'tidemark')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(checkout, 'bin/tidemark.js')}' "$@"\n`)
  chmodSync(program, 0o755)
  laboratory = await Laboratory.open('--deterministic')
})

afterAll(async () => {
  await laboratory?.close()
  rmSync(directory, { recursive: true, force: true })
})

/** What a contributor has, so far as the page uses it: files of its own, and the packages that are installed. */
function copyCheckout(to: string): void {
  const tests = ['engine', 'support', 'setup.ts', 'longest.ts', 'joined-libraries.ts'].map((part) => `test/${part}`)
  const settings = [
    'biome.json',
    '.oxlintrc.json',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'vitest.config.ts',
  ]
  for (const part of ['src', 'scripts', ...tests, ...settings])
    cpSync(join(checkout, part), join(to, part), { recursive: true })
  symlinkSync(join(checkout, 'node_modules'), join(to, 'node_modules'))
}

async function outputsOf(commands: readonly string[], cwd: string): Promise<readonly string[]> {
  writeFileSync(join(cwd, '.tutorial.sh'), commands.join(`\necho '${between}'\n`))
  const path = `${join(directory, 'bin')}:${process.env['PATH']}`
  const env = { ...process.env, PATH: path, TIDEMARK_PORT: '0', TIDEMARK_OPERATOR_PORT: '0', NO_COLOR: '1' }
  const child = spawn('bash', ['-e', '.tutorial.sh'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect({ code, err: code === 0 ? '' : err, out: code === 0 ? '' : out }).toEqual({ code: 0, err: '', out: '' })
  return out.split(`${between}\n`)
}

/** The text as a pattern, `…` for anything. */
function patternOf(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('[^]*?')}$`)
}

test.concurrent.each(readdirSync(tutorials).filter((name) => name.endsWith('.md')))('%s', async (name) => {
  const page = readFileSync(join(tutorials, name), 'utf8').replaceAll('http://127.0.0.1:8080', laboratory.main.url)
  const steps = stepsOf(page).filter(({ commands }) => commands !== elsewhere)
  expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(3)
  const cwd = join(directory, name.replace('.md', ''))
  mkdirSync(cwd)
  if (name === 'contributor.md') copyCheckout(cwd)
  const outputs = await outputsOf(
    steps.map(({ commands }) => commands),
    cwd,
  )
  expect(outputs).toHaveLength(steps.length)
  for (const [place, { commands, shown }] of steps.entries()) {
    if (shown !== undefined) expect(outputs[place], commands).toMatch(patternOf(shown))
  }
})
