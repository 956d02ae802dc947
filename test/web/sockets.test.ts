/** A socket of the venue that goes silent without being closed. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type SocketState, VenueSocket } from '../../web/venue/sockets.ts'

class SilentSocket {
  static readonly OPEN = 1
  static readonly made: SilentSocket[] = []
  readonly readyState = 1
  readonly sent: string[] = []
  onopen?: () => void
  onmessage?: (event: { data: string }) => void
  onclose: (() => void) | null = null
  closed = false

  constructor() {
    SilentSocket.made.push(this)
  }

  send(text: string): void {
    this.sent.push(text)
  }

  close(): void {
    this.closed = true
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', SilentSocket)
  SilentSocket.made.length = 0
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('two pings without an answer: it is given up, though its closing is answered by nobody; a new one takes over', () => {
  const states: SocketState[] = []
  const socket = new VenueSocket({ path: '/v3/ws/public', onState: (state) => states.push(state) })
  const [first] = SilentSocket.made
  first?.onopen?.()
  vi.advanceTimersByTime(5_000)
  first?.onmessage?.({ data: 'pong' })
  vi.advanceTimersByTime(10_000)
  expect([first?.sent.length, first?.closed]).toEqual([3, false])
  vi.advanceTimersByTime(5_000)
  expect([first?.closed, states.at(-1)]).toEqual([true, 'connecting'])
  vi.advanceTimersByTime(500)
  SilentSocket.made[1]?.onopen?.()
  expect(states.at(-1)).toBe('open')
  socket.close()
})
