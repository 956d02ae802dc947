/**
 * Two cores and a gateway that know each other by certificates, and their NATS servers as well, all of them made
 * by `cluster init --ca`: it trades, and another core takes over.
 * Who has other certificates is refused, in one line.
 */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificates } from '../../src/cluster/cluster.ts'
import { bid, start } from '../gateway/processes.ts'
import { NatsCluster, type NatsFiles, natsServer } from '../support/nats.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { ClusterVenue, commanded, tlsFlags } from './processes.ts'

const timeout = 180_000
const ca = join(temporaryDirectory('authority'), 'ca')
// NATS servers are reached by their address alone, and have no other name.
const names = ['localhost+127.0.0.1', '127.0.0.1'] as const
const [files, ofServers] = filesOf(await commanded('cluster', 'init', '--ca', ca, '--names', names.join(',')))
const nats = natsServer === undefined ? undefined : await NatsCluster.start({ tls: ofServers })
afterAll(() => nats?.stop())

function filesOf(made: Partial<ReturnType<typeof makeCertificates>>): NatsFiles[] {
  const { ca: authority = '', certificates = [] } = made
  return certificates.map(({ cert, key }) => ({ ca: authority, cert, key }))
}

const line = (starting: Promise<unknown>) =>
  starting.then(
    () => 'it started',
    (error: Error) => error.message.split('\n').filter(Boolean).join(' | '),
  )

describe.skipIf(nats === undefined)('processes of several machines', { timeout }, () => {
  let venue: ClusterVenue
  beforeAll(async () => {
    venue = await ClusterVenue.start(nats!, { cores: 2, gateways: 1, tls: files })
  }, 3 * timeout)
  afterAll(() => venue?.stop())

  test('trade over TLS, and another core takes over', async () => {
    const person = await venue.person(0)
    const place = async (clientOid: string) =>
      (await person.post('/api/v3/trade/place-order', bid('1000', clientOid))).code
    expect(await place('before')).toBe('00000')
    const leader = await venue.leader()
    await venue.kill(venue.core(leader))
    while ((await place('after')) !== '00000');
    expect(await venue.leader()).toBe(1 - leader)
    await venue.startCore(leader)
    const log = ['--venue', venue.name, '--nats', nats!.urls.join(','), '--nats-monitor', nats!.monitors.join(',')]
    const cores = ['--cores', venue.addresses.join(',')]
    const status = await commanded('cluster', 'status', ...log, ...cores, ...tlsFlags(files))
    expect(status['cores']).toMatchObject([{ role: expect.stringMatching(/^(leader|follower)$/) }, {}])
  })

  test('say nothing to who speaks no TLS', async () => {
    const [host, port] = venue.addresses[0].split(':')
    const socket = connect({ host, port: Number(port) })
    const heard: Buffer[] = []
    socket.on('data', (chunk: Buffer) => heard.push(chunk)).on('error', () => {})
    socket.write('GET / HTTP/1.1\r\n\r\n')
    await once(socket, 'close')
    expect(Buffer.concat(heard).toString('latin1')).not.toMatch(/tidemark|HTTP/)
  })

  const gateway = (tls: NatsFiles) =>
    line(
      start(
        'gateway',
        temporaryDirectory('tls'),
        '--port',
        '1',
        '--cores',
        venue.addresses.join(','),
        ...tlsFlags(tls),
      ),
    )

  test('say in one line whom they do not take, or who does not take them', async () => {
    const directory = temporaryDirectory('certificates')
    // Each side by itself is in order, and of another authority.
    const made = makeCertificates({ directory: join(directory, 'other'), venue: 'other', hosts: [['127.0.0.1']] })
    const [other] = filesOf(made)
    expect(await gateway(other)).toMatch(
      /ended with 1: .*--cores: 127.0.0.1:\d+ has a certificate that is not of the --cluster-ca$/,
    )
    // It trusts the cores, and they do not trust it.
    const both = join(directory, 'both.pem')
    writeFileSync(both, readFileSync(other.ca, 'utf8') + readFileSync(files.ca, 'utf8'))
    expect(await gateway({ ...other, ca: both })).toMatch(
      /ended with 1: .*--cores: 127.0.0.1:\d+ does not take --cluster-cert: is not of the --cluster-ca$/,
    )
  })
})
