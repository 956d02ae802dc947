/**
 * One order sent many times at once with the same client order id, while the venue is killed and after it has come back:
 * there is exactly one.
 *
 * Kill     SIGKILL while the first wave is under way; what was answered with a number has to be there afterwards
 * Source   design §4.6, §1 "Journal first, then apply"; reliability.md F2
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVenue, type Venue } from '../support/venue.ts'
import { hireSenders } from './support/senders.ts'

let venue: Venue
let hired: Awaited<ReturnType<typeof hireSenders>>

beforeAll(async () => {
  venue = await startVenue({ durability: 'sync' })
  hired = await hireSenders(venue)
})

afterAll(async () => {
  await venue?.remove()
})

const waves = [1, 2, 10, 100] as const

test.each(waves)('%i at once are one order', async (times) => {
  for (const sender of await hired.connect()) {
    const id = `calm-${times}`
    const answers = await Promise.all(Array.from({ length: times }, () => sender.send(id, 'live')))
    expect(answers.sort(), sender.name).toEqual(['00000', ...Array<string>(times - 1).fill('40786')])
    expect(await sender.count(id), sender.name).toBe(1)
  }
})

test.each(waves)('%i at once, a crash, and as many again are one order', async (times) => {
  const senders = await hired.connect()
  const id = `crash-${times}`
  const wave = (sender: (typeof senders)[number]) => Array.from({ length: times }, () => sender.send(id, 'live'))
  const underWay = senders.map((sender) => wave(sender))
  await Promise.race(underWay.flat())
  await venue.kill()
  const before = await Promise.all(underWay.map((answers) => Promise.all(answers)))
  await venue.start()

  for (const [index, sender] of (await hired.connect()).entries()) {
    const placed = (before[index] ?? []).filter((answer) => answer === '00000').length
    expect(placed, sender.name).toBeLessThanOrEqual(1)
    const found = await sender.find(id)
    if (placed === 1) expect(found, sender.name).toBe('live')
    const again = await Promise.all(wave(sender))
    const taken = again.filter((answer) => answer === '00000').length
    expect(taken, sender.name).toBe(found === 'absent' ? 1 : 0)
    expect(again.filter((answer) => answer === '40786')).toHaveLength(times - taken)
    expect(await sender.count(id), sender.name).toBe(1)
  }
})
