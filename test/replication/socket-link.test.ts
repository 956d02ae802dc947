/** A link over a real socket: whoever begins gets the whole state however large it is, and whoever falls behind is let go. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { SocketLink } from '../../src/replication/socket-link.ts'
import type { WireFrame } from '../../src/replication/wire.ts'

/** More than may wait of anything else. */
const largeBytes = 80 * 1024 * 1024
const state = { sequence: 7, lastAt: 0, chunks: [new Uint8Array(largeBytes).fill(1)] }
const welcome: WireFrame = { kind: 'welcome', epoch: 1, end: 7, state }

async function pair(): Promise<readonly [Socket, Socket]> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const here = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [there] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    for (const socket of [here, there]) socket.destroy()
    server.close()
  })
  return [here, there]
}

test('a state of 80 MiB arrives whole', async () => {
  const [here, there] = await pair()
  const link = new SocketLink(
    here,
    () => {},
    () => {},
  )
  const { promise, resolve, reject } = Promise.withResolvers<WireFrame>()
  new SocketLink(there, resolve, () => reject(new Error('the link ended')))
  link.send(welcome)
  const frame = await promise
  expect(frame.kind).toBe('welcome')
  const chunks = frame.kind === 'welcome' ? (frame.state?.chunks ?? []) : []
  expect(Buffer.concat(chunks).equals(state.chunks[0])).toBe(true)
})

test('who takes nothing is let go when 64 MiB wait beyond its state', async () => {
  const [here, there] = await pair()
  there.pause()
  const { promise: ended, resolve } = Promise.withResolvers<unknown>()
  const link = new SocketLink(here, () => {}, resolve)
  link.send(welcome)
  const told: WireFrame = { kind: 'told', what: 'anything', value: 'x'.repeat(1024 * 1024) }
  for (let sent = 0; sent < 80 && !here.destroyed; sent++) {
    link.send(told)
    await new Promise(setImmediate)
  }
  await ended
  expect(here.destroyed).toBe(true)
})
