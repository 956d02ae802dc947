/** Prints the hash of what a simulated market did: for the test that two processes do the same. */
import { createHash } from 'node:crypto'
import { wholeVenue } from './whole-venue.ts'

const { venue, simulator } = await wholeVenue({ seed: 42, coins: ['BTC', 'ETH'] })
const advance = (ms: number) => simulator.advance(ms, async (length) => venue.advance(length))
await advance(3_000)
simulator.begin('crash')
await advance(10_000)
const text = JSON.stringify(venue.commands, (_name, value: unknown) =>
  typeof value === 'bigint' ? `${value}n` : value,
)
console.log(`${venue.commands.length} commands ${createHash('sha256').update(text).digest('hex')}`)
