/** What a NATS server must be, before anything is asked of one. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { assertServers, isVenueName } from '../../src/jetstream/jetstream.ts'

test.each([
  ['tidemark', true],
  ['A-1_b', true],
  ['', false],
  ['two words', false],
  ['a.b', false],
  ['x'.repeat(65), false],
])('a venue may be named %j: %s', (name, isGood) => expect(isVenueName(name)).toBe(isGood))

describe('servers that begin in the same moment may miss one another', () => {
  const meta = (leader: string, replicas?: readonly string[]) => ({
    name: 'tests',
    leader,
    ...(replicas && { replicas: replicas.map((name) => ({ name, current: true })) }),
  })

  /** The monitor port of a server that is as it must be, and says this of its cluster. */
  async function monitorOf(name: string, cluster: object | undefined): Promise<string> {
    const varz = {
      server_name: name,
      version: '2.10.27',
      max_payload: 8 * 1024 * 1024,
      jetstream: { config: { sync_always: true }, ...(cluster && { meta: cluster }) },
    }
    const server = createServer((_, answer) => answer.end(JSON.stringify(varz))).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const missed = 'the NATS server n0, which leads JetStream, does not know n1: end that one and start it anew'
  test.each([
    ['all know one another', ['n1', 'n2'], undefined],
    ['one is not known to the one that leads', ['n2'], missed],
  ])('%s', async (_, replicas, fault) => {
    const monitors = await Promise.all([
      monitorOf('n0', meta('n0', replicas)),
      monitorOf('n1', meta('n0')),
      monitorOf('n2', meta('n0')),
    ])
    const found = assertServers(monitors).catch((error: Error) => error.message)
    expect(await found).toBe(fault)
  })

  test('a server that stands alone has nobody to know', async () => {
    await assertServers([await monitorOf('n0', undefined)])
  })
})
