/** How long a socket may last, and what is left of it for a slow reader. */
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { Connection } from '../../src/stream/connection.ts'
import { StreamCounts } from '../../src/stream/counts.ts'

const minuteMs = 60_000

class FakeSocket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  bufferedAmount = 0
  readonly sent: Buffer[] = []
  send(message: Buffer): void {
    this.sent.push(message)
  }
  readonly ponged: Buffer[] = []
  pong(data: Buffer): void {
    this.ponged.push(data)
  }
  terminate(): void {
    this.readyState = 3
  }
}

function opened(limited = true) {
  const socket = new FakeSocket()
  const counts = new StreamCounts()
  const bounds = { bytesBufferedMax: 1000, subscriptionsMax: 1, limited }
  const clock = { now: 1_000_000 }
  const from = { id: 1, version: 'v2', ip: '::1' } as const
  const connection = new Connection(socket as unknown as WebSocket, from, bounds, counts, () => clock.now)
  connection.listen(
    () => {},
    () => {},
  )
  return { socket, counts, connection, clock }
}

test('it ends two minutes after the last message or ping, and after a day in any case', () => {
  const { socket, connection, clock } = opened()
  const { now } = clock
  expect(connection.isOver(now + 1.9 * minuteMs)).toBe(false)
  expect(connection.isOver(now + 2.1 * minuteMs)).toBe(true)
  socket.emit('ping', Buffer.from('p'))
  expect(socket.ponged).toEqual([Buffer.from('p')])
  expect(connection.isOver(now + 1.9 * minuteMs)).toBe(false)
  expect(connection.isOver(now + 24.1 * 60 * minuteMs)).toBe(true)
})

test('a push that finds as much waiting as may wait is sent; the next one finds more, and ends it', () => {
  const { socket, counts, connection } = opened()
  const push = Buffer.alloc(5000)
  connection.send(push)
  socket.bufferedAmount = 1000
  connection.send(push)
  expect([socket.sent.length, counts.slowReaders, connection.isOpen]).toEqual([2, 0, true])
  socket.bufferedAmount = 1001
  connection.send(push)
  connection.send(push)
  expect([socket.sent.length, counts.slowReaders, counts.messagesSent, connection.isOpen]).toEqual([2, 1, 2, false])
})

test.each([
  [true, 10, 240],
  [false, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])('limits on: %s', (limited, messages, subscriptions) => {
  const { connection } = opened(limited)
  const allowed = (ask: () => boolean) => Array.from({ length: 300 }, ask).filter(Boolean).length
  expect(allowed(() => connection.mayAsk())).toBe(Math.min(messages, 300))
  expect(allowed(() => connection.maySubscribe())).toBe(Math.min(subscriptions, 300))
})

test('limits are counted by the clock that is handed in, and anew when it goes back', () => {
  const { connection, clock } = opened()
  const allowed = () => Array.from({ length: 12 }, () => connection.mayAsk()).filter(Boolean).length
  expect([allowed(), allowed()]).toEqual([10, 0])
  clock.now += 999
  expect(allowed()).toBe(0)
  clock.now += 1
  expect(allowed()).toBe(10)
  clock.now -= 500_000
  expect(allowed()).toBe(10)
})
