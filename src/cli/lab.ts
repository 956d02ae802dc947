/**
 * `tidemark lab`: the calls of the laboratory, thin over HTTP.
 *
 * Where    --url, or TIDEMARK_URL, or http://127.0.0.1:8080; the token --token, or TIDEMARK_LAB_TOKEN, or none
 * Source   lab.md §4.2; docs/lab.md
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readMoment } from '../lab/settings.ts'
import { CannotStart, reasonOf } from '../operator/data-directory.ts'
import { command, type Given, onCall, recordOf, UsageWrong } from './command.ts'
import { CallFailed, NoVenue } from './venue-address.ts'
import { show } from './output.ts'

const urlDefault = 'http://127.0.0.1:8080'

/** Of commands that are one call: how they are used, what they do, the call, and its body. */
type Entry = readonly [
  usage: string,
  description: string,
  call: string,
  body?: (args: readonly (string | undefined)[], given: Given) => object,
]

const entries: Readonly<Record<string, readonly [description: string, entries: readonly Entry[]]>> = {
  '': [
    '',
    [
      ['info', 'what the venue says of itself: addresses, keys, clock', 'GET /_lab'],
      ['revert <snapshot>', 'back to a snapshot', 'POST /_lab/revert', ([snapshot]) => ({ snapshot })],
      ['reset', 'back to what the venue began with', 'POST /_lab/reset'],
      [
        'cheat <json>',
        'one of balance, deposit, position, liquidate, price, funding, fees, halt, adl',
        'POST /_lab/cheats',
        ([json]) => jsonOf(json),
      ],
    ],
  ],
  venues: [
    'the venues of this process',
    [
      ['list', 'all of them', 'GET /_lab/venues'],
      [
        'create [from]',
        'a further one: demo, a snapshot, or the path of a file or directory',
        'POST /_lab/venues',
        ([from]) => ({ from: pathOrName(from) }),
      ],
      ['delete <venue>', 'ends one', 'DELETE /_lab/venues/:0'],
    ],
  ],
  clock: [
    "the venue's time",
    [
      ['freeze', 'time stands still', 'POST /_lab/clock', () => ({ freeze: true })],
      ['thaw', "time goes on as the system's", 'POST /_lab/clock', () => ({ thaw: true })],
      ['step <duration>', 'so much time passes: 250ms, 8h, 90d', 'POST /_lab/clock', ([step]) => ({ step })],
      ['to <time>', 'time passes up to a moment', 'POST /_lab/clock', ([to]) => ({ to })],
      [
        'next <what> [symbol]',
        'up to the next funding, interest, delivery, timer or candle:1m',
        'POST /_lab/clock',
        ([next, symbol]) => ({ next, symbol }),
      ],
      [
        'until <json> [max]',
        'up to a condition',
        'POST /_lab/clock',
        ([until, max]) => ({ until: jsonOf(until), max }),
      ],
      [
        'speed <factor>',
        'milliseconds of the venue in one real millisecond',
        'POST /_lab/clock',
        ([factor]) => ({ speed: Number(factor) }),
      ],
    ],
  ],
  snapshot: [
    'what the venue can go back to',
    [
      ['list', 'all of them', 'GET /_lab/snapshots'],
      ['take [name]', 'keeps one in memory', 'POST /_lab/snapshots', ([name]) => ({ name })],
      ['delete <snapshot>', 'deletes one', 'DELETE /_lab/snapshots/:0'],
    ],
  ],
}

export function addLab(program: Command): void {
  const lab = program.command('lab').description('tests: snapshots, time, cheats of a venue that `tidemark dev` runs')
  for (const [name, [description, calls]] of Object.entries(entries)) {
    const parent = name === '' ? lab : lab.command(name).description(description)
    for (const entry of calls) addCall(parent, entry)
    if (name === 'snapshot') addSave(parent)
  }
  addFork(lab)
  onCall(labCommand(lab, 'wait <json> [timeout]', 'waits until a condition holds'), async ([json, timeout], given) => {
    const query = new URLSearchParams({ for: JSON.stringify(jsonOf(json)), ...(timeout !== undefined && { timeout }) })
    show(await callLab(given, 'GET', `/_lab/wait?${query.toString()}`), given)
  })
  const journal = labCommand(lab, 'journal', 'commands and events, a line of JSON each')
  journal.option('--uid <uid>', 'of an account or a role').option('--after <sequence>', 'behind this one')
  onCall(journal, async (_, given) => {
    const asked = Object.entries({ uid: given['uid'], after: given['after'] }).filter(
      ([, value]) => value !== undefined,
    )
    const query = new URLSearchParams(asked as [string, string][])
    process.stdout.write(
      await answered(given, 'GET', `/_lab/journal?${query.toString()}`).then((answer) => answer.text()),
    )
  })
}

