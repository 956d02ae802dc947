/**
 * `tidemark lab`: the calls of the laboratory, thin over HTTP.
 *
 * Where    --url, or TIDEMARK_URL, or http://127.0.0.1:8080; the token --token, or TIDEMARK_LAB_TOKEN, or none
 * Source   lab.md §4.2; docs/lab.md
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readMoment } from '../lab/settings.ts'
import { CannotStart, reasonOf } from '../operator/data-directory.ts'
import { command, type Given, onCall, recordOf, UsageWrong } from './command.ts'
import { show } from './output.ts'
import { shownText } from './table.ts'
import { CallFailed, exchange, type Exchanged, troubleWith } from './venue-address.ts'

const urlDefault = 'http://127.0.0.1:8080'

/** Of commands that are one call: how they are used, what they do, the call, its body, options, and what of a list people see. */
type Entry = readonly [
  usage: string,
  description: string,
  call: string,
  body?: ((args: readonly (string | undefined)[], given: Given) => object) | undefined,
  more?: {
    readonly options?: readonly (readonly [flag: string, meaning: string])[]
    readonly columns?: readonly string[]
  },
]

const pendingColumns = ['id', 'at', 'uid', 'endpoint', 'orders']
const switches: Readonly<Record<string, boolean>> = { on: true, off: false }
const ofSockets = ['--streams <which>', 'of sockets: close them, or keep them and push everything anew'] as const

const entries: Readonly<Record<string, readonly [description: string, entries: readonly Entry[]]>> = {
  '': [
    '',
    [
      ['info', 'show what the venue says of itself: addresses, keys, clock', 'GET /_lab'],
      [
        'revert <snapshot>',
        'go back to a snapshot',
        'POST /_lab/revert',
        ([snapshot], { streams }) => ({ snapshot, streams }),
        { options: [ofSockets] },
      ],
      [
        'reset',
        'go back to what the venue began with',
        'POST /_lab/reset',
        (_, given) => ({ streams: given['streams'] }),
        { options: [ofSockets] },
      ],
      ['clients', 'list who takes part in lockstep, and what each waits for', 'GET /_lab/clients'],
      ['results', 'show what came of a run in lockstep', 'GET /_lab/results'],
      [
        'pending',
        'list commands that wait for their release',
        'GET /_lab/pending',
        undefined,
        { columns: pendingColumns },
      ],
      [
        'release [order]',
        'carry out what waits: arrival, reverse, shuffle, or ids with commas between',
        'POST /_lab/release',
        ([order], { seed }) => ({ order: order?.startsWith('p') ? order.split(',') : order, seed: numberOr(seed) }),
        { options: [['--seed <number>', 'with shuffle: what the order is drawn from']] },
      ],
      [
        'drop <id> <answer>',
        'throw away what waits; answer its client with none, a code, or JSON with code and status',
        'POST /_lab/drop',
        ([id, answer = '']) => ({ id, answer: answer.startsWith('{') ? jsonOf(answer) : answer }),
      ],
      [
        'cheat <json>',
        'change the venue at will: balance, deposit, position, liquidate, price, funding, fees, halt, adl, market',
        'POST /_lab/cheats',
        ([json]) => jsonOf(json),
      ],
      [
        'book <symbol> <json>',
        'set a whole book: {"bids": [[price, size]], "asks": [...]}',
        'POST /_lab/book',
        ([symbol, json], { category }) => ({ ...jsonOf(json), symbol, category }),
        { options: [['--category <category>', 'which of two instruments with one symbol']] },
      ],
    ],
  ],
  venues: [
    'list, make and end venues of this process',
    [
      [
        'list',
        'list all venues',
        'GET /_lab/venues',
        undefined,
        { columns: ['venue', 'url', 'now', 'sequence', 'simulator'] },
      ],
      [
        'create [from]',
        'make a further venue: demo, a snapshot, or the path of a file or directory',
        'POST /_lab/venues',
        ([from], { startAt, seed, simulator }) => ({
          from: pathOrName(from),
          startAt,
          seed: numberOr(seed),
          simulator: simulator === undefined ? undefined : (switches[simulator] ?? simulator),
        }),
        {
          options: [
            ['--start-at <time>', 'with demo: its first moment, where its clock stands still'],
            ['--seed <number>', 'with demo: what its market and ids are drawn from'],
            ['--simulator <on|off>', 'with demo: simulated traders'],
          ],
        },
      ],
      ['delete <venue>', 'end a venue', 'DELETE /_lab/venues/:0'],
    ],
  ],
  clock: [
    'stop, start and move the time of the venue',
    [
      ['freeze', 'stop time', 'POST /_lab/clock', () => ({ freeze: true })],
      ['thaw', "let time go on as the system's", 'POST /_lab/clock', () => ({ thaw: true })],
      ['step <duration>', 'let so much time pass: 250ms, 8h, 90d', 'POST /_lab/clock', ([step]) => ({ step })],
      ['to <time>', 'let time pass up to a moment', 'POST /_lab/clock', ([to]) => ({ to })],
      [
        'next <what> [symbol]',
        'let time pass up to the next funding, interest, delivery, timer or candle:1m',
        'POST /_lab/clock',
        ([next, symbol]) => ({ next, symbol }),
      ],
      [
        'until <json> [max]',
        'let time pass up to a condition',
        'POST /_lab/clock',
        ([until, max]) => ({ until: jsonOf(until), max }),
      ],
      [
        'speed <factor>',
        'set how many milliseconds of the venue pass in a real one',
        'POST /_lab/clock',
        ([factor]) => ({ speed: numberOr(factor) }),
      ],
    ],
  ],
  faults: [
    'add, list and delete faults: what goes wrong on purpose',
    [
      [
        'list',
        'list the rules',
        'GET /_lab/faults',
        undefined,
        { columns: ['rule', 'fault', 'on', 'when', 'with', 'matched', 'fired', 'times'] },
      ],
      [
        'add <fault> [json]',
        'add a rule: the fault, and on, when, with, id, seed, times of it as JSON',
        'POST /_lab/faults',
        ([fault, json]) => ({ ...(json === undefined ? {} : jsonOf(json)), fault }),
      ],
      ['preset <name>', 'add the rules of a preset', 'POST /_lab/faults', ([preset]) => ({ preset })],
      ['load <json>', 'add rules as `print` gives them', 'POST /_lab/faults', ([json]) => jsonOf(json)],
      ['presets', 'list the names of the presets', 'GET /_lab/faults/presets'],
      ['delete <rule>', 'delete a rule', 'DELETE /_lab/faults/:0'],
      ['clear', 'delete all rules', 'DELETE /_lab/faults'],
      [
        'kinds',
        'list all faults, and what each is told',
        'GET /_lab/faults/kinds',
        undefined,
        { columns: ['fault', 'meaning', 'on', 'with'] },
      ],
      ['endpoints', 'list what a rule can name as its endpoint', 'GET /_lab/faults/endpoints'],
    ],
  ],
  record: [
    'record the venue, for `tidemark replay`',
    [
      [
        'start [file]',
        'record from now on; stop writes it to this file',
        'POST /_lab/record',
        ([file], { fullBodies }) => ({
          start: true,
          file: file === undefined ? undefined : resolve(file),
          fullBodies: fullBodies === undefined ? undefined : true,
        }),
        { options: [['--full-bodies', 'with answers whole, not by their digest alone']] },
      ],
      ['stop', 'end the recording, and write its file', 'POST /_lab/record', () => ({ stop: true })],
    ],
  ],
  snapshot: [
    'take, list and delete what the venue can go back to',
    [
      ['list', 'list all snapshots', 'GET /_lab/snapshots'],
      ['take [name]', 'keep a snapshot in memory', 'POST /_lab/snapshots', ([name]) => ({ name })],
      ['delete <snapshot>', 'delete a snapshot', 'DELETE /_lab/snapshots/:0'],
    ],
  ],
}

