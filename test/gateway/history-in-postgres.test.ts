/**
 * Gateways that read history in PostgreSQL: what a client sees, whatever of the database and its writer is gone (scale.md §6).
 *
 *   PostgreSQL down   orders go on; history 503; sockets on
 *   PostgreSQL slow   history that is behind by two seconds: 503, orders go on
 *   writer killed     the same, of those alone who have something to see that it had not written
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ask, launchedPostgres } from '../support/postgres.ts'
import { Socket } from '../support/socket.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import type { ChildProcess } from 'node:child_process'
import { bid, end, freePorts, launch, personAt, start } from './processes.ts'

const timeout = 180_000
const patience = { timeout: 60_000, interval: 50 }

const postgres = await launchedPostgres()

function theServer() {
  if (postgres === undefined) throw new Error('there is no PostgreSQL')
  return postgres
}

/** One venue for all rows: each leaves it running. */
const children: ChildProcess[] = []

async function venueWithTwo() {
  const data = temporaryDirectory('postgres-gateway')
  const ports = await freePorts(2)
  const at = (port: number) => ['--port', String(port), '--no-rate-limits']
  const url = await theServer().database()
  const run = (role: string, port: number) => launch(children, role, data, ...at(port), '--postgres', url)
  await run('core', ports[0])
  const follow = () => run('history', ports[0])
  const history = await follow()
  const doors = await Promise.all(ports.map((port) => run('gateway', port)))
  const traders = doors.map((door) => personAt(String(door.ready['url']), data, 'unified-main'))
  return { data, history, follow, doors, traders, url, at, ports }
}

type Venue = Awaited<ReturnType<typeof venueWithTwo>>
type Trader = Venue['traders'][number]
let venue: Venue

/** An order that ends at once; its number. */
async function placeAndCancel(trader: Trader, clientOid: string): Promise<string> {
  const placed = await trader.post('/api/v3/trade/place-order', bid('1000', clientOid))
  expect(placed.code, placed.text).toBe('00000')
  const orderId = String(placed.fields['orderId'])
  const canceled = await trader.post('/api/v3/trade/cancel-order', { category: 'SPOT', symbol: 'BTCUSDT', orderId })
  expect(canceled.code, canceled.text).toBe('00000')
  return orderId
}

const past = (trader: Trader) => trader.get('/api/v3/trade/history-orders', { category: 'SPOT', limit: 1 })
const candles = (trader: Trader) =>
  trader.get('/api/v3/market/candles', { category: 'USDT-FUTURES', symbol: 'BTCUSDT', interval: '1D', limit: 5 })

async function expectPast(trader: Trader, orderId: string): Promise<void> {
  const answer = await past(trader)
  expect(answer.code, answer.text).toBe('00000')
  expect(answer.list('list')[0]['orderId']).toBe(orderId)
}

