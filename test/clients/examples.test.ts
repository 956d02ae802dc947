/**
 * The programs of examples/clients/, each as anybody would run it, through what they are written for: the answer to their
 * order is lost, then their connection, and while they are away the order is filled.
 *
 * Left out   Java where there is no `java`, and Go where there is no `go`: standard error says so
 * Source     fidelity §5; docs/clients.md
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { btcPerpetual, takenInBatch } from '../support/trading.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { Severed } from './support/severed.ts'

const examples = fileURLToPath(new URL('../../examples/clients', import.meta.url))
const isThere = (command: string, version: string) => spawnSync(command, [version]).status === 0

const programs = [
  ['JavaScript', process.execPath, ['plain.mjs'], true],
  ['JavaScript with ccxt', process.execPath, ['with-ccxt.mjs'], true],
  ['Python', 'python3', ['plain.py'], true],
  ['Java', 'java', ['Plain.java'], isThere('java', '--version')],
  ['Go', 'go', ['run', 'plain.go'], isThere('go', 'version')],
] as const

let venue: Venue
let way: Severed
let child: ChildProcess | undefined

beforeAll(async () => {
  venue = await startVenue()
})
afterEach(() => {
  child?.kill('SIGKILL')
  way?.close()
})
afterAll(async () => {
  await venue?.remove()
})

describe.each(programs)('%s', (language, command, args, isRun) => {
  if (!isRun) process.stderr.write(`\nNOT RUN: the program for ${language}, as there is no ${command} here\n\n`)

  test.runIf(isRun)('an order is placed once, and is followed over a lost connection', async () => {
    const alice = await venue.person('Alice', { funds: { uta: { USDT: '10000' } } })
    const bob = await venue.person('Bob', { funds: { uta: { USDT: '10000' } } })
    way = await Severed.from(venue.url)
    const { apiKey, secret, passphrase } = alice.key
    const keys = { VENUE: way.url, API_KEY: apiKey, API_SECRET: secret, API_PASSPHRASE: passphrase }
    child = spawn(command, args, {
      cwd: examples,
      env: { ...process.env, ...keys, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close')
    let errors = ''
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))

    const said: string[] = []
    for await (const line of createInterface({ input: child.stdout! })) {
      const isFirst = !said.includes(line)
      said.push(line)
      if (line === 'following' && isFirst) {
        way.cut()
        await takenInBatch(bob, 'sell 0.01 @ 59000', btcPerpetual)
        way.mend()
      }
    }
    expect((await ended)[0], errors).toBe(0)
    expect(way.swallowed).toBe(1)
    expect(said).toContain('no answer: sent again')
    expect(said).toContain('connection lost')
    // A program that ends may hear its own connection go.
    expect(said.findLast((line) => line !== 'connection lost')).toBe('filled 0.01 of 0.01')
    const orders = (await alice.get('/api/v3/trade/history-orders', { category: 'USDT-FUTURES' })).list('list')
    expect(orders).toMatchObject([{ orderStatus: 'filled', cumExecQty: '0.01', avgPrice: '59000' }])
  })
})