const queueUsage = ['queue <orderId>', 'show what stands before and behind a resting order at its price'] as const

export function addLab(program: Command): void {
  const lab = program
    .command('lab')
    .description('take snapshots, move time and cheat in a venue that `tidemark dev` runs, for tests')
  for (const [name, [description, calls]] of Object.entries(entries)) {
    const parent = name === '' ? lab : lab.command(name).description(description)
    for (const entry of calls) addCall(parent, entry)
    if (name === 'snapshot') addSave(parent)
    if (name === 'faults') addFaults(parent)
  }
  addFork(lab)
  addScript(lab)
  onCall(labCommand(lab, ...queueUsage), async ([orderId = ''], given) => {
    show(await callLab(given, 'GET', `/_lab/queue?${new URLSearchParams({ orderId }).toString()}`), given)
  })
  addHold(lab)
  addLatency(lab)
  onCall(
    labCommand(lab, 'save-recording <file>', 'write what was recorded lately, for `tidemark replay`'),
    async ([file = ''], given) => writeContent(file, await answered(given, 'GET', '/_lab/recording'), given),
  )
  onCall(labCommand(lab, 'wait <json> [timeout]', 'wait until a condition holds'), async ([json, timeout], given) => {
    const query = new URLSearchParams({ for: JSON.stringify(jsonOf(json)), ...(timeout !== undefined && { timeout }) })
    show(await callLab(given, 'GET', `/_lab/wait?${query.toString()}`), given)
  })
  const journal = labCommand(lab, 'journal', 'print commands and events, a line of JSON each')
  journal
    .option('--uid <uid>', 'of an account or a role')
    .option('--after <sequence>', 'behind this one')
    .option('--limit <lines>', 'so many at most (default 1000)')
  onCall(journal, async (_, given) => {
    const { uid, after, limit } = given
    const asked = Object.entries({ uid, after, limit }).filter(([, value]) => value !== undefined)
    const query = new URLSearchParams(asked as [string, string][])
    process.stdout.write(await answered(given, 'GET', `/_lab/journal?${query.toString()}`))
  })
}

