/** The command line on a venue that runs: what it lists, shows and trades, and what the venue then answers about it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { inherited } from '../support/inherited.ts'
import { sooner } from '../support/sooner.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const cli = join(checkout, 'src/cli/cli.ts')
/** Modules are compiled once for all the processes of the tests. */

interface Key {
  readonly role: string
  readonly uid: string
  readonly apiKey: string
  readonly secret: string
  readonly passphrase: string
}

let data: string
let url: string
let announced: { readonly ready: Record<string, unknown> }
let keys: readonly Key[]
let venue: ChildProcess
let log = ''

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'tidemark-cli-'))
  const flags = [
    '--port',
    '0',
    '--operator-port',
    '0',
    '--simulator',
    'off',
    '--durability',
    'os',
    '--log-level',
    'debug',
  ]
  venue = spawn(process.execPath, [...sooner, cli, 'start', '--json', '--data', data, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  venue.stderr!.on('data', (chunk) => (log += String(chunk)))
  const [ready] = (await once(venue.stdout!, 'data')) as [Buffer]
  announced = JSON.parse(ready.toString()) as typeof announced
  url = String(announced.ready['url'])
  keys = JSON.parse(readFileSync(join(data, 'demo-keys.json'), 'utf8')) as Key[]
})

afterAll(async () => {
  if (venue.exitCode === null) {
    const ended = once(venue, 'exit')
    venue.kill('SIGKILL')
    await ended
  }
  rmSync(data, { recursive: true, force: true })
})

function keyOf(role: string): Key {
  return keys.find((key) => key.role === role)!
}

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

async function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const env = { ...inherited, TIDEMARK_DATA: data, ...environment }
  const child = spawn(process.execPath, [...sooner, cli, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, err }
}

async function answerOf<T = Record<string, string>>(
  line: string,
  environment: Record<string, string> = {},
): Promise<T> {
  const { code, out, err } = await run(line.split(' '), environment)
  expect({ line, code, err }).toEqual({ line, code: 0, err: '' })
  return JSON.parse(out) as T
}

interface Accounts {
  readonly accounts: readonly { readonly uid: string; readonly name: string; readonly parentUid: string | null }[]
  readonly next: string | null
}

interface Keys {
  readonly keys: readonly Record<string, unknown>[]
  readonly next: string | null
}

test('start says with --json where it is ready, as server.json does', () => {
  const server = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as Record<string, unknown>
  expect(announced).toEqual({ ready: { ...server, kind: 'demo' } })
})

test.runIf(process.platform === 'linux')('threads that the venue need not wait for give way to it', async () => {
  const tasks = `/proc/${venue.pid}/task`
  const priorities = () => {
    const found: Record<string, number[]> = {}
    for (const thread of readdirSync(tasks)) {
      const name = readFileSync(`${tasks}/${thread}/comm`, 'utf8').trim()
      const known = (found[name] ??= [])
      known.push(getPriority(Number(thread)))
    }
    return found
  }
  await vi.waitFor(() => expect(new Set(priorities()['V8Worker'])).toEqual(new Set([10])))
  expect(priorities()['history']).toEqual([5])
  expect(getPriority(venue.pid)).toBe(0)
})

test('completion is a script through any pipe, and JSON when it is asked for', async () => {
  const [plain, { shell, script }] = await Promise.all([
    run(['completion', 'fish']),
    answerOf('completion fish --json'),
  ])
  expect(shell).toBe('fish')
  expect(plain.out).toBe(script)
})

