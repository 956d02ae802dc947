/**
 * Clients as they are published run into faults and find out what became of their orders: in the end each is there once.
 *
 * Programs  ccxt (v3), bitget-api (v2 and v3), and the Python program of docs/unknown-outcomes.md
 * Reached   a fault that met no order of a program would show nothing
 * Source    lab.md §5 (faults)
 */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { RestClientV2, RestClientV3 } from 'bitget-api'
import ccxt from 'ccxt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/temporary.ts'
import { openHere, type OpenedHere } from '../in-process.ts'
import type { LabVenue } from '../laboratory.ts'

let opened: OpenedHere
let venue: LabVenue

beforeAll(async () => {
  opened = await openHere({ deterministic: 'false' })
  venue = opened.venue
})
afterAll(() => opened.close())

const faults = [
  ['lost-ack', {}],
  ['lost-request', { how: 'rst' }],
  ['unknown', { code: '40010', order: 'live' }],
  ['late-request', { ms: 300, answer: 40010 }],
  ['rate-limit', {}],
  ['http', { status: 502, point: 'after' }],
  ['garbled', { how: 'truncated' }],
] as const

interface Program {
  readonly name: string
  readonly role: string
  /** Places one order, and asks by its client order id where the answer leaves it in the dark. */
  send(clientOid: string): Promise<unknown>
  find(clientOid: string): Promise<unknown>
}

function programs(): readonly Program[] {
  const key = (role: string) => ({ apiKey: `dev-${role}`, secret: 'tidemark', passphrase: 'tidemark' })
  const unified = key('unified-main')
  const exchange = new ccxt.bitget({ ...unified, password: unified.passphrase, options: { uta: true } })
  exchange.enableRateLimit = false
  const addresses = exchange.urls['api'] as Record<string, unknown>
  for (const [name, at] of Object.entries(addresses)) if (typeof at === 'string') addresses[name] = venue.url
  const symbol = 'BTC/USDT:USDT'
  const options = (role: string) => {
    const { apiKey, secret, passphrase } = key(role)
    return { baseUrl: venue.url, apiKey, apiSecret: secret, apiPass: passphrase }
  }
  const v3 = new RestClientV3(options('unified-peer'))
  const v2 = new RestClientV2(options('classic-main'))
  const contract = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' } as const
  return [
    {
      name: 'ccxt',
      role: 'unified-main',
      send: (clientOrderId) => exchange.createOrder(symbol, 'limit', 'buy', 0.01, 50_000, { clientOrderId }),
      find: (clientOrderId) => exchange.fetchOrder('', symbol, { clientOrderId }),
    },
    {
      name: 'v3',
      role: 'unified-peer',
      send: (clientOid) => {
        const terms = { side: 'buy', orderType: 'limit', timeInForce: 'gtc', qty: '0.01', price: '50000' } as const
        return v3.submitNewOrder({ category: 'USDT-FUTURES', symbol: 'BTCUSDT', ...terms, clientOid })
      },
      find: (clientOid) => v3.getOrderInfo({ clientOid }),
    },
    {
      name: 'v2',
      role: 'classic-main',
      send: (clientOid) => {
        const terms = { side: 'buy', orderType: 'limit', force: 'gtc', size: '0.01', price: '50000' } as const
        return v2.futuresSubmitOrder({ ...contract, marginMode: 'crossed', marginCoin: 'USDT', ...terms, clientOid })
      },
      find: (clientOid) => v2.getFuturesOrder({ ...contract, clientOid }),
    },
  ]
}

/** As anybody would: what failed is looked for, and sent again under the same name if it is not there. */
async function placeOnce(program: Program, clientOid: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const isTaken = await program.send(clientOid).then(
      () => true,
      () => false,
    )
    const isThere = isTaken || (await program.find(clientOid).then(Boolean, () => false))
    if (isThere) return
    await sleep(50)
  }
  throw new Error(`${clientOid} could not be placed`)
}

async function arm(of: string, role: string): Promise<void> {
  for (const [fault, given] of faults) {
    const id = `${of}-${fault}`
    await venue.post('/faults', { id, fault, with: given, on: { endpoint: 'place', role, clientOid: `^${id}$` } })
  }
}

/** Each order was accepted once, and each fault has met one. */
async function check(of: string): Promise<void> {
  const { text } = await venue.call('GET', '/journal?limit=10000')
  const lines = text.split('\n').filter((line) => line !== '')
  const told = lines.map((line) => JSON.parse(line) as { command: { clientOid?: string }; reply: { kind: string } })
  for (const [fault] of faults) {
    const id = `${of}-${fault}`
    const placed = told.filter(({ command, reply }) => command.clientOid === id && reply.kind === 'placed')
    expect([id, placed.length]).toEqual([id, 1])
  }
  const firings = await venue.get<{ rule: string }[]>('/firings')
  const met = firings.map(({ rule }) => rule).filter((rule) => rule.startsWith(`${of}-`))
  expect(met.toSorted()).toEqual(faults.map(([fault]) => `${of}-${fault}`).toSorted())
}

test.each(['ccxt', 'v3', 'v2'])('%s: every order is there once', async (name) => {
  const program = programs().find((one) => one.name === name)!
  await arm(name, program.role)
  await Promise.all(faults.map(([fault]) => placeOnce(program, `${name}-${fault}`)))
  // What was on its way has landed, or was refused as the second of its name.
  await sleep(400)
  await check(name)
})

const hasPython = spawnSync('python3', ['--version']).status === 0

test.runIf(hasPython)('the Python program of the documents: every order is there once', async () => {
  const page = readFileSync(new URL('../../../docs/unknown-outcomes.md', import.meta.url), 'utf8')
  const module = /^```py\n(.*?)^```$/ms.exec(page)?.[1] ?? ''
  const directory = temporaryDirectory('faults-python')
  writeFileSync(join(directory, 'once.py'), module)
  const orders = faults.map(([fault]) => ({
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    qty: '0.01',
    price: '50000',
    clientOid: `py-${fault}`,
  }))
  const driver = `
import concurrent.futures, json
from once import place
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(json.dumps([order["orderStatus"] for order in pool.map(place, json.loads('''${JSON.stringify(orders)}'''))]))
`
  await arm('py', 'unified-main')
  const keys = { API_KEY: 'dev-unified-main', API_SECRET: 'tidemark', API_PASSPHRASE: 'tidemark' }
  const env = { ...process.env, VENUE: venue.url, ...keys, PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await promisify(execFile)('python3', ['-c', driver], { cwd: directory, env })
  expect(JSON.parse(stdout)).toEqual(faults.map(() => 'live'))
  await check('py')
})
