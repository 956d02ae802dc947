/** What keeps a venue in order: status, verify, explain, snapshot, scenarios. The clock is in clock.ts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { Explanation } from '../operator/operator.ts'
import { addClock } from './clock.ts'
import { dataOf, type Given, onCall, operatorCommand, venueCommand } from './command.ts'
import { explanationText } from './explain-text.ts'
import { callOperator } from './operator-client.ts'
import { isForPeople, jsonFlag, show } from './output.ts'
import { type Look, shownText } from './table.ts'
import { NoVenue } from './venue-address.ts'

/** As `GET /operator/trail` answers it. */
interface TrailAction {
  readonly at: number
  readonly who: string | null
  readonly call: string
  readonly body: object
  readonly outcome: string
  readonly code: string | null
  readonly commands: readonly { readonly sequence: number | null }[]
}

function actionShown({ at, who, call, body, outcome, code, commands }: TrailAction) {
  return {
    at: new Date(at).toISOString(),
    who,
    what: call.replace('POST /operator/', ''),
    outcome: code ?? outcome,
    commands: commands.map(({ sequence }) => sequence),
    body: JSON.stringify(body),
  }
}

/** As `GET /operator/log` answers it. */
interface LogLine {
  readonly at: string
  readonly level: string
  readonly message: string
  readonly facts: string
}

/** Whatever a line quotes, the terminal obeys nothing of it. */
function lineText({ at, level, message, facts }: LogLine): string {
  const text = `${at} ${level.padEnd(5)} ${message} ${facts}`
  return `${text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�').trimEnd()}\n`
}

export function addUpkeep(program: Command): void {
  operatorCommand<StatusShown>(program, {
    usage: 'status',
    description: 'show the state of the running venue, its address, its version and how long it has been up',
    call: 'GET /operator/status',
    text: statusText,
  })
  operatorCommand<MirrorShown | null>(program, {
    usage: 'mirror',
    description: 'show how the markets of the mirrored venue are followed',
    call: 'GET /operator/mirror',
    text: (answer) => (answer === null ? 'This venue mirrors none.\n' : mirrorText(answer)),
  })
  onCall(
    venueCommand(
      program,
      'verify',
      'check what must hold in the books; of a venue that has stopped, everything in its directory',
    ),
    (_, given) => verify(given),
  )
  addExplain(program)
  operatorCommand<{ actions: TrailAction[]; next: number | null }>(program, {
    usage: 'trail',
    description: 'show what operators did, newest first: who, what, when, and the commands that it became',
    call: 'GET /operator/trail',
    body: (_, { limit, before, who }) => ({ limit, before, who }),
    text: ({ actions, next }, look) =>
      shownText(actions.map(actionShown), look) + (next === null ? '' : `\nThere are more: --before ${next}\n`),
  })
    .option('--limit <count>', 'at most so many, 1 to 1000 (default 100)')
    .option('--before <id>', 'go on behind this one')
    .option('--who <name>', 'of one operator alone')
  operatorCommand<{ lines: LogLine[]; next: number | null }>(program, {
    usage: 'log-tail',
    description: 'show the newest lines of the log, the last one at the end',
    call: 'GET /operator/log',
    body: (_, { level, limit, before }) => ({ level, limit, before }),
    text: ({ lines }) => lines.toReversed().map(lineText).join(''),
  })
    .option('--level <level>', 'of this level and above: trace, debug, info, warn, error, fatal')
    .option('--limit <count>', 'at most so many, 1 to 1000 (default 200)')
    .option('--before <id>', 'go on before this one')
  operatorCommand<{ points: Record<string, unknown>[] }>(program, {
    usage: 'course',
    description: 'show orders a second, latency and volume of the last 24 hours, minute by minute',
    call: 'GET /operator/course',
    text: ({ points }, look) =>
      shownText(
        points.map(({ at, ...point }) => ({ at: new Date(Number(at)).toISOString(), ...point })),
        look,
      ),
  })
  operatorCommand<{ sequence: number }>(program, {
    usage: 'snapshot',
    description: 'write a snapshot now',
    call: 'POST /operator/snapshots',
    text: ({ sequence }) => `The state after command ${sequence} is on disk.\n`,
  })
  operatorCommand<{ name: string; coin: string | null; minutesLeft: number }>(program, {
    usage: 'scenario <scenario>',
    description:
      'make the simulated market do something for a while: calm, trend, crash, squeeze, stale-index, adl; none ends it',
    call: 'POST /operator/scenario',
    body: ([name], given) => ({ name, minutes: given['minutes'] ?? null, coin: given['coin'] ?? null }),
    text: ({ name, coin, minutesLeft }) =>
      name === 'none' ? 'No scenario runs.\n' : `${name} in ${coin ?? 'all coins'}, for ${minutesLeft} minutes.\n`,
  })
    .option('--minutes <minutes>', 'how long, 1 to 60')
    .option('--coin <coin>', 'where; default all coins, stale-index and adl BTC')
  addClock(program)
}