describe.skipIf(postgres === undefined || process.platform !== 'linux')('history in PostgreSQL', () => {
  beforeAll(async () => {
    venue = await venueWithTwo()
  }, timeout)

  afterAll(async () => void (await Promise.all(children.map((child) => end(child)))))

  test('what one gateway answered, the other reads at once', { timeout }, async () => {
    const { traders, data, doors } = venue
    const [here, there] = traders
    for (let place = 0; place < 20; place++) {
      const orderId = await placeAndCancel(here, `own-${place}`)
      await expectPast(there, orderId)
      await expectPast(here, orderId)
    }
    // Others wait for none of it, and see what is theirs.
    const other = personAt(String(doors[1].ready['url']), data, 'unified-sub')
    expect((await past(other)).list('list')).toEqual([])
    expect((await candles(there)).code).toBe('00000')
  })

  test('samples of equity are those of the core, and a move is read at once at any gateway', { timeout }, async () => {
    const { traders, data, doors, url } = venue
    const [here, there] = traders
    const sub = personAt(String(doors[1].ready['url']), data, 'unified-sub')
    const curveOf = async (trader: Trader) => {
      const { code, data: points, text } = await trader.get('/terminal/equity', { limit: 1_000 })
      expect(code, text).toBe('00000')
      return points as { ts: string; equity: string; moved: string }[]
    }
    const movedOf = async (trader: Trader) => (await curveOf(trader)).reduce((sum, { moved }) => sum + Number(moved), 0)
    const before = [await movedOf(there), await movedOf(sub)]
    const within = { fromType: 'uta', toType: 'uta', coin: 'USDT', amount: '300', clientOid: 'to-sub' }
    const path = '/api/v2/spot/wallet/subaccount-transfer'
    const sent = await here.post(path, { ...within, fromUserId: here.uid, toUserId: sub.uid })
    expect(sent.code, sent.text).toBe('00000')
    const after = [await movedOf(there), await movedOf(sub)]
    expect(after.map((sum, place) => Math.round(sum - (before[place] ?? 0)))).toEqual([-300, 300])
    const all = 'select sequence, command, uid, equity_e8, moved_e8, at_ms, goes_with_ms from equity order by sample_id'
    const textOf = (rows: readonly object[]) => rows.map((row) => Object.values(row).join(' ')).join('\n')
    const inCore = () => {
      const file = new DatabaseSync(join(data, 'history.sqlite'), { readOnly: true })
      try {
        return textOf(file.prepare(all).all())
      } finally {
        file.close()
      }
    }
    await vi.waitUntil(async () => {
      const found = textOf(await ask(url, all))
      return found.includes(' transfer ') && found === inCore()
    }, patience)
  })

  test('PostgreSQL is down: orders go on, history is 503, sockets stay', { timeout }, async () => {
    const { traders, history, doors } = venue
    const [trader] = traders
    const socket = await Socket.of(trader, '/v3/ws/private')
    await socket.subscribe({ instType: 'UTA', topic: 'order' })
    await placeAndCancel(trader, 'before-down')
    await theServer().kill()
    let last = ''
    for (let place = 0; place < 10; place++) last = await placeAndCancel(trader, `down-${place}`)
    await socket.next((message) => JSON.stringify(message).includes('down-9'))
    const refused = await past(trader)
    expect([refused.status, refused.code]).toEqual([503, '40015'])
    const refusedCandles = await candles(trader)
    expect([refusedCandles.status, refusedCandles.code]).toEqual([503, '40015'])
    const [open, ticker] = await Promise.all([
      trader.get('/api/v3/trade/unfilled-orders', { category: 'SPOT' }),
      trader.get('/api/v3/market/tickers', { category: 'SPOT', symbol: 'BTCUSDT' }),
    ])
    expect([open.code, ticker.code]).toEqual(['00000', '00000'])
    await theServer().start()
    await vi.waitUntil(async () => (await past(trader)).code === '00000', patience)
    await expectPast(trader, last)
    for (const { process: running } of [history, ...doors]) expect(running.exitCode).toBeNull()
  })

  test('PostgreSQL is slow: history that is too far behind is 503, orders go on', { timeout }, async () => {
    const { traders, url } = venue
    const [trader] = traders
    await placeAndCancel(trader, 'before-slow')
    await expectPast(trader, await placeAndCancel(trader, 'still'))
    const slow = new pg.Client(url)
    await slow.connect()
    await slow.query('begin; select * from progress for update')
    const orderId = await placeAndCancel(trader, 'behind')
    const refused = await past(trader)
    expect([refused.status, refused.code]).toEqual([503, '40015'])
    await placeAndCancel(trader, 'on')
    await slow.query('rollback')
    await slow.end()
    await vi.waitUntil(async () => (await past(trader)).code === '00000', patience)
    expect((await ask(url, `select * from orders where order_id = ${orderId}`)).length).toBe(1)
  })

  test('its writer is killed: who has something new to see waits, then 503; others are answered', {
    timeout,
  }, async () => {
    const { traders, follow, data, doors } = venue
    const [trader] = traders
    await expectPast(trader, await placeAndCancel(trader, 'before-killed'))
    await end(venue.history.process, 'SIGKILL')
    const orderId = await placeAndCancel(trader, 'after')
    const refused = await past(trader)
    expect([refused.status, refused.code]).toEqual([503, '40015'])
    const other = personAt(String(doors[0].ready['url']), data, 'unified-sub')
    expect((await past(other)).code).toBe('00000')
    const waiting = past(trader)
    venue.history = await follow()
    await waiting
    await vi.waitUntil(async () => (await past(trader)).code === '00000', patience)
    await expectPast(trader, orderId)
  })

  test('a gateway that starts without what it needs says so in one line', { timeout }, async () => {
    const { data, at, ports, url, history, traders } = venue
    const line = async (database: string) =>
      start('gateway', data, ...at(ports[0]), '--postgres', database).then(
        () => 'it started',
        (error: Error) => error.message.split('\n').filter(Boolean).join(' | '),
      )
    const nowhere = url.replace(/[^/]*$/, 'nowhere')
    expect(await line(nowhere)).toMatch(/ended with 1: .*: there is no such database: "createdb nowhere" makes it/)
    expect(await line(await theServer().database())).toMatch(
      /: there are no keys in it: start the core of this venue with --postgres first$/,
    )
    await ask(url, "delete from kysely_migration where name = '014-trailing-orders'")
    expect(await line(url)).toMatch(
      /: its history is of an earlier release: start "tidemark history" of this release first$/,
    )
    await ask(url, "insert into kysely_migration values ('014-trailing-orders', '2030-01-01')")
    await end(history.process, 'SIGKILL')
    await placeAndCancel(traders[0], 'unwritten')
    expect(await line(url)).toMatch(
      /: its history is at command [0-9]+, the venue at [0-9]+: does "tidemark history" run\?$/,
    )
    await expect(start('start', data, '--postgres', url)).rejects.toThrow(/--postgres: needs --gateways/)
  })

  test('one command starts all of it', { timeout }, async () => {
    const data = temporaryDirectory('postgres-gateways')
    const url = await theServer().database()
    const whole = await start(
      'start',
      data,
      '--gateways',
      '2',
      '--port',
      '0',
      '--no-rate-limits',
      '--postgres',
      url,
      '--log-level',
      'info',
    )
    const trader = () => personAt(String(whole.ready['url']), data, 'unified-main')
    const orderId = await placeAndCancel(trader(), 'all')
    await expectPast(trader(), orderId)
    expect(await ask(url, 'select client_oid from orders')).toEqual([{ client_oid: 'all' }])
    expect(await end(whole.process, 'SIGINT')).toBe(0)
  })
})
