/**
 * The programs of docs/unknown-outcomes.md, as they stand there, through each kind of trouble that the page names: every order is there
 * once, with the fills that it is said to have.
 *
 * Troubles  support/troubled.ts, once or three times in a row, at placing and at canceling
 * Orders    one that rests and is canceled, and one that is filled at once
 * Source    design.md §4.5, §4.6; docs/unknown-outcomes.md
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { btcPerpetual, takenInBatch } from '../support/trading.ts'
import { startVenue, type Venue } from '../support/venue.ts'
import { Troubled, troubles } from './support/troubled.ts'

const page = readFileSync(fileURLToPath(new URL('../../docs/unknown-outcomes.md', import.meta.url)), 'utf8')

/** The blocks of a language: a module, and a program that uses it. */
function blocks(language: string): readonly [module: string, program: string] {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)
  expect(found).toHaveLength(2)
  return found as [string, string]
}

interface Outcome {
  readonly clientOid: string
  readonly orderStatus: string
  readonly cumExecQty: string
  readonly fills: readonly { readonly execQty: string }[]
}

interface Language {
  readonly name: string
  readonly block: string
  readonly module: string
  readonly command: string
  /** Reads orders as JSON from standard input; all at once they are placed, and canceled where they rest. Writes what came of each. */
  readonly driver: readonly [file: string, text: string]
}

const languages: readonly Language[] = [
  {
    name: 'JavaScript',
    block: 'js',
    module: 'once.mjs',
    command: process.execPath,
    driver: [
      'driver.mjs',
      `import { readFileSync } from 'node:fs'
       import { cancel, place, read } from './once.mjs'
       const orders = JSON.parse(readFileSync('orders.json', 'utf8'))
       const outcomes = await Promise.all(orders.map(async (order) => {
         const placed = await place(order)
         return placed.orderStatus === 'live' ? cancel(order.clientOid) : placed
       }))
       const refused = await place({ ...orders[0], clientOid: 'too-small', qty: '0' }).catch(String)
       console.log(JSON.stringify({ outcomes, refused, missing: await read('nobody') ?? null }))`,
    ],
  },
  {
    name: 'Python',
    block: 'py',
    module: 'once.py',
    command: 'python3',
    driver: [
      'driver.py',
      `import concurrent.futures, json
from once import Refused, cancel, place, read
def run(order):
    placed = place(order)
    return cancel(order["clientOid"]) if placed["orderStatus"] == "live" else placed
orders = json.load(open("orders.json"))
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    outcomes = list(pool.map(run, orders))
try:
    refused = place({**orders[0], "clientOid": "too-small", "qty": "0"})
except Refused as error:
    refused = str(error)
print(json.dumps({"outcomes": outcomes, "refused": refused, "missing": read("nobody")}))`,
    ],
  },
]

let venue: Venue
let way: Troubled
let bob: Person

beforeAll(async () => {
  venue = await startVenue()
  way = await Troubled.from(venue.url)
  bob = await venue.person('Bob', { funds: { uta: { USDT: '1000000' } } })
})
afterAll(async () => {
  way?.close()
  await venue?.remove()
})

describe.each(languages)('$name', ({ block, module, command, driver }) => {
  test('every order is there once, whatever happened on the way', async () => {
    const alice = await venue.person(`Alice with ${block}`, { funds: { uta: { USDT: '1000000' } } })
    const kinds = Object.keys(troubles)
    // What rests is below what is filled, and each fill is a lot of its own.
    const orders = kinds.flatMap((trouble) =>
      [
        [1, 'rests', '50000'],
        [1, 'fills', '60000'],
        [3, 'rests', '50000'],
      ].map(([times, what, price]) => {
        const clientOid = `${trouble}-${times}-${what}`
        return { ...market, qty: '0.01', price, clientOid }
      }),
    )
    await takenInBatch(bob, 'sell 1 @ 60000', btcPerpetual)

    const directory = temporaryDirectory('unknown-outcomes')
    const [text, program] = blocks(block)
    const files = {
      [module]: text,
      [driver[0]]: driver[1],
      'orders.json': JSON.stringify(orders),
      [`program-${module}`]: program,
    }
    for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
    const { apiKey, secret, passphrase } = alice.key
    const keys = { VENUE: way.url, API_KEY: apiKey, API_SECRET: secret, API_PASSPHRASE: passphrase }
    const env = { ...process.env, ...keys, PYTHONDONTWRITEBYTECODE: '1' }
    const run = (file: string) => promisify(execFile)(command, [file], { cwd: directory, env })

    const told = JSON.parse((await run(driver[0])).stdout) as { readonly outcomes: readonly Outcome[] }
    expect(told).toMatchObject({ refused: expect.stringMatching(/45111|40808/) as string, missing: null })
    await way.settled()

    const ended = []
    for (let cursor = ''; ; ) {
      const query = { category: 'USDT-FUTURES', limit: '100', ...(cursor !== '' && { cursor }) }
      const answer = await alice.get('/api/v3/trade/history-orders', query)
      ended.push(...answer.list('list'))
      cursor = (answer.data as { readonly cursor?: string }).cursor ?? ''
      if (answer.list('list').length < 100) break
    }
    expect((await alice.get('/api/v3/trade/unfilled-orders')).list('list')).toEqual([])
    expect(ended.map((order) => order['clientOid']).sort()).toEqual(orders.map(({ clientOid }) => clientOid).sort())
    for (const [place, { clientOid }] of orders.entries()) {
      const isFilled = clientOid.endsWith('fills')
      const figures = isFilled ? { orderStatus: 'filled', cumExecQty: '0.01' } : { cumExecQty: '0' }
      expect(told.outcomes[place], clientOid).toMatchObject({ clientOid, ...figures })
      expect(told.outcomes[place]?.fills.map(({ execQty }) => execQty)).toEqual(isFilled ? ['0.01'] : [])
      // Placing met it, and so did canceling what rested.
      expect([clientOid, way.met(clientOid) >= (isFilled ? 1 : 2)]).toEqual([clientOid, true])
    }
    const [position] = (await alice.get('/api/v3/position/current-position', { category: 'USDT-FUTURES' })).list('list')
    expect(position).toMatchObject({ total: String(kinds.length / 100) })

    expect((await run(`program-${module}`)).stdout).toMatch(/^live cancel+ed\n$/)
  })
})

const market = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' }