function addCall(parent: Command, [usage, description, call, body, { options = [], columns } = {}]: Entry): void {
  const [method = '', path = ''] = call.split(' ')
  const made = labCommand(parent, usage, description)
  for (const [flag, meaning] of options) made.option(flag, meaning)
  onCall(made, async (args, given) => {
    const place = path.replace(':0', () => segmentOf(args[0] ?? ''))
    const answer = await callLab(given, method, place, method === 'GET' ? undefined : (body?.(args, given) ?? {}))
    show(answer, given, (shown, look) => shownText(shown, look, columns))
  })
}

function addFork(parent: Command): void {
  const fork = labCommand(
    parent,
    'fork [snapshot]',
    'make a further venue, from a snapshot, from now or from somewhere else',
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
    if (from === '') throw new UsageWrong('--from "": must be a file, a directory or an address')
    const origin = from === undefined || /^https?:/i.test(from) ? from : resolve(from)
    show(await callLab(given, 'POST', '/_lab/fork', { snapshot, from: origin, at, withKeys: withKeys && true }), given)
  })
}

/** The venue may be elsewhere: it gets the text. */
function addScript(parent: Command): void {
  const script = labCommand(
    parent,
    'script [file]',
    'begin makers and steps of a file; without a file, list those that run',
  )
  script
    .option('--name <name>', 'what it is called')
    .option('--end <script>', 'ends one by its id or name, or `all`, in place of beginning one')
  onCall(script, async ([file], given) => {
    const { name, end } = given
    if (end !== undefined) {
      if (file !== undefined || name !== undefined) throw new UsageWrong('--end goes without a file and --name')
      const place = end === 'all' ? '/_lab/script' : `/_lab/script/${segmentOf(end)}`
      return show(await callLab(given, 'DELETE', place), given)
    }
    if (file === undefined) {
      const columns = ['script', 'name', 'state', 'makers', 'steps', 'done', 'commands', 'refused']
      return show(await callLab(given, 'GET', '/_lab/script'), given, (shown, look) => shownText(shown, look, columns))
    }
    show(await callLab(given, 'POST', '/_lab/script', { text: textOf(file), file, name }), given)
  })
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (cause) {
    throw new CannotStart(`${file || '""'} cannot be read: ${reasonOf(cause)}`, { cause })
  }
}

function addHold(parent: Command): void {
  const hold = labCommand(parent, 'hold [json]', 'let what clients send wait, all or what a selector matches')
  hold.option('--off', 'nothing more is held; what waits goes on waiting')
  onCall(hold, async ([on], given) => {
    if (given['off'] !== undefined && on !== undefined) throw new UsageWrong('--off: goes without a selector')
    const answer =
      given['off'] === undefined
        ? await callLab(given, 'POST', '/_lab/hold', on === undefined ? {} : { on: jsonOf(on) })
        : await callLab(given, 'DELETE', '/_lab/hold')
    show(answer, given)
  })
}

function addLatency(parent: Command): void {
  const latency = labCommand(parent, 'latency [json]', 'set rules of latency; without rules, list them')
  latency.option('--off', 'removes all of them')
  onCall(latency, async ([rules], given) => {
    if (given['off'] !== undefined && rules !== undefined) throw new UsageWrong('--off: goes without rules')
    const answer =
      given['off'] !== undefined
        ? await callLab(given, 'DELETE', '/_lab/latency')
        : rules === undefined
          ? await callLab(given, 'GET', '/_lab/latency')
          : await callLab(given, 'POST', '/_lab/latency', jsonOf(rules))
    show(answer, given)
  })
}

function addSave(parent: Command): void {
  const save = labCommand(parent, 'save <file>', 'write a snapshot to a file, for `dev --from`')
  save.option('--snapshot <snapshot>', 'that one, not the venue as it stands')
  onCall(save, async ([file = ''], given) => {
    const taken =
      given['snapshot'] === undefined
        ? ((await callLab(given, 'POST', '/_lab/snapshots', {})) as { readonly snapshot: string })
        : { snapshot: given['snapshot'] }
    const place = `/_lab/snapshots/${segmentOf(taken.snapshot)}`
    const content = await answered(given, 'GET', `${place}/file`)
    if (given['snapshot'] === undefined) await callLab(given, 'DELETE', place)
    writeContent(file, content, given)
  })
}

