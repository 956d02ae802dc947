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
import { shownText } from './table.ts'
import { NoVenue } from './venue-address.ts'

export function addUpkeep(program: Command): void {
  operatorCommand<{ now: number }>(program, {
    usage: 'status',
    description: 'show how the running venue is: state, version, address, how long it has been up',
    call: 'GET /operator/status',
    text: (answer, look) => shownText({ ...answer, now: new Date(answer.now).toISOString() }, look),
  })
  operatorCommand<MirrorShown | null>(program, {
    usage: 'mirror',
    description: 'how the markets of the mirrored venue are followed',
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
