/**
 * `tidemark replay`: a recording of the laboratory is played again, by itself or with the program that it is of.
 *
 * Exit      0: the same · 1: it goes another way, and where is said · 2: the file is none, or the options are wrong
 * Program   finds the venue and its key in its environment: TIDEMARK_URL, TIDEMARK_API_KEY, TIDEMARK_SECRET, TIDEMARK_PASSPHRASE, and
 *           the same as BITGET_API_BASE_URL, BITGET_API_KEY, BITGET_API_SECRET, BITGET_API_PASSPHRASE
 * Source    lab.md §4.8; docs/lab.md
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Difference, Lab, Tide } from '../lab/recording/recordings.ts'
import { CannotStart, reasonOf } from '../operator/data-directory.ts'
import { command, type Given, onCall, UsageWrong } from './command.ts'
import { show } from './output.ts'
import { CallFailed } from './venue-address.ts'

export function addReplay(program: Command): void {
  const made = command(
    program,
    'replay <file> [command...]',
    'play a recording of the laboratory again, with the program behind -- if there is one, and compare',
  )
    .option('--until <n>', 'stop behind this request, and leave the venue open')
    .option('--to-test <file>', 'write a vitest case of the calls of one key')
    .option('--key <name>', 'that key; by default the first one')
  onCall(made, ([file = '', ...words], given) => run(file, words, given))
}

async function run(file: string, words: readonly string[], given: Given): Promise<void> {
  const until = untilOf(given['until'])
  if (given['toTest'] !== undefined && words.length > 0) throw new UsageWrong('--to-test: goes without a command')
  if (given['key'] !== undefined && given['toTest'] === undefined) throw new UsageWrong('--key: goes with --to-test')
  const { LabRefusal, readRecording, releaseName } = await import('../lab/recording/recordings.ts')
  let tide: Tide
  try {
    tide = await readRecording(resolve(file))
  } catch (error) {
    throw error instanceof LabRefusal ? new UsageWrong(error.message) : error
  }
  const { version } = tide.head
  if (version !== releaseName()) {
    process.stderr.write(`made by ${version}, and this is ${releaseName()}: answers may differ\n`)
  }
  if (words.length > 0) await rerun(tide, words, until, given)
  else if (given['toTest'] !== undefined) await writeTest(tide, resolve(file), given)
  else await playAgain(tide, until, given)
}

async function playAgain(tide: Tide, until: number | undefined, given: Given): Promise<void> {
  const { openLabWith } = await import('../processes/laboratory.ts')
  const { replay } = await import('../lab/recording/recordings.ts')
  const { difference, tookMs, left } = await replay(tide, openLabWith, until)
  if (difference !== undefined) throw new CallFailed(textOf(difference))
  if (left !== undefined) return leaveOpen(left, until ?? 0)
  const { requests, sequence, lastSequence, stateHash, from, to } = tide.head
  const commands = lastSequence - sequence
  const timesRealTime = Math.round((to - from) / Math.max(1, tookMs))
  show({ same: true, requests, commands, stateHash, tookMs: Math.round(tookMs), timesRealTime }, given)
}

async function rerun(tide: Tide, words: readonly string[], until: number | undefined, given: Given): Promise<void> {
  const { openLabWith } = await import('../processes/laboratory.ts')
  const { Comparer, openRecorded } = await import('../lab/recording/recordings.ts')
  const reached = Promise.withResolvers<'reached'>()
  const comparer = new Comparer(tide, (number) => {
    if (number === until) reached.resolve('reached')
  })
  const lab = await openRecorded(tide, openLabWith, { frozen: tide.head.frozen, player: comparer })
  comparer.begin(lab.find('main'))
  let isLeft = false
  try {
    const { url } = lab.find('main').venue.parts
    const [program = '', ...args] = words
    const child = spawn(program, args, { stdio: 'inherit', env: environmentOf(tide, url) })
    const ended = (once(child, 'exit') as Promise<[number | null]>).catch((cause: unknown) => {
      throw new CannotStart(`${program} cannot be run: ${reasonOf(cause)}`, { cause })
    })
    const end = await Promise.race([ended, reached.promise])
    if (end === 'reached') child.kill('SIGTERM')
    else comparer.end()
    if (comparer.difference !== undefined) process.stderr.write(`${textOf(comparer.difference)}\n`)
    if (end === 'reached') {
      isLeft = true
      comparer.isActive = false
      return await leaveOpen(lab, until ?? 0)
    }
    if (comparer.difference !== undefined) throw new CallFailed('the program goes another way')
    show({ same: true, requests: comparer.requests, exitCode: end[0] }, given)
  } finally {
    if (!isLeft) await lab.close()
  }
}

async function writeTest(tide: Tide, recording: string, given: Given): Promise<void> {
  const { openLabWith } = await import('../processes/laboratory.ts')
  const { testOf } = await import('../lab/recording/recordings.ts')
  const { difference, text, calls } = await testOf(tide, openLabWith, { recording, key: given['key'] })
  if (difference !== undefined) throw new CallFailed(textOf(difference))
  const file = resolve(given['toTest'] ?? '')
  try {
    writeFileSync(file, text)
  } catch (cause) {
    throw new CannotStart(`${file} cannot be written: ${reasonOf(cause)}`, { cause })
  }
  show({ file, calls }, given)
}

/** Resolves when a signal ends it. */
async function leaveOpen(lab: Lab, until: number): Promise<void> {
  const { url } = lab.find('main').venue.parts
  process.stderr.write(
    `The venue stands behind request ${until}. The trading terminal: ${url}/   The laboratory: ${url}/_lab\n`,
  )
  process.stderr.write('Ctrl-C ends it.\n')
  process.stdout.write(`ready ${url}\n`)
  const alive = setInterval(() => {}, 60_000)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  clearInterval(alive)
  await lab.close()
}

function environmentOf({ rows, base }: Tide, url: string): NodeJS.ProcessEnv {
  const used = rows.flatMap((row) => (row.kind === 'request' && row.signed !== undefined ? [row.signed.apiKey] : []))[0]
  const key =
    base.keys.find(({ apiKey }) => apiKey === used) ?? base.keys.find(({ apiKey }) => apiKey === 'dev-unified-main')
  const told = {
    URL: url,
    API_KEY: key?.apiKey ?? '',
    SECRET: key?.secret ?? '',
    PASSPHRASE: key?.passphrase ?? '',
  }
  return {
    ...process.env,
    ...Object.fromEntries(Object.entries(told).map(([name, value]) => [`TIDEMARK_${name}`, value])),
    BITGET_API_BASE_URL: told.URL,
    BITGET_API_KEY: told.API_KEY,
    BITGET_API_SECRET: told.SECRET,
    BITGET_API_PASSPHRASE: told.PASSPHRASE,
  }
}

function textOf({ where, field, expected, got }: Difference): string {
  return `${where} is another one: ${field}\n  expected  ${expected}\n  got       ${got}`
}

function untilOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageWrong(`--until ${text || '""'}: must be the number of a request, from 1 on`)
}
