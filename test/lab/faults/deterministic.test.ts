/**
 * With faults, too, the same calls give the same bytes and the same state; and an engine without its laboratory comes to that state.
 *
 * Source  lab.md §4.5, §5
 */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { Random } from '../../../src/simulator/random.ts'
import { openHere } from '../in-process.ts'
import { LabVenue } from '../laboratory.ts'

const callsMax = 150
const start = Date.UTC(2026, 0, 1)
const endpoint = 'orders'
const rules = [
  { fault: 'lost-request', on: { endpoint }, when: { chance: 0.05 } },
  { fault: 'lost-ack', on: { endpoint }, when: { chance: 0.05 }, with: { how: 'rst' } },
  { fault: 'unknown', on: { endpoint }, when: { chance: 0.1 }, with: { order: 'live' } },
  { fault: 'unknown', on: { endpoint: 'place' }, when: { chance: 0.1 }, with: { code: '40725', order: 'filled' } },
  { fault: 'late-request', on: { endpoint }, when: { chance: 0.1 }, with: { ms: '7s', answer: 40010 } },
  { fault: 'duplicate-request', on: { endpoint: 'place' }, when: { every: 9 }, with: { gapMs: 0 } },
  { fault: 'http', on: { endpoint: 'any' }, when: { chance: 0.05 }, with: { status: 502, point: 'after' } },
  { fault: 'garbled', on: { endpoint: 'any' }, when: { every: 11 } },
  { fault: 'rate-limit', on: { endpoint: 'any' }, when: { every: 31 }, with: { for: '2s' } },
  { fault: 'stale-reads', with: { ms: '2s' } },
  { fault: 'halt', with: { symbol: 'ETHUSDT', for: '30s' }, when: { between: [start + 20_000, start + 90_000] } },
]

async function play(seed: number) {
  const opened = await openHere({})
  const { venue } = opened
  try {
    const random = new Random(seed)
    const hash = createHash('sha256')
    let now = start
    await venue.post('/faults', { rules })
    for (let call = 0; call < callsMax; call++) {
      const drawn = random.share()
      const person = venue.person(random.happens(0.5) ? 'unified-main' : 'unified-peer', () => now)
      const symbol = random.happens(0.7) ? 'BTCUSDT' : 'ETHUSDT'
      const terms = { category: 'USDT-FUTURES', symbol, orderType: 'limit', timeInForce: 'gtc', qty: '0.01' }
      const side = random.happens(0.5) ? 'buy' : 'sell'
      const price = String((symbol === 'BTCUSDT' ? 60_000 : 3_000) + Math.floor(random.share() * 20) - 10)
      const asked =
        drawn < 0.6
          ? person.post('/api/v3/trade/place-order', { ...terms, side, price, clientOid: `c${call}` })
          : drawn < 0.7
            ? person.post('/api/v3/trade/cancel-order', { clientOid: `c${Math.floor(random.share() * call)}` })
            : drawn < 0.85
              ? person.get('/api/v3/trade/unfilled-orders')
              : venue.call('POST', '/clock', { step: Math.floor(random.share() * 5_000) })
      const answer = await asked.catch((error: unknown) => (error as NodeJS.ErrnoException).code)
      const told =
        typeof answer === 'object' ? `${answer.status} ${JSON.stringify(answer.headers)} ${answer.text}` : answer
      hash.update(`${told}\n`)
      if (drawn >= 0.85) now = (await venue.get<{ now: number }>('')).now
    }
    const firings = await venue.get<{ fault: string }[]>('/firings')
    const { stateHash, sequence } = await venue.post<{ stateHash: string; sequence: number }>('/snapshots')
    // By its records alone, from what it began with.
    const { url } = await venue.post<{ url: string }>('/fork', { at: { sequence } })
    const replayed = await (await LabVenue.at(url)).post<{ stateHash: string }>('/snapshots')
    expect(replayed.stateHash).toBe(stateHash)
    return { answers: hash.digest('hex'), firings, stateHash }
  } finally {
    await opened.close()
  }
}

test('two venues with the same rules and calls answer the same bytes, fire alike and end alike', async () => {
  const [one, other] = [await play(5), await play(5)]
  expect(other).toEqual(one)
  const fired = new Set(one.firings.map(({ fault }) => fault))
  expect([...fired].toSorted()).toEqual([...new Set(rules.map(({ fault }) => fault))].toSorted())
  expect((await play(6)).answers).not.toBe(one.answers)
})