test('an account is found by its name and shown with what it has; the house shows its funds', async () => {
  const { uid } = keyOf('classic-main')
  const found = await answerOf<Accounts>('accounts list --search classic-MAIN --worth')
  expect(found.accounts).toMatchObject([{ uid, equityUsdt: expect.stringMatching(/^\d/) }])
  const [held, funds, conserved, liquidated, markets] = await Promise.all([
    answerOf<{ wallets: readonly object[] }>(`accounts show ${uid}`),
    answerOf<readonly object[]>('house list'),
    answerOf<{ coins: readonly object[] }>('house conservation'),
    answerOf('house liquidations --limit 5'),
    answerOf<readonly object[]>('instruments markets'),
  ])
  expect(held.wallets).toContainEqual(expect.objectContaining({ wallet: 'usdt_futures', coin: 'USDT' }))
  expect(funds).toContainEqual(expect.objectContaining({ coin: 'USDT', deleveraging: false }))
  expect(conserved.coins).toContainEqual(expect.objectContaining({ coin: 'USDT', difference: '0' }))
  expect(liquidated).toEqual({ liquidations: [], next: null })
  expect(markets).toContainEqual(expect.objectContaining({ symbol: 'BTCPERP', markPrice: expect.any(String) }))
})

test('accounts are listed page by page, each once, and by their main account', async () => {
  const all = await answerOf<Accounts>('accounts list')
  expect(all.next).toBeNull()
  expect(new Set(all.accounts.map(({ name }) => name)).size).toBe(9)
  const first = await answerOf<Accounts>('accounts list --limit 4')
  expect(first.next).toBe(all.accounts[3].uid)
  const [second, subs, wrong] = await Promise.all([
    answerOf<Accounts>(`accounts list --limit 5 --after ${first.next}`),
    answerOf<Accounts>(`accounts list --parent ${keyOf('unified-main').uid}`),
    run(['accounts', 'list', '--limit', '0']),
  ])
  expect([...first.accounts, ...second.accounts]).toEqual(all.accounts)
  expect(second.next).toBeNull()
  expect(subs.accounts.map(({ name }) => name)).toEqual(['unified-sub', 'classic-sub'])
  expect(wrong).toEqual({
    code: 1,
    out: '',
    err: 'tidemark: body-wrong: limit must be a whole number from 1 to 1000\n',
  })
})

test('keys are listed page by page, and never with a secret', async () => {
  const [all, first, own] = await Promise.all([
    answerOf<Keys>('keys list'),
    answerOf<Keys>('keys list --limit 9'),
    answerOf<Keys>(`keys list --uid ${keyOf('unified-main').uid}`),
  ])
  expect(all.keys.map(({ apiKey }) => apiKey)).toEqual(keys.map(({ apiKey }) => apiKey))
  expect(first.next).toBe(keys[8].apiKey)
  const last = await answerOf<Keys>(`keys list --limit 9 --after ${first.next}`)
  expect([...first.keys, ...last.keys]).toEqual(all.keys)
  expect(own.keys).toHaveLength(2)
  const text = JSON.stringify(all)
  for (const { secret, passphrase } of keys) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(passphrase)
  }
})

test('orders of unified and of classic accounts are placed, listed, seen in the book and cancelled', async () => {
  const { apiKey, secret, passphrase } = keyOf('unified-main')
  const asUnified = { TIDEMARK_API_KEY: apiKey, TIDEMARK_SECRET: secret, TIDEMARK_PASSPHRASE: passphrase }
  const [unified, classic, hedged] = await Promise.all([
    answerOf('order place USDT-FUTURES BTCUSDT buy 0.01 --price 59000 --client-oid first', asUnified),
    answerOf('order place usdt-futures btcusdt sell 0.02 --price 61000 --as classic-main'),
    answerOf('order place SPOT ETHUSDT buy 0.5 --price 2500.5 --as hybrid-main --interface v2'),
  ])
  expect(unified).toMatchObject({ clientOid: 'first', orderId: expect.stringMatching(/^\d+$/) })

  const [open, spot, book, twice] = await Promise.all([
    answerOf<object[]>('order list USDT-FUTURES --as classic-main'),
    answerOf<object[]>('order list SPOT ETHUSDT --as hybrid-main --interface v2'),
    answerOf('book usdt-futures btcusdt --once'),
    run('order place USDT-FUTURES BTCUSDT buy 0.01 --price 59000 --client-oid first --as unified-main'.split(' ')),
  ])
  expect(open).toMatchObject([{ orderId: classic['orderId'], size: '0.02', price: '61000' }])
  expect(spot).toMatchObject([{ orderId: hedged['orderId'] }])
  expect(book).toMatchObject({
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    bids: [['59000', '0.01']],
    asks: [['61000', '0.02']],
  })
  expect(twice).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^tidemark: 40786: [^\n]*\n$/) })

  await Promise.all([
    answerOf('order cancel USDT-FUTURES BTCUSDT --client-oid first', asUnified),
    answerOf(`order cancel USDT-FUTURES BTCUSDT ${classic['orderId']} --as classic-main`),
  ])
  expect(await answerOf('order list USDT-FUTURES --as unified-main')).toEqual([])
})

