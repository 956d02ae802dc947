/** `tidemark start --gateways 2`: one address, processes that die and come back, one Ctrl-C for all. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary.ts'
import { bid, end, freePorts, personAt, start } from './processes.ts'

/** Children of a process, by what they are. */
function childrenOf(pid: number): { readonly pid: number; readonly role: string }[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  return pids.map((child) => {
    const words = readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0')
    return { pid: child, role: words.find((word) => word === 'core' || word === 'gateway') ?? '' }
  })
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50))
}

test.runIf(process.platform === 'linux')(
  'a gateway and the core die, and nothing acknowledged is lost',
  { timeout: 180_000 },
  async () => {
    const data = temporaryDirectory('gateways')
    const venue = await start('start', data, '--gateways', '2', '--port', '0', '--no-rate-limits')
    const url = String(venue.ready['url'])
    const pid = venue.process.pid!
    const roles = () =>
      childrenOf(pid)
        .map(({ role }) => role)
        .sort()
    expect(roles()).toEqual(['core', 'gateway', 'gateway'])
    expect(venue.ready).toMatchObject({ kind: 'demo' })

    const acknowledged: string[] = []
    let count = 0
    /** By a connection of its own, as the kernel deals them out; whether it was taken. */
    const place = async () => {
      const clientOid = `order-${count++}`
      const answer = await personAt(url, data, 'unified-main')
        .post('/api/v3/trade/place-order', bid('1000', clientOid))
        .catch(() => undefined)
      if (answer?.code === '00000') acknowledged.push(clientOid)
      return answer?.code === '00000'
    }
    const placeTwenty = async () => {
      const wanted = acknowledged.length + 20
      await until(async () => (await place()) && acknowledged.length >= wanted)
    }
    await placeTwenty()

    for (const role of ['gateway', 'core']) {
      const killed = childrenOf(pid).find((child) => child.role === role)!
      process.kill(killed.pid, 'SIGKILL')
      await placeTwenty()
      await until(() => roles().length === 3 && !childrenOf(pid).some((child) => child.pid === killed.pid))
    }

    for (const clientOid of acknowledged) {
      const read = async () =>
        personAt(url, data, 'unified-main')
          .get('/api/v3/trade/order-info', { clientOid })
          .catch(() => undefined)
      let answer = await read()
      while (answer === undefined || answer.status === 503) answer = await read()
      expect(answer.fields['orderStatus'], clientOid).toBe('live')
    }

    const children = childrenOf(pid).map((child) => child.pid)
    expect(await end(venue.process, 'SIGINT')).toBe(0)
    expect(children.filter(isThere)).toEqual([])
  },
)

test.runIf(process.platform === 'linux')(
  'a gateway that joins a busy venue, at whatever bytes of its socket the state begins',
  { timeout: 120_000 },
  async () => {
    const data = temporaryDirectory('gateways')
    const venue = await start('start', data, '--gateways', '3', '--port', '0', '--simulator', 'on')
    const url = String(venue.ready['url'])
    const days = new Set<number>()
    // By connections of their own, as the kernel deals them out.
    for (let asked = 0; asked < 12; asked += 1) {
      const { rows } = await candles(url)
      days.add(rows)
    }
    // The simulated past, the same at each of them.
    expect(days.size).toBe(1)
    expect(Math.min(...days)).toBeGreaterThanOrEqual(90)
    expect(venue.said()).not.toMatch(/could not be taken|died/)
  },
)

async function candles(url: string): Promise<{ readonly rows: number }> {
  const path = '/api/v3/market/candles?category=USDT-FUTURES&symbol=BTCUSDT&interval=1D&limit=100'
  const answer = await fetch(`${url}${path}`, { headers: { connection: 'close' } })
  return { rows: ((await answer.json()) as { data: readonly unknown[] }).data.length }
}

test.runIf(process.platform === 'linux')(
  'a process that cannot start ends all, with its reason',
  { timeout: 120_000 },
  async () => {
    const [port] = await freePorts(1)
    const database = `postgres://tidemark@127.0.0.1:${port}/venue`
    const data = temporaryDirectory('gateways')
    await expect(start('start', data, '--gateways', '1', '--port', '0', '--postgres', database)).rejects.toThrow(
      /start ended with 1: .*nobody listens there[^]*the core did not start/,
    )
  },
)

test('settings that several processes cannot keep are refused', async () => {
  const data = temporaryDirectory('gateways')
  await expect(start('core', data, '--port', '0')).rejects.toThrow(/--port 0: core and gateways are told the same port/)
})