function addCall(parent: Command, [usage, description, call, body]: Entry): void {
  const [method = '', path = ''] = call.split(' ')
  onCall(labCommand(parent, usage, description), async (args, given) => {
    const place = path.replace(':0', encodeURIComponent(args[0] ?? ''))
    show(await callLab(given, method, place, method === 'GET' ? undefined : (body?.(args, given) ?? {})), given)
  })
}

function addFork(parent: Command): void {
  const fork = labCommand(
    parent,
    'fork [snapshot]',
    'a further venue, from a snapshot, from now or from somewhere else',
  )
  fork
    .option('--from <origin>', 'a snapshot file, the directory of a venue, or the URL of a laboratory')
    .option('--at <moment>', 'as it was after a command (its number), or at a time')
    .option('--with-keys', 'with --from: the keys of that venue come along')
  onCall(fork, async ([snapshot], given) => {
    const { from, at: when, withKeys } = given
    const at = when === undefined ? undefined : readMoment(when)
    if (when !== undefined && at === undefined) {
      throw new UsageWrong(`--at ${when}: must be a sequence, Unix milliseconds, or ISO 8601 with a zone`)
    }
    const origin = from === undefined || /^https?:/i.test(from) ? from : resolve(from)
    show(await callLab(given, 'POST', '/_lab/fork', { snapshot, from: origin, at, withKeys: withKeys && true }), given)
  })
}

function addSave(parent: Command): void {
  const save = labCommand(parent, 'save <file>', 'writes one file, for `dev --from`')
  save.option('--snapshot <snapshot>', 'that one, not the venue as it stands')
  onCall(save, async ([file = ''], given) => {
    const taken =
      given['snapshot'] === undefined
        ? ((await callLab(given, 'POST', '/_lab/snapshots', {})) as { readonly snapshot: string })
        : { snapshot: given['snapshot'] }
    const place = `/_lab/snapshots/${encodeURIComponent(taken.snapshot)}`
    const content = await answered(given, 'GET', `${place}/file`).then((answer) => answer.bytes())
    if (given['snapshot'] === undefined) await callLab(given, 'DELETE', place)
    try {
      writeFileSync(file, content, { mode: 0o600 })
    } catch (cause) {
      throw new CannotStart(`${file} cannot be written: ${reasonOf(cause)}`, { cause })
    }
    show({ file: resolve(file), bytes: content.length }, given)
  })
}

function labCommand(parent: Command, usage: string, description: string): Command {
  return command(parent, usage, description)
    .option('--url <url>', `address of the venue (default ${urlDefault})`)
    .option('--token <token>', 'token of the laboratory; on loopback none is needed')
}

async function callLab(given: Given, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await answered(given, method, path, body)
  return ((await answer.json()) as { readonly data: unknown }).data
}

/** Throws CallFailed for what is refused. */
async function answered(given: Given, method: string, path: string, body?: object): Promise<Response> {
  const base = given['url'] ?? (process.env['TIDEMARK_URL'] || urlDefault)
  const token = given['token'] ?? process.env['TIDEMARK_LAB_TOKEN']
  if (!URL.canParse(base)) throw new UsageWrong(`--url ${base}: must look like ${urlDefault}`)
  let answer: Response
  try {
    // An address may have a path of its own, /v/ID.
    answer = await fetch(`${base.replace(/\/+$/, '')}${path}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  } catch (cause) {
    throw new NoVenue(`no venue answers at ${base}`, { cause })
  }
  if (answer.ok) return answer
  const { error } = (await answer.json().catch(() => ({}))) as { error?: { code: string; message: string } }
  if (error === undefined) throw new CallFailed(`${base} has no laboratory: run it with \`tidemark dev\``)
  throw new CallFailed(`${error.code}: ${error.message}`)
}

/** `-` reads standard input. */
function jsonOf(text: string | undefined): object {
  if (text === '-') return recordOf('-')
  try {
    const value = JSON.parse(text ?? '') as unknown
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Said below.
  }
  throw new UsageWrong(`${text}: must be a JSON object`)
}

/** The venue may have another working directory. */
function pathOrName(from: string | undefined): string | undefined {
  return from !== undefined && /[/\\]/.test(from) ? resolve(from) : from
}
