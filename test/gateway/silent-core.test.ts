/** When a gateway leaves a core: one that says nothing, and not one that it did not hear because it was busy itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CoreConnection } from '../../src/gateway/gateway.ts'
import type { Handshake } from '../../src/replication/replication.ts'
import { encodeFrame } from '../../src/replication/wire.ts'
import { remoteCore } from '../replication/remote.ts'

const state = { sequence: 5, lastAt: 1, chunks: [] }
const welcome = encodeFrame({ kind: 'welcome', epoch: 1, end: 5, state }).toString('hex')
const alive = encodeFrame({ kind: 'told', what: 'alive', value: {} }).toString('hex')
const program = `
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => {})
    socket.write(Buffer.from('${welcome}', 'hex'))
    setInterval(() => socket.write(Buffer.from('${alive}', 'hex')), 150)
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
  process.stdin.on('end', () => process.exit()).resume()`

/** A core in a process of its own that says that it is alive, and a gateway with a state, or one that got its own, connected to it. */
async function connected({ hasState }: { hasState: boolean }) {
  const core = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void core.kill('SIGKILL'))
  const [port] = (await once(core.stdout, 'data')) as [Buffer]
  let dialled = 0
  const handshake: Handshake = {
    dial: async (door) => {
      dialled += 1
      const socket = connect(door)
      await once(socket, 'connect')
      return socket
    },
    accept: () => Promise.reject(new Error('nobody is accepted')),
  }
  const door = { host: '127.0.0.1', port: Number(port), handshake }
  let sequence = hasState ? 1 : undefined
  const { remote } = remoteCore(1, {
    replica: {
      get sequence() {
        return sequence
      },
      prefetch: () => 0,
      apply: () => ({ kind: 'done' }) as never,
      skip: () => {},
      begin: (begun) => void (sequence = begun.sequence),
      applied: () => {},
    },
  })
  const connection = new CoreConnection(
    [door, door],
    remote,
    () => {},
    () => {},
  )
  onTestFinished(() => connection.close())
  connection.open()
  await vi.waitUntil(() => connection.core !== undefined && sequence === 5)
  return { core, connection, dialled: () => dialled }
}

test('one whose words wait to be read is not left', async () => {
  const { connection, dialled } = await connected({ hasState: true })
  await sleep(300)
  // Behind what was read in this turn of the event loop, so that timers come before what is read in the next.
  await new Promise((resolve) => setImmediate(resolve))
  // Longer than a core may be silent; what it says meanwhile waits in the socket.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_600)
  await sleep(500)
  expect(connection.core).toBeDefined()
  expect(dialled()).toBe(1)
})

// Ten seconds are for a core that copies its state, and not for one that has given it.
test.each([true, false])('one that says nothing is left for the next; with a state before: %s', async (hasState) => {
  const { core, dialled } = await connected({ hasState })
  core.kill('SIGSTOP')
  const before = dialled()
  await vi.waitUntil(() => dialled() > before, { timeout: 9_000 })
})