test('a deposit is sent over a network, whose terms are changed and shown', async () => {
  const { uid } = keyOf('classic-main')
  const sent = await answerOf(`chain deposit ${uid} USDT 25 --chain trc20`)
  expect(sent).toMatchObject({ uid, coin: 'USDT', chain: 'TRC20', amount: '25', address: expect.stringMatching(/^T/) })
  const rejected = await run(['chain', 'reject', sent['orderId']])
  expect([rejected.code, rejected.err]).toEqual([1, expect.stringMatching(/no withdrawal of this number/)])
  await answerOf('coins chain USDT TRC20 --deposit no --withdraw-fee 2')
  const coins = await answerOf<readonly { readonly coin: string; readonly chains: readonly object[] }[]>('coins list')
  const chains = coins.find(({ coin }) => coin === 'USDT')?.chains
  expect(chains).toContainEqual(
    expect.objectContaining({ chain: 'TRC20', deposit: 'no', withdraw: 'yes', withdrawFee: '2' }),
  )
})

test('a key with a public key signs with its private one', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(join(data, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
  writeFileSync(join(data, 'private.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const made = await answerOf(`keys create ${keyOf('unified-peer').uid} --public-key ${join(data, 'public.pem')}`)
  const named = `--api-key ${made['apiKey']} --passphrase ${made['passphrase']} --private-key ${join(data, 'private.pem')}`
  expect(await answerOf(`order list SPOT ${named} --url ${url}`)).toEqual([])
})

test('a book that is watched ends cleanly with Ctrl-C, after what it showed', async () => {
  const env = { ...inherited, TIDEMARK_URL: url }
  const child = spawn(process.execPath, [...sooner, cli, 'book', 'SPOT', 'BTCUSDT'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  expect(JSON.parse(line.toString())).toMatchObject({ category: 'SPOT', symbol: 'BTCUSDT', bids: [], asks: [] })
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})

/** As on a terminal: nothing else of the command differs. */
const onTerminal = { NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true', NO_COLOR: '1' }

test('on a terminal a status begins with the address, the version and how long the venue is up', async () => {
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string }
  const { out, err } = await run(['status'], onTerminal)
  expect(err).toBe('')
  expect(out.split('\n').slice(0, 4)).toEqual([
    expect.stringMatching(/^status +ok$/),
    expect.stringMatching(new RegExp(`^address +${url}$`)),
    expect.stringMatching(new RegExp(`^version +${version}`)),
    expect.stringMatching(/^up +\d+ (s|min)( \d+ s)?$/),
  ])
})

test('on a terminal a book keeps the decimals of its instrument; scripts read the texts that were pushed', async () => {
  const by = '--client-oid in-book --as unified-peer'
  await answerOf(`order place SPOT BTCUSDT buy 0.1 --price 40000 ${by}`)
  const [shown, told, unknown, unknownToScripts] = await Promise.all([
    run(['book', 'SPOT', 'BTCUSDT', '--once'], onTerminal),
    answerOf<{ bids: readonly (readonly string[])[] }>('book SPOT BTCUSDT --once'),
    run(['book', 'SPOT', 'NOPEUSDT', '--once'], onTerminal),
    run(['book', 'spot', 'nopeusdt', '--once']),
  ])
  await answerOf('order cancel SPOT BTCUSDT --client-oid in-book --as unified-peer')
  expect(shown.out.trimEnd().split('\n').at(-1)).toMatch(/^bid +40000\.00 +0\.100000$/)
  expect(told.bids).toEqual([['40000', '0.1']])
  const refused = { code: 1, out: '', err: 'tidemark: symbol NOPEUSDT: there is none in SPOT\n' }
  expect([unknown, unknownToScripts]).toEqual([refused, refused])
})

test('the help of the whole names every command with what it does', async () => {
  const { code, out, err } = await run(['--help'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^ {2}start \[options\] +run the venue/m)
  expect(out).toMatch(/^ {2}status \[options\] +show the state of the running venue, its address, its version/m)
})

test('the reference is the one that the venue serves', async () => {
  const file = join(data, 'openapi.json')
  expect(await run(['openapi', '--out', file])).toEqual({ code: 0, out: '', err: '' })
  const served = await (await fetch(`${url}/api/openapi.json`)).json()
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(served)
})

test.each([
  ['order place SPOT BTCUSDT buy 1', 'whose order?'],
  ['order place SPOT BTCUSDT hold 1 --as unified-main', 'side hold: must be buy or sell'],
  ['order place STOCKS BTCUSDT buy 1 --as unified-main', 'category STOCKS: must be one of SPOT, MARGIN'],
  ['book STOCKS BTCUSDT --once', 'category STOCKS: must be one of SPOT, MARGIN'],
  ['completion csh', 'shell csh: must be one of bash'],
  ['order list SPOT --as nobody', '--as nobody: must be one of unified-main'],
  ['book SPOT BTCUSDT --depth 0', '--depth 0: must be a whole number from 1 to 500'],
  ['pricing set --jump-factor 5 --fund-interval 8', '--fund-interval: needs --contract'],
  ['pricing set --index-age-ms-max 10s', '--index-age-ms-max 10s: must look like BTC=30000'],
  ['pricing set --contract BTCUSDT', '--contract BTCUSDT: must look like USDT-FUTURES:BTCUSDT'],
  ['prices BTC=60000 btc=61000', 'btc=61000: BTC is named twice'],
  ['coins add nothing.json', 'nothing.json: there is no such file'],
  ['instruments add README.md', 'README.md: must be JSON: Unexpected token'],
  ['acounts list', '(Did you mean accounts?) (usage: tidemark [options] [command])'],
  ['deposit 1000000001', "missing required argument 'wallet' (usage: tidemark deposit [options] <uid> <wallet>"],
  ['keys list --lmit 3', "unknown option '--lmit' (Did you mean --limit?) (usage: tidemark keys list [options])"],
])('asked for wrongly: tidemark %s', async (line, said) => {
  const { code, out, err } = await run(line.split(' '))
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(said)
  expect(err).toMatch(/^tidemark: [^\n]*\n$/)
})

test('where no venue runs, a client is told how to name another', async () => {
  const nowhere = join(data, 'nowhere')
  const { code, out, err } = await run(['book', 'SPOT', 'BTCUSDT', '--once', '--data', nowhere])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toBe(
    `tidemark: data directory ${nowhere}: no venue is running there. --url or TIDEMARK_URL names one elsewhere\n`,
  )
})

test('its version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string }
  expect(await run(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

function labelsIn(text: string): string[] {
  return [...text.matchAll(/\b(\w+)="/g)].map(([, name]) => name)
}

test('every metric that the dashboard asks for exists', async () => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const there = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
  const dashboard = readFileSync(join(checkout, 'deploy/grafana.json'), 'utf8')
  const { panels } = JSON.parse(dashboard) as {
    panels: { title: string; targets: { expr: string; legendFormat: string }[] }[]
  }
  const targets = panels.flatMap((panel) => panel.targets)
  const metricsIn = (expr: string) => expr.match(/\b(?:tidemark|process|nodejs)_\w+/g) ?? []
  const asked = targets.flatMap(({ expr }) => metricsIn(expr))
  expect(asked.length).toBeGreaterThan(30)
  expect(asked.filter((name) => !there.has(name))).toEqual([])
  // So do the labels that it groups, chooses and names by.
  const labels = new Set(
    [...text.matchAll(/^(\w+)\{(.*)\} /gm)].flatMap(([, name, all]) =>
      labelsIn(all).map((label) => `${name} ${label}`),
    ),
  )
  const wanted = targets.flatMap(({ expr, legendFormat }) => {
    const words = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list.split(/,\s*/))
    const named = [
      ...words,
      ...labelsIn(expr),
      ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label),
    ]
    return metricsIn(expr).flatMap((metric) => named.map((label) => `${metric} ${label}`))
  })
  expect(wanted.length).toBeGreaterThan(20)
  expect(wanted.filter((label) => !labels.has(label))).toEqual([])
  const documented = readFileSync(join(checkout, 'docs/operations.md'), 'utf8')
  const ours = [...there].filter((name) => name.startsWith('tidemark_'))
  expect(
    ours.map((name) => name.replace(/_(bucket|sum|count)$/, '')).filter((name) => !documented.includes(name)),
  ).toEqual([])
})

test('metrics show the stages of batches and what happened in each market', async () => {
  const value = async (series: string) => {
    const text = await (await fetch(`${url}/metrics`)).text()
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
    return Number(line?.slice(series.length + 1))
  }
  const batches = await value('tidemark_batches_total')
  for (const stage of ['queue', 'journal', 'engine']) {
    expect(await value(`tidemark_stage_seconds_count{stage="${stage}"}`)).toBe(batches)
    expect(await value(`tidemark_stage_seconds_bucket{stage="${stage}",le="+Inf"}`)).toBe(batches)
  }
  await answerOf('order place SPOT ETHUSDT sell 2 --price 3000 --as unified-main')
  await answerOf('order place SPOT ETHUSDT buy 1.5 --price 3000 --as unified-peer')
  const market = '{category="SPOT",symbol="ETHUSDT"}'
  // The text is at most a second old.
  await vi.waitFor(async () => expect(await value(`tidemark_market_trades_total${market}`)).toBe(1), 10_000)
  expect(await value(`tidemark_market_quantity_total${market}`)).toBe(1.5)
  expect(await value(`tidemark_market_orders_filled_total${market}`)).toBe(1)
  expect(await value('tidemark_market_mark_price{category="USDT-FUTURES",symbol="BTCUSDT"}')).toBe(60_000)
})

test('a request has an id from the edge to the log, beside the sequence of its command', async () => {
  const ask = async (id: string | undefined) => {
    const headers = id === undefined ? {} : { 'x-request-id': id }
    return (await fetch(`${url}/api/v2/public/time`, { headers })).headers.get('x-request-id')
  }
  expect(await ask('my-request.1')).toBe('my-request.1')
  const [first, second] = [await ask(undefined), await ask('not one line {}')]
  expect(first).toMatch(/^[0-9a-z]+-[0-9a-z]+$/)
  expect(second).not.toBe(first)
  expect(second).toMatch(/^[0-9a-z]+-[0-9a-z]+$/)

  await answerOf('order place SPOT XRPUSDT buy 10 --price 0.4 --as unified-main')
  const { sequence } = await answerOf('status')
  const placed = () =>
    log
      .split('\n')
      .filter((line) => line.includes('/api/v3/trade/place-order'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find((line) => line['sequence'] === sequence)
  await expect.poll(placed).toMatchObject({ msg: 'answered', code: '00000', requestId: expect.any(String) })
  for (const { secret, passphrase } of keys) {
    expect(log).not.toContain(secret)
    expect(log).not.toContain(passphrase)
  }
})

test('verify asks a venue that runs, and has the directory of one that was stopped verified', async () => {
  expect(await answerOf('verify')).toMatchObject({ balanced: true, faults: [] })
  const ended = once(venue, 'exit')
  venue.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  const { code, out } = await run(['verify'])
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ sound: true, faults: [] })
})
