/**
 * Lockstep: the clock goes on when all clients wait, each wakes where it asked to or where something happened, and the same run comes
 * to the same results.
 *
 * Source  lab.md §4.14
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Socket } from '../../support/socket.ts'
import { open, type Row, t, tapeOf } from '../playing.ts'

const levels: readonly Row[] = [60_000, 59_999, 59_998].flatMap((price, place): Row[] => [
  { at: 0, side: 'bid', price, size: 2 + place, snapshot: true },
  { at: 0, side: 'ask', price: 60_001 + place, size: 1 + place, snapshot: true },
])
/** A trade each second for three minutes, on both sides in turn. */
const trades = Array.from({ length: 180 }, (_, second): Row => {
  const trade = second % 2 === 0 ? 'buy' : 'sell'
  return { at: (second + 1) * 1_000, trade, price: trade === 'buy' ? 60_001 : 60_000, size: 0.5 }
})

type Opened = Awaited<ReturnType<typeof open>>
interface Woken {
  readonly now: number
  readonly reason: string
  readonly pushes: number
}

const start = async (settings: Readonly<Record<string, string>> = {}, rows = trades) =>
  open({ market: await tapeOf([...levels, ...rows]), lockstep: 'true', ...settings })
const join = ({ venue }: Opened, name: string, more: object = {}) => venue.post('/clients', { name, ...more })
const idle = ({ venue }: Opened, more: object = {}) => venue.post<Woken>('/idle', more)

/** When the only order that is open was placed. */
async function placedAt(person: ReturnType<Opened['person']>): Promise<number> {
  const { data } = await person.get('/api/v3/trade/unfilled-orders', { category: 'USDT-FUTURES' })
  return Number((data as { list: { createdTime: string }[] }).list[0].createdTime)
}

describe('one client', () => {
  test('wakes where it asked to, by a duration or a time, and no earlier', async () => {
    await using opened = await start()
    expect(await join(opened, 'bot')).toEqual({ client: 'bot', now: t, clients: ['bot'] })
    expect(await idle(opened, { until: '250ms' })).toMatchObject({ now: t + 250, reason: 'until' })
    expect(await idle(opened, { until: t + 5_000 })).toMatchObject({ now: t + 5_000, reason: 'until' })
    expect((await opened.trades()).length).toBe(5)
  })

  test('wakes at the next push when it listens to a socket, and is told how many have left', async () => {
    await using opened = await start()
    await join(opened, 'bot')
    const socket = await Socket.open(opened.venue, '/v2/ws/public')
    await socket.subscribe({ instType: 'USDT-FUTURES', channel: 'trade', instId: 'BTCUSDT' })
    let last = t
    for (let push = 0; push < 3; push += 1) {
      const { now, reason } = await idle(opened, { until: '1m' })
      expect([reason, now >= last, now <= t + 3_000]).toEqual(['push', true, true])
      last = now
    }
    socket.close()
  })

  test('at the end of the record it is told so', async () => {
    await using opened = await start({}, trades.slice(0, 3))
    await join(opened, 'bot')
    const woken = await idle(opened, { until: '1h' })
    expect(woken.reason).toBe('end')
    expect(woken.now).toBeLessThan(t + 60_000)
  })

  test('an order that is under way is answered before time goes on', async () => {
    await using opened = await start()
    await join(opened, 'bot')
    const person = opened.person('unified-main')
    const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc', qty: '0.1' }
    const [placed, woken] = await Promise.all([
      person.post('/api/v3/trade/place-order', { ...order, side: 'buy', price: '59990' }),
      idle(opened, { until: '1s' }),
    ])
    expect([placed.code, woken.now]).toEqual(['00000', t + 1_000])
    expect(await placedAt(person)).toBe(t)
  })

  test('a command that latency holds back arrives at its time, though its client waits for the answer', async () => {
    await using opened = await start()
    await join(opened, 'bot')
    await opened.venue.post('/latency', { rules: [{ leg: 'entry', constant: 300 }] })
    const person = opened.person('unified-main')
    const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc', qty: '0.1' }
    const placing = person.post('/api/v3/trade/place-order', { ...order, side: 'buy', price: '59990' })
    await opened.venue.get('/latency?atLeast=1')
    await idle(opened, { until: '1s' })
    expect((await placing).code).toBe('00000')
    expect(await placedAt(person)).toBe(t + 300)
  })
})

