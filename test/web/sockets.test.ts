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

test('a channel that several want is asked for once, begins anew for who joins, and ends with the last', () => {
  const socket = new VenueSocket({ path: '/v3/ws/public' })
  const [line] = SilentSocket.made
  const [ticker, kline] = [{ topic: 'ticker' }, { topic: 'kline' }]
  const heard: string[] = []
  const first = socket.subscribe(ticker, () => heard.push('first'))
  const second = socket.subscribe(ticker, () => heard.push('second'))
  line?.onopen?.()
  expect(openOn(line)).toEqual({ ticker: 1 })
  const third = socket.subscribe(kline, () => {})
  const fourth = socket.subscribe(kline, () => {})
  vi.advanceTimersByTime(1_000)
  expect(line?.sent).toHaveLength(2) // two that join in one turn are one who asks
  const fifth = socket.subscribe(ticker, () => heard.push('fifth'))
  vi.advanceTimersByTime(1_000)
  expect(line?.sent.slice(2).map((text) => (JSON.parse(text) as Asked).op)).toEqual(['unsubscribe', 'subscribe'])
  line?.onmessage?.({ data: JSON.stringify({ action: 'snapshot', arg: ticker, data: [] }) })
  expect(heard).toEqual(['first', 'second', 'fifth'])
  for (const end of [first, first, third, fifth]) end()
  vi.advanceTimersByTime(1_000)
  expect(openOn(line)).toEqual({ ticker: 1, kline: 1 })
  for (const end of [second, fourth]) end()
  vi.advanceTimersByTime(1_000)
  expect(openOn(line)).toEqual({ ticker: 0, kline: 0 })
  socket.close()
})

interface Asked {
  readonly op: 'subscribe' | 'unsubscribe'
  readonly args: readonly { readonly topic: string }[]
}

/** How often each channel is asked for and not left. */
function openOn(socket: SilentSocket | undefined): Record<string, number> {
  const open: Record<string, number> = {}
  for (const text of socket?.sent ?? []) {
    if (text === 'ping') continue
    const { op, args } = JSON.parse(text) as Asked
    for (const { topic } of args) open[topic] = (open[topic] ?? 0) + (op === 'subscribe' ? 1 : -1)
  }
  return open
}
