/** `tidemark history`: what a core commits is in PostgreSQL, whatever dies on the way, and what it was missing comes out of the core. */
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { tableList } from '../../src/history/tables.ts'
import { ask, launchedPostgres } from '../support/postgres.ts'
import { healthAt, Scraped } from '../support/scraped.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { bid, end, freePorts, personAt, start, type Started } from './processes.ts'

const timeout = 180_000
const patience = { timeout: 60_000, interval: 50 }

const postgres = await launchedPostgres()

function theServer() {
  if (postgres === undefined) throw new Error('there is no PostgreSQL')
  return postgres
}

async function coreWithGateway() {
  const data = temporaryDirectory('history-process')
  const [port] = await freePorts(1)
  const at = ['--port', String(port), '--no-rate-limits']
  const core = await start('core', data, ...at)
  const gateway = await start('gateway', data, ...at)
  const trader = personAt(String(gateway.ready['url']), data, 'unified-main')
  const follow = (url: string, ...more: string[]) => start('history', data, '--postgres', url, ...more)
  return { data, at, core, gateway, trader, follow }
}

type Trader = Awaited<ReturnType<typeof coreWithGateway>>['trader']

/** An order that ends at once: a row of orders. */
async function placeAndCancel(trader: Trader, clientOid: string): Promise<void> {
  const placed = await trader.post('/api/v3/trade/place-order', bid('1000', clientOid))
  expect(placed.code, placed.text).toBe('00000')
  const { orderId } = placed.fields
  const canceled = await trader.post('/api/v3/trade/cancel-order', { category: 'SPOT', symbol: 'BTCUSDT', orderId })
  expect(canceled.code, canceled.text).toBe('00000')
}

/** A trade with oneself is none: the other side is another account. */
const clientOids = async (url: string) =>
  (await ask(url, 'select client_oid from orders order by order_id')).map((row) => String(row['client_oid']))

async function written(url: string, count: number): Promise<void> {
  await vi.waitUntil(async () => (await clientOids(url)).length >= count, patience)
}

/** The rows of both, table by table, when the core has ended: in the same order and the same words. */
async function expectSame(data: string, url: string): Promise<void> {
  const file = new DatabaseSync(join(data, 'history.sqlite'), { readOnly: true })
  const tables = [
    ...tableList.map(({ name, names, key }) => ({ name, columns: names.join(', '), order: `order by ${key}` })),
    {
      name: 'candles',
      columns:
        'instrument_id, price_kind, span_ms, start_ms, open_ticks, high_ticks, low_ticks, close_ticks, quantity_lots',
      order: 'order by instrument_id, price_kind, span_ms, start_ms',
    },
  ]
  for (const { name, columns, order } of tables) {
    const text = `select ${columns} from ${name} ${order}`
    const kept = file.prepare(text).all()
    const copied = await ask(url, text)
    const inWords = (rows: readonly object[]) => rows.map((row) => Object.values(row).map(String))
    expect(inWords(copied), name).toEqual(inWords(kept))
  }
  file.close()
}