describe('several clients', () => {
  test('act one after the other, who acted longest ago first', async () => {
    await using opened = await start()
    const said: string[] = []
    const bot = async (name: string, every: number, times: number) => {
      for (let time = 0; time < times; time += 1) {
        const { now } = await idle(opened, { client: name, until: every * (time + 1) + t })
        said.push(`${name} ${now - t}`)
      }
      await opened.venue.call('DELETE', `/clients/${name}`)
    }
    await join(opened, 'one', { pushes: false })
    await join(opened, 'two', { pushes: false })
    await Promise.all([bot('one', 1_000, 4), bot('two', 2_000, 2)])
    expect(said).toEqual(['one 1000', 'two 2000', 'one 2000', 'one 3000', 'two 4000', 'one 4000'])
  })

  test('one that says nothing is told to the others', async () => {
    await using opened = await start()
    await join(opened, 'one')
    await join(opened, 'two', { silent: '50ms' })
    expect((await opened.venue.call('POST', '/idle', { client: 'one', until: '1s' })).envelope).toMatchObject({
      error: { code: 'client-silent', message: expect.stringMatching(/client two .*DELETE \/_lab\/clients\/two/) },
    })
    await opened.venue.call('DELETE', '/clients/two')
    expect(await idle(opened, { until: '1s' })).toMatchObject({ now: t + 1_000 })
  })
})