export interface StatusShown {
  readonly status: string
  readonly reasons: readonly string[]
  readonly address: string
  readonly version: string
  readonly upForS: number
  readonly now: number
}

/** How it is and where, then the rest of what the venue says of itself. */
export function statusText(
  { status, reasons, address, version, upForS, now, ...more }: StatusShown,
  look: Look,
): string {
  const first = { status, ...(reasons.length > 0 && { reasons }), address, version, up: durationText(upForS) }
  return shownText({ ...first, ...more, now: new Date(now).toISOString() }, look)
}

/** The two largest units that count: `3 d 4 h`, `5 min 12 s`. */
function durationText(seconds: number): string {
  const units = { d: Math.floor(seconds / 86_400), h: Math.floor(seconds / 3_600) % 24 }
  const parts = Object.entries({ ...units, min: Math.floor(seconds / 60) % 60, s: seconds % 60 })
  const first = parts.findIndex(([, count]) => count > 0)
  const shown = parts.slice(first, first + 2).filter(([, count]) => count > 0)
  return first < 0 ? '0 s' : shown.map(([unit, count]) => `${count} ${unit}`).join(' ')
}

interface Verified {
  readonly balanced: boolean
  readonly faults: readonly string[]
  readonly sequence: number
  readonly stateHash: string
}

/** A running venue is asked; where none runs, the independent verifier reads the directory. */
async function verify(given: Given): Promise<void> {
  const data = dataOf(given)
  let found: Verified
  try {
    found = (await callOperator(data, 'GET', '/operator/verify', {})) as Verified
  } catch (error) {
    if (!(error instanceof NoVenue) || !existsSync(join(data, 'journal'))) throw error
    return verifyDirectory(data, given)
  }
  show(found, given, ({ balanced, faults, sequence, stateHash }) => {
    const verdict = balanced ? 'Everything holds' : `${faults.length} faults`
    return [`${verdict} after command ${sequence}.`, ...faults, `State hash ${stateHash}\n`].join('\n')
  })
  if (!found.balanced) process.exitCode = 1
}

/** In a process of its own: it shares no code with the venue, and shows how far it is while it works. */
async function verifyDirectory(data: string, given: Given): Promise<void> {
  const verifier = fileURLToPath(new URL('../../verifier/cli.ts', import.meta.url))
  const flags = isForPeople(given) ? [] : [jsonFlag]
  const child = spawn(process.execPath, [verifier, data, ...flags], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) process.exitCode = 1
}

function addExplain(program: Command): void {
  onCall(
    venueCommand(
      program,
      'explain',
      'show why numbers of an account, a position, a symbol or an order are what they are',
      'as JSON, for scripts; without it text for reading, wherever it goes',
    ),
    async (_, given) => {
      const { uid, symbol, category, holdSide, order: orderId, liquidation: liquidationId } = given
      const sent = { uid, symbol, category, holdSide, orderId, liquidationId }
      const answer = (await callOperator(dataOf(given), 'GET', '/operator/explain', sent)) as Explanation
      // For reading wherever it goes; scripts that want the numbers say so.
      if (given['json'] === undefined) process.stdout.write(explanationText(answer))
      else show(answer, given)
    },
  )
    .option('--uid <uid>', 'the account')
    .option('--symbol <symbol>', 'the instrument; with --uid the position in it')
    .option('--category <category>', 'where a pair and a contract share their symbol')
    .option('--hold-side <side>', 'long or short, of a hedge')
    .option('--order <orderId>', 'an order, open or ended, of whomever')
    .option('--liquidation <liquidationId>', 'a liquidation, as causes name it')
}

interface MirrorShown {
  readonly url: string
  readonly state: string
  readonly reason: string | null
  readonly markets: readonly {
    readonly category: string
    readonly symbol: string
    readonly state: string
    readonly resyncs: number
    readonly refused: number
  }[]
  readonly notMirrored: readonly string[]
}

function mirrorText({ url, state, reason, markets, notMirrored }: MirrorShown): string {
  const why = reason === null ? '' : `: ${reason}`
  const lines = markets.map((market) => {
    const counts = `${market.resyncs} begun anew, ${market.refused} refused`
    return `  ${market.category} ${market.symbol}  ${market.state}, ${counts}`
  })
  return [`${url} is ${state}${why}`, ...lines, ...notMirrored.map((fault) => `  not mirrored: ${fault}`), ''].join(
    '\n',
  )
}