function addFaults(parent: Command): void {
  onCall(
    labCommand(parent, 'print <preset>', 'print a preset as JSON, to change it and `load` it'),
    async ([name = ''], given) => {
      const { about, rules } = (await callLab(given, 'GET', `/_lab/faults/presets/${segmentOf(name)}`)) as {
        readonly about: string
        readonly rules: readonly object[]
      }
      process.stdout.write(`${JSON.stringify({ about, rules }, undefined, 2)}\n`)
    },
  )
  const firings = labCommand(parent, 'firings', 'list what was struck, and the truth of it')
  firings.option('--after <firing>', 'behind this one')
  onCall(firings, async (_, given) => {
    const query = new URLSearchParams(given['after'] === undefined ? {} : { after: given['after'] })
    const found = await callLab(given, 'GET', `/_lab/firings?${query.toString()}`)
    const columns = ['firing', 'rule', 'fault', 'at', 'endpoint', 'uid', 'outcome', 'sequence']
    show(found, given, (shown, look) => shownText(shown, look, columns))
  })
}

/** For its owner alone. */
function writeContent(file: string, content: Buffer, given: Given): void {
  try {
    writeFileSync(file, content, { mode: 0o600 })
  } catch (cause) {
    throw new CannotStart(`${file || '""'} cannot be written: ${reasonOf(cause)}`, { cause })
  }
  show({ file: resolve(file), bytes: content.length }, given)
}

function labCommand(parent: Command, usage: string, description: string): Command {
  return command(parent, usage, description)
    .option('--url <url>', `address of the venue (default ${urlDefault})`)
    .option('--token <token>', 'token of the laboratory; on loopback none is needed')
}

async function callLab(given: Given, method: string, path: string, body?: object): Promise<unknown> {
  return (JSON.parse((await answered(given, method, path, body)).toString()) as { readonly data: unknown }).data
}

/** Throws CallFailed for what is refused. */
async function answered(given: Given, method: string, path: string, body?: object): Promise<Buffer> {
  const url = baseOf(given)
  const headers = { ...authorizationOf(given) }
  const sent = { method, target: `${url}${path}`, headers, body: body && JSON.stringify(body) }
  let answer: Exchanged
  try {
    answer = await exchange({ url }, sent)
  } catch (cause) {
    throw troubleWith({ url }, cause, `no venue answers at ${url}`)
  }
  if (answer.status === 200) return answer.content
  throw new CallFailed(refusalIn(answer.content) ?? `${url} has no laboratory: run it with \`tidemark dev\``)
}

/** An address may have a path of its own, /v/ID. */
function baseOf(given: Given): string {
  const [as, url] =
    given['url'] === undefined ? ['TIDEMARK_URL', process.env['TIDEMARK_URL'] || urlDefault] : ['--url', given['url']]
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '')
  throw new UsageWrong(`${as} ${url || '""'}: must look like ${urlDefault}`)
}

function authorizationOf(given: Given): { readonly authorization?: string } {
  const [as, token] =
    given['token'] === undefined
      ? ['TIDEMARK_LAB_TOKEN', process.env['TIDEMARK_LAB_TOKEN'] || undefined]
      : ['--token', given['token']]
  if (token === undefined) return {}
  if (!/^[\x21-\x7e]{1,200}$/.test(token)) throw new UsageWrong(`${as} must be 1 to 200 visible characters`)
  return { authorization: `Bearer ${token}` }
}

/** What the laboratory says no with; undefined: it is another who answers. */
function refusalIn(content: Buffer): string | undefined {
  try {
    const { error } = JSON.parse(content.toString()) as { readonly error?: { code: string; message: string } }
    return error && `${error.code}: ${error.message}`
  } catch {
    return undefined
  }
}

/** In a path `.` and `..` mean another place. */
function segmentOf(name: string): string {
  if (name === '' || name === '.' || name === '..') throw new UsageWrong(`${name || '""'}: nothing has such a name`)
  return encodeURIComponent(name)
}

/** `-` reads standard input. */
function jsonOf(text = ''): object {
  let value: unknown
  try {
    value = text === '-' ? recordOf('-') : JSON.parse(text)
  } catch (error) {
    if (error instanceof UsageWrong) throw error
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new UsageWrong(`${text.replaceAll(/\s+/g, ' ') || '""'}: must be a JSON object`)
}

/** What is no number is sent as it is, so that the venue says what is wanted. */
function numberOr(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

/** The venue may have another working directory. */
function pathOrName(from: string | undefined): string | undefined {
  return from !== undefined && /[/\\]/.test(from) ? resolve(from) : from
}