/** Rests on both sides each ten seconds, and takes a little each minute. */
async function run(settings: Readonly<Record<string, string>> = {}) {
  await using opened = await start(settings)
  await join(opened, 'bot')
  const category = 'USDT-FUTURES'
  const order = { category, symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc', qty: '0.01' }
  const { venue } = opened
  let now = t
  const signed = venue.person('unified-main', () => now)
  for (let turn = 0; turn < 18; turn += 1) {
    await signed.post('/api/v3/trade/place-order', { ...order, side: 'buy', price: '60000' })
    await signed.post('/api/v3/trade/place-order', { ...order, side: 'sell', price: '60001' })
    if (turn % 6 === 0) await signed.post('/api/v3/trade/place-order', { ...order, side: 'buy', price: '60010' })
    ;({ now } = await idle(opened, { until: '10s' }))
  }
  const text = async (query: string) => (await fetch(`${venue.url}/_lab/results?${query}`)).text()
  return {
    report: await venue.get<Record<string, never>>('/results'),
    csv: await text('format=csv'),
    equity: await text('format=csv&table=equity'),
    html: await text('format=html'),
  }
}

describe('results', () => {
  test('are the same for the same run, and add up', { timeout: 60_000 }, async () => {
    const first = await run()
    expect(await run()).toEqual(first)
    const { accounts, fills, equity } = first.report as unknown as {
      accounts: Record<string, unknown>[]
      fills: { scope: string; fee: string }[]
      equity: { at: number; equity: string }[]
    }
    expect(first.report).toMatchObject({ format: 'tidemark-results/1', deterministic: true, from: t, to: t + 180_000 })
    expect(accounts).toEqual([expect.objectContaining({ role: 'unified-main', orders: 39, fills: fills.length })])
    expect(fills.filter(({ scope }) => scope === 'taker').length).toBe(3)
    expect(fills.filter(({ scope }) => scope === 'maker').length).toBeGreaterThan(3)
    const fees = fills.reduce((sum, { fee }) => sum + Number(fee), 0)
    expect(Number((accounts[0]['fees'] as Record<string, string>)['USDT'])).toBeCloseTo(fees, 8)
    expect(equity.map(({ at }) => at - t)).toEqual([60_000, 120_000, 180_000])
    const [{ begin, end, profit }] = accounts as { begin: string; end: string; profit: string }[]
    expect(Number(end) - Number(begin)).toBeCloseTo(Number(profit), 6)
    expect(first.csv.split('\n')[0]).toBe(
      'at,uid,symbol,category,side,scope,price,size,fee,feeCoin,profit,effect,cause,orderId,clientOid',
    )
    expect(first.csv.trim().split('\n').length).toBe(fills.length + 1)
    expect(first.equity.trim().split('\n').length).toBe(4)
    expect(first.html).toMatch(/^<!doctype html>.*Equity, USDT.*Below the highest.*last price and fills/s)
  })

  test('one push of each channel for a step, with --fast-feed', async () => {
    const pushes = async (settings: Readonly<Record<string, string>>) => {
      await using opened = await start(settings)
      await join(opened, 'bot', { pushes: false })
      const socket = await Socket.open(opened.venue, '/v2/ws/public')
      await socket.subscribe({ instType: 'USDT-FUTURES', channel: 'trade', instId: 'BTCUSDT' })
      await socket.push('trade')
      const before = socket.heard.length
      await idle(opened, { until: '30s' })
      socket.send('ping')
      await socket.next(({ text }) => text === 'pong')
      const told = socket.heard.slice(before).filter(({ data }) => data !== undefined)
      socket.close()
      return { messages: told.length, trades: told.flatMap(({ data = [] }) => data).length }
    }
    expect(await pushes({ fastFeed: 'true' })).toEqual({ messages: 1, trades: 30 })
    const usual = await pushes({})
    expect(usual.trades).toBe(30)
    expect(usual.messages).toBeGreaterThan(1)
  })
})

test('the programs of the examples come to the same results', { timeout: 60_000 }, async () => {
  const large = trades.slice(0, 60).map((row) => ({ ...row, at: row.at - 500, size: 3 }))
  await using opened = await start({}, large)
  const told: string[] = []
  for (const [command, file] of [
    [process.execPath, 'maker.mjs'],
    ['python3', 'maker.py'],
  ]) {
    const path = fileURLToPath(new URL(`../../../examples/backtests/${file}`, import.meta.url))
    const { stdout } = await promisify(execFile)(command, [path], {
      env: { ...process.env, BACKTEST_URL: opened.venue.url },
    })
    expect(stdout).toMatch(/^unified-main: profit -?[0-9.]+ USDT, drawdown [0-9.]+, [1-9][0-9]* fills/)
    const { accounts, fills } = await opened.venue.get<Record<string, unknown>>('/results')
    told.push(JSON.stringify([accounts, fills]))
    await opened.venue.post('/reset')
  }
  expect(told[1]).toBe(told[0])
})

test('a client that says nothing is taken as idle after a while, and the results say that this is not exact', async () => {
  await using opened = await start({ quiet: '2ms' }, trades.slice(0, 20))
  const person = opened.person('unified-main')
  const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc', qty: '0.01' }
  expect((await person.post('/api/v3/trade/place-order', { ...order, side: 'buy', price: '60000' })).code).toBe('00000')
  await opened.venue.get(
    `/wait?timeout=20s&for=${encodeURIComponent(JSON.stringify({ fills: { uid: 'unified-main', count: 1 } }))}`,
  )
  expect(await opened.venue.get('/results')).toMatchObject({ deterministic: false, accounts: [{ fills: 1 }] })
})

test('a fork goes on from the results of its origin, with clients of its own', async () => {
  await using opened = await start()
  await join(opened, 'bot')
  const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc', qty: '0.01' }
  await opened.person('unified-main').post('/api/v3/trade/place-order', { ...order, side: 'buy', price: '60010' })
  await idle(opened, { until: '61s' })
  const before = await opened.venue.get('/results')
  const fork = await opened.venue.fork()
  expect(await fork.get('/clients')).toEqual([])
  expect(await fork.get('/results')).toEqual(before)
  await fork.post('/clients', { name: 'other' })
  expect(await fork.post('/idle', { until: '1s' })).toMatchObject({ now: t + 62_000 })
})

describe('what is wrong', () => {
  test('a clock that somebody has go by itself is told to who waits', async () => {
    await using opened = await start()
    await join(opened, 'bot')
    await opened.venue.post('/clock', { thaw: true })
    expect((await opened.venue.call('POST', '/idle', { until: '1m' })).envelope).toMatchObject({
      error: { code: 'clock-not-manual' },
    })
    await opened.venue.post('/clock', { freeze: true })
    expect(await idle(opened, { until: '1m' })).toMatchObject({ reason: 'until' })
  })

  test.each<[what: string, method: string, path: string, body: unknown, status: number, code: string, said: RegExp]>([
    ['no clients', 'POST', '/idle', { until: '1s' }, 409, 'no-clients', /POST \/_lab\/clients/],
    ['a client that is not there', 'POST', '/idle', { client: 'x' }, 404, 'unknown-client', /no client x/],
    ['which of two', 'POST', '/idle', { until: '1s' }, 400, 'body-wrong', /client: one of a, b is wanted/],
    ['a time that is over', 'POST', '/idle', { client: 'a', until: t - 1 }, 409, 'clock-backwards', /until: /],
    ['no time', 'POST', '/idle', { client: 'a', until: 'soon' }, 400, 'body-wrong', /until must be a time/],
    ['a name that is taken', 'POST', '/clients', { name: 'a' }, 409, 'name-taken', /there is a client a/],
    ['no name', 'POST', '/clients', {}, 400, 'body-wrong', /name/],
    ['a client that is gone', 'DELETE', '/clients/x', undefined, 404, 'unknown-client', /no client x/],
    ['another format', 'GET', '/results?format=pdf', undefined, 400, 'body-wrong', /format/],
    ['a table of a page', 'GET', '/results?format=html&table=fills', undefined, 400, 'body-wrong', /table: goes with/],
  ])('%s', async (what, method, path, body, status, code, said) => {
    await using opened = await start()
    if (what !== 'no clients') for (const name of ['a', 'b']) await join(opened, name)
    const answer = await opened.venue.call(method, path, body)
    const { error } = answer.envelope as { error: { code: string; message: string } }
    expect([answer.status, error.code]).toEqual([status, code])
    expect(error.message).toMatch(said)
  })

  test('a venue that does not run in lockstep says how one does', async () => {
    await using opened = await open({ market: await tapeOf([...levels, ...trades.slice(0, 2)]) })
    for (const [method, path] of [
      ['GET', '/clients'],
      ['POST', '/idle'],
      ['GET', '/results'],
    ] as const) {
      expect((await opened.venue.call(method, path, method === 'POST' ? {} : undefined)).envelope).toMatchObject({
        error: { code: 'lockstep-off', message: expect.stringMatching(/tidemark dev --lockstep/) },
      })
    }
  })
})
