/**
 * Loaded into a venue before it starts (`node --import`): a system clock that is ahead by the milliseconds that the file of
 * TEST_CLOCK_AHEAD holds, so that a test sets it while the venue runs.
 */
import { readFileSync } from 'node:fs'

const file = process.env['TEST_CLOCK_AHEAD']
const systemNow = Date.now
const lookEveryMs = 5
let lookedAtMs = Number.NEGATIVE_INFINITY
let ahead = 0

Date.now = () => {
  const nowMs = performance.now()
  if (file !== undefined && nowMs - lookedAtMs >= lookEveryMs) {
    lookedAtMs = nowMs
    ahead = Number(readFileSync(file, 'utf8'))
  }
  return systemNow() + ahead
}
