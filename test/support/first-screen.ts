/**
 * The first screen of a page as somebody does it who reads it: its code blocks in order, in one folder.
 *
 * Screen    what is below the first heading of the second level, up to the next one
 * Files     a block of TypeScript, JavaScript or Python whose first line is a comment with a file name is that file
 * Commands  blocks of `sh` run as they stand in a shell that stops at the first failure. `npx tidemark dev` at the start of a line
 *           goes on until the end, and what follows waits until it is ready
 * Changed   `tidemark` as what npm installs is the tarball; port 8080 is another one, which is free
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './ports.ts'

export type Step =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'commands'; readonly text: string }
  | { readonly kind: 'venue'; readonly text: string }

const usualUrl = 'http://127.0.0.1:8080'
const fileName = /^(?:\/\/|#) (?<name>[\w./-]+\.(?:[cm]?[jt]s|py))\n/

/** Throws where a block is neither a file nor commands. */
export function firstScreen(page: string): Step[] {
  const [, screen = ''] = page.split(/^## .*$/m)
  const blocks = [...screen.matchAll(/^```(?<language>\w*)[^\n]*\n(?<text>.*?)^```$/gms)]
  return blocks.flatMap(({ groups }): Step[] => {
    const { language = '', text = '' } = groups ?? {}
    if (language === 'sh') return commandsIn(text)
    const name = fileName.exec(text)?.groups?.['name']
    if (name === undefined) throw new Error(`a block of ${language} says no file name:\n${text}`)
    return [{ kind: 'file', name, text }]
  })
}

function commandsIn(text: string): Step[] {
  return text
    .split(/^(?=npx tidemark dev\b)|(?<=^npx tidemark dev\b.*\n)/m)
    .filter((part) => part.trim() !== '')
    .map((part) => ({ kind: part.startsWith('npx tidemark dev') ? 'venue' : 'commands', text: part }))
}

export interface Reader {
  readonly folder: string
  readonly tarball: string
  readonly env: NodeJS.ProcessEnv
}

/** Does them one after the other and answers all that was printed; throws at the first that fails. */
export async function follow(steps: readonly Step[], { folder, tarball, env }: Reader): Promise<string> {
  const quiet = { ...env, npm_config_audit: 'false', npm_config_fund: 'false', npm_config_prefer_offline: 'true' }
  const venues: ChildProcess[] = []
  // Files before a venue name its port already.
  const port = await freePort()
  let printed = ''
  try {
    for (const step of steps) {
      const text = step.text.replaceAll(usualUrl, `http://127.0.0.1:${port}`)
      if (step.kind === 'file') {
        mkdirSync(dirname(join(folder, step.name)), { recursive: true })
        writeFileSync(join(folder, step.name), text)
      } else if (step.kind === 'commands') {
        printed += await run(withTarball(text, tarball), folder, quiet)
      } else {
        const venue = shell(text, folder, { ...quiet, TIDEMARK_PORT: String(port) })
        venues.push(venue)
        await ready(venue)
      }
    }
    return printed
  } finally {
    for (const venue of venues) process.kill(-venue.pid!, 'SIGTERM')
  }
}

/** Whatever else is installed with it. */
function withTarball(text: string, tarball: string): string {
  return text.replace(/^(npm (?:i|install|add)\b.*?\s)tidemark(?=\s|$)/gm, `$1${tarball}`)
}

/** A group of processes of its own, so that all of it can be ended. */
function shell(text: string, cwd: string, env: NodeJS.ProcessEnv): ChildProcess {
  return spawn('bash', ['-ec', text], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function run(text: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = shell(text, cwd, env)
  let printed = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`exit ${code}:\n${text}\n${printed}`)
  return printed
}

function ready(venue: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let errors = ''
    venue.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    venue.once('exit', (code) => reject(new Error(`the venue ended with ${code}:\n${errors}`)))
    createInterface({ input: venue.stdout! }).on('line', (line) => {
      if (line.startsWith('ready ')) resolve()
    })
  })
}