describe.skipIf(postgres === undefined || process.platform !== 'linux')('tidemark history', () => {
  test('a database that is new, one that was left behind, and the stream', { timeout }, async () => {
    const { data, core, trader, follow, gateway } = await coreWithGateway()
    const url = await theServer().database()
    // Before anybody follows: out of the core's history.
    for (const name of ['a', 'b']) await placeAndCancel(trader, name)
    let history = await follow(url)
    expect(history.ready).toMatchObject({ role: 'history', postgres: url.replace(/.*@/, '') })
    await written(url, 2)
    // While it follows: out of the stream.
    await placeAndCancel(trader, 'c')
    await written(url, 3)
    // While it is dead: out of the core's history again.
    await end(history.process, 'SIGKILL')
    await placeAndCancel(trader, 'd')
    history = await follow(url)
    await written(url, 4)
    await placeAndCancel(trader, 'e')
    await written(url, 5)
    expect(await clientOids(url)).toEqual(['a', 'b', 'c', 'd', 'e'])
    await end(gateway.process)
    expect(await end(history.process)).toBe(0)
    history = await follow(url)
    await end(core.process)
    await end(history.process)
    await expectSame(data, url)
  })

  test('PostgreSQL is killed and started again under load', { timeout }, async () => {
    const { trader, follow, core, data, gateway } = await coreWithGateway()
    const url = await theServer().database()
    const history = await follow(url)
    const placed: string[] = []
    let isOver = false
    const trading = (async () => {
      while (!isOver) {
        const name = `order-${placed.length}`
        await placeAndCancel(trader, name)
        placed.push(name)
      }
    })()
    const morePlaced = (count: number) => {
      const wanted = placed.length + count
      return vi.waitUntil(() => placed.length >= wanted, patience)
    }
    for (let round = 0; round < 3; round++) {
      await morePlaced(10)
      await theServer().kill()
      // Orders do not wait for it.
      await morePlaced(10)
      await theServer().start()
    }
    await morePlaced(10)
    isOver = true
    await trading
    await written(url, placed.length).catch((error: unknown) => {
      throw new Error(history.said(), { cause: error })
    })
    expect(await clientOids(url)).toEqual(placed)
    expect(history.said()).toMatch(/PostgreSQL is away: history waits/)
    expect(history.said()).toMatch(/PostgreSQL is back/)
    await end(gateway.process)
    await end(history.process)
    const again = await follow(url)
    await end(core.process)
    await end(again.process)
    await expectSame(data, url)
  })

  test('the core is killed and started again', { timeout }, async () => {
    const { data, at, core, trader, follow } = await coreWithGateway()
    const url = await theServer().database()
    const history = await follow(url)
    await placeAndCancel(trader, 'before')
    await end(core.process, 'SIGKILL')
    await start('core', data, ...at)
    await placeAndCancel(trader, 'after')
    await written(url, 2)
    expect(await clientOids(url)).toEqual(['before', 'after'])
    expect(history.process.exitCode).toBeNull()
  })

  test('a second one stands by, and takes over when the first is killed and the database is away, and each says so', {
    timeout,
  }, async () => {
    const { trader, follow, core } = await coreWithGateway()
    const url = await theServer().database()
    const status = (await freePorts(2)).map((port) => `127.0.0.1:${port}`)
    const first = await follow(url, '--status', status[0])
    const proxy = await TcpProxy.before(Number(new URL(url).port))
    onTestFinished(() => proxy.close())
    const proxied = new URL(url)
    proxied.port = String(proxy.port)
    const second = await follow(proxied.href, '--status', status[1])
    // The database goes away in the moment in which it would take over, and is back.
    let cuts = 0
    proxy.listen((chunk) => {
      if (cuts > 0 || !chunk.includes('pg_try_advisory_lock')) return
      cuts += 1
      proxy.cut()
      proxy.mend()
    })
    expect([first.ready['writes'], second.ready['writes']]).toEqual([true, false])
    await placeAndCancel(trader, 'before')
    await written(url, 1)
    const seen = (place: number) => Scraped.from(`http://${status[place]}`)
    const labels = { role: 'history', node: status[0] }
    expect((await seen(0)).value('tidemark_history_writes', labels)).toBe(1)
    expect((await seen(0)).label('tidemark_link_core', 'core')).toBe('core.sock')
    await vi.waitUntil(async () => (await seen(0)).value('tidemark_history_behind_commands') === 0, patience)
    expect((await seen(1)).value('tidemark_history_writes')).toBe(0)
    expect((await seen(1)).value('tidemark_link_up')).toBeUndefined()
    for (const one of status) expect(await healthAt(`http://${one}`)).toEqual({ status: 'ok', reasons: [] })
    await end(first.process, 'SIGKILL')
    await placeAndCancel(trader, 'after')
    await written(url, 2)
    expect(await clientOids(url)).toEqual(['before', 'after'])
    expect(cuts).toBe(1)
    await vi.waitUntil(async () => (await seen(1)).value('tidemark_history_writes') === 1, patience)
    await end(core.process, 'SIGKILL')
    const unheard = { status: 'failed', reasons: ['no core is heard: what it commits is not written'] }
    await expect.poll(() => healthAt(`http://${status[1]}`), patience).toEqual(unheard)
    const third = await follow(url)
    expect(third.ready['writes']).toBe(false)
    expect(await end(third.process)).toBe(0)
    expect(await end(second.process)).toBe(0)
  })

  test('one clear line for what it cannot do', { timeout }, async () => {
    const { data, follow } = await coreWithGateway()
    const line = async (starting: Promise<Started>) =>
      starting.then(
        () => 'it started',
        (error: Error) => error.message.split('\n').filter(Boolean).join(' | '),
      )
    expect(await line(start('history', data))).toMatch(
      /ended with 1: .*--postgres: tidemark history needs the database that it writes$/,
    )
    expect(await line(follow('mysql://host/venue'))).toMatch(
      /ended with 2: .*--postgres "mysql:\/\/host\/venue": must be an address such as postgres:\/\/user@host:5432\/database$/,
    )
    const url = await theServer().database()
    const nowhere = url.replace(/[^/]*$/, 'nowhere')
    expect(await line(follow(nowhere))).toMatch(
      /ended with 1: .*\/nowhere: there is no such database: "createdb nowhere" makes it/,
    )
    const other = await theServer().database()
    await end((await follow(other)).process)
    await ask(other, 'update progress set applied_sequence = 900000000')
    expect(await line(follow(other))).toMatch(
      /it reaches command 900000000, and the core only [0-9]+: .*name an empty database$/,
    )
    await ask(other, "update venue set id = 'another'")
    expect(await line(follow(other))).toMatch(/: it has the history of another venue: name a database of its own$/)
  })
})
