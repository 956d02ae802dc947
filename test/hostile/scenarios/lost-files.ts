/**
 * Files of a stopped venue that are gone, empty or cut off, one at a time: the start is refused in one line that names a file and
 * what to do, or the venue goes on with nothing lost.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import pino from 'pino'
import { startVenue } from '../../../src/main.ts'
import { readConfiguration } from '../../../src/operator/config/configuration.ts'
import { CannotStart } from '../../../src/operator/data-directory.ts'
import { startTrouble } from '../../../src/operator/start-trouble.ts'
import { Random } from '../../simulation/random.ts'
import type { Scenario } from './scenario.ts'

const losses = 6
const advice = /restore|accept-loss|start the release|start that release|give back/

export const lostFiles: Scenario = {
  name: 'lost-files',
  holds: 'a start without a file, or with a part of it, names it and what to do, or nothing is lost',
  async round({ seed }) {
    const base = mkdtempSync(join(tmpdir(), 'tidemark-lost-'))
    const [whole, hurt] = [join(base, 'whole'), join(base, 'hurt')]
    const random = new Random(seed)
    const counts = { tried: 0, refused: 0, 'went on': 0 }
    try {
      const before = await standing(whole)
      const files = filesOf(whole)
      while (counts.tried < losses) {
        cpSync(whole, hurt, { recursive: true })
        const file = random.pick(files)
        const how = hurtFile(join(hurt, file), random)
        const what = `${file} ${how}, seed ${seed}`
        const outcome = await standing(hurt).catch((error: unknown) => refusalOf(error, hurt, what))
        if (typeof outcome === 'string') counts.refused += 1
        else if (JSON.stringify(outcome) === JSON.stringify(before)) counts['went on'] += 1
        else throw new Error(`something was lost in silence: ${what}: ${JSON.stringify([before, outcome])}`)
        counts.tried += 1
        rmSync(hurt, { recursive: true })
      }
      return counts
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  },
}

/** Starts a demo venue whose time stands still, and tells what is there. */
async function standing(data: string): Promise<object> {
  const options = { data, port: '0', operatorPort: '0', simulator: 'off', clock: 'manual' }
  const { configuration } = readConfiguration({ options, environment: {} })
  const venue = await startVenue(configuration, { log: pino({ level: 'silent' }), onFatal() {} })
  let found: object
  try {
    const token = readFileSync(join(data, 'operator-token'), 'utf8').trim()
    const answer = await fetch(`${venue.operatorUrl}/operator/verify`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { data: told } = (await answer.json()) as { data: { stateHash: string; sequence: number } }
    const keys = readFileSync(join(data, 'demo-keys.json'), 'utf8')
    found = { stateHash: told.stateHash, sequence: told.sequence, keys }
  } finally {
    await venue.stop()
  }
  // Rows are committed a moment after what they tell of.
  return { ...found, rows: rowsOf(join(data, 'history.sqlite')) }
}

/** Deposits are what the set-up of a demo venue leaves in its history. */
function rowsOf(file: string): unknown {
  const history = new DatabaseSync(file, { readOnly: true })
  try {
    return history.prepare('select count(*) rows, sum(amount_e8) amount from external_flows').get()
  } finally {
    history.close()
  }
}

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .sort()
}

function hurtFile(file: string, random: Random): string {
  const { size } = statSync(file)
  const kept = random.below(size + 1)
  switch (random.below(3)) {
    case 0:
      rmSync(file)
      return 'gone'
    case 1:
      truncateSync(file, 0)
      return 'emptied'
    default:
      truncateSync(file, kept)
      return `cut off after ${kept} of ${size} bytes`
  }
}

/** The line; throws for what is none. */
function refusalOf(error: unknown, data: string, what: string): string {
  const told = startTrouble(error)
  if (!(told instanceof CannotStart)) throw new Error(`a start ends with a stack: ${what}`, { cause: error })
  const { message } = told
  const names = [...filesOf(data), 'venue.json', 'history.sqlite', 'keys.sqlite', 'master.key', 'journal', 'snapshot']
  const isNamed = names.some((name) => message.includes(basename(name)))
  if (message.includes('\n') || !isNamed || !advice.test(message)) {
    throw new Error(`a refusal does not name a file and what to do: ${what}: ${message}`)
  }
  return message
}
