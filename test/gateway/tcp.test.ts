/** A core over TCP: gateways and history with directories of their own, and who does not know the token. */
import { randomBytes } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { ask, launchedPostgres } from '../support/postgres.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { bid, end, freePorts, personAt, start, type Started } from './processes.ts'

const timeout = 180_000
const postgres = await launchedPostgres()

function theServer() {
  if (postgres === undefined) throw new Error('there is no PostgreSQL')
  return postgres
}

/** For processes that are started within. */
async function withToken<Result>(token: string, work: () => Promise<Result>): Promise<Result> {
  vi.stubEnv('TIDEMARK_CLUSTER_TOKEN', token)
  try {
    return await work()
  } finally {
    vi.unstubAllEnvs()
  }
}

const line = async (starting: Promise<Started>) =>
  starting.then(
    () => 'it started',
    (error: Error) => error.message.split('\n').filter(Boolean).join(' | '),
  )

const token = 'a'.repeat(32)

describe.skipIf(postgres === undefined || process.platform !== 'linux')('a core over TCP', () => {
  test('gateways and history follow it from directories of their own', { timeout }, async () => {
    const [port, link] = await freePorts(2)
    const url = await theServer().database()
    const data = temporaryDirectory('tcp-core')
    const [there, history] = [temporaryDirectory('tcp-gateway'), temporaryDirectory('tcp-history')]
    const flags = ['--port', String(port), '--no-rate-limits', '--postgres', url]
    const listening = ['--listen', `127.0.0.1:${link}`]
    const following = ['--cores', `127.0.0.1:${link}`]
    const { core, gateway } = await withToken(token, async () => {
      const began = await start('core', data, ...flags, ...listening)
      // The seal of keys is the same everywhere.
      copyFileSync(join(data, 'master.key'), join(there, 'master.key'))
      await start('history', history, ...flags, ...following)
      return { core: began, gateway: await start('gateway', there, ...flags, ...following) }
    })
    expect(core.ready['socket']).toBe(`127.0.0.1:${link}`)
    const trader = personAt(String(gateway.ready['url']), data, 'unified-main')
    const place = async (clientOid: string) => {
      const placed = await trader.post('/api/v3/trade/place-order', bid('1000', clientOid))
      expect(placed.code, placed.text).toBe('00000')
      const { orderId } = placed.fields
      await trader.post('/api/v3/trade/cancel-order', { category: 'SPOT', symbol: 'BTCUSDT', orderId })
      const past = await trader.get('/api/v3/trade/history-orders', { category: 'SPOT', limit: 1 })
      expect(past.list('list')[0]['orderId']).toBe(orderId)
    }
    await place('before')
    await end(core.process, 'SIGKILL')
    await withToken(token, () => start('core', data, ...flags, ...listening))
    await place('after')
    expect(await ask(url, 'select client_oid from orders order by order_id')).toEqual([
      { client_oid: 'before' },
      { client_oid: 'after' },
    ])

    // Others are not heard, whatever they say.
    const other = withToken('b'.repeat(32), () => start('gateway', there, ...flags, ...following))
    expect(await line(other)).toMatch(
      /ended with 1: .*--cores: 127.0.0.1:[0-9]+ has another TIDEMARK_CLUSTER_TOKEN, or is no core$/,
    )
    const socket = connect(link, '127.0.0.1')
    const heard: Buffer[] = []
    socket.on('data', (chunk: Buffer) => heard.push(chunk))
    socket.write(randomBytes(64))
    await new Promise((resolve) => socket.once('close', resolve))
    expect(Buffer.concat(heard)).toHaveLength(32)
  })

  test('settings that leave it open are refused', async () => {
    const data = temporaryDirectory('tcp-core')
    const wrong = (flags: readonly string[], given = token) =>
      line(withToken(given, () => start('core', data, ...flags)))
    expect(await wrong(['--listen', '0.0.0.0:7400'])).toMatch(
      /ended with 2: .*--listen "0.0.0.0:7400": must be loopback, as links have no TLS without --cluster-cert$/,
    )
    expect(await wrong(['--cores', 'example.com:7400'])).toMatch(
      /--cores "example.com:7400": must be loopback, as links have no TLS without --cluster-cert$/,
    )
    expect(await wrong(['--listen', '7400'])).toMatch(/--listen "7400": must be HOST:PORT$/)
    expect(await wrong(['--listen', '127.0.0.1:7400'], 'short')).toMatch(
      /--listen: needs TIDEMARK_CLUSTER_TOKEN, the same at the core and at who comes, of at least 32 characters$/,
    )
  })
})
