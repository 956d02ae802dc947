/**
 * Whether the time of checking a signature tells how much of it was right (reliability.md B5): signatures that are wrong in
 * the first character, in the last one, or right.
 *
 * Compared   a million each of the comparison alone; a hundred thousand each of the whole check, HMAC and all; and, to show
 *            that the method sees a difference, a comparison that stops at the first one
 * Means      of short rounds, the kinds in turns, in an order drawn anew each time; of the faster half of each kind, because
 *            in the other half somebody else had the processor
 * Holds      the means differ by less than 1 %; else it exits with 1. Of the whole check those of wrong signatures: a right one
 *            goes on to the passphrase
 */
import { createHmac } from 'node:crypto'
import { Authentication, sameText, type SignedRequest } from '../src/api/keys/authentication.ts'
import { ApiError } from '../src/api/errors/errors.ts'
import type { ApiKey, KeyStore } from '../src/api/keys/keys.ts'
import { random, report, rounded } from './measure.ts'

const kinds = ['first', 'last', 'right'] as const
type Kind = (typeof kinds)[number]

const secret = 'secret of the bench'
const signature = createHmac('sha256', secret).update('a message').digest('base64')
const given: Record<Kind, string> = {
  first: spoilt(signature, 0),
  // Before the padding.
  last: spoilt(signature, signature.length - 2),
  right: signature,
}

const draw = random(1)
let matched = 0

/** Means in nanoseconds. */
function means(rounds: number, perRound: number, step: (kind: Kind) => void): Record<Kind, number> {
  const taken: Record<Kind, number[]> = { first: [], last: [], right: [] }
  for (let round = -Math.ceil(rounds / 10); round < rounds; round++) {
    for (const kind of shuffled()) {
      const startNs = process.hrtime.bigint()
      for (let count = 0; count < perRound; count++) step(kind)
      const ns = Number(process.hrtime.bigint() - startNs) / perRound
      if (round >= 0) taken[kind].push(ns)
    }
  }
  const trimmed = (values: number[]) => {
    const kept = Float64Array.from(values)
      .sort()
      .subarray(0, Math.ceil(values.length / 2))
    return kept.reduce((sum, value) => sum + value, 0) / kept.length
  }
  return { first: trimmed(taken.first), last: trimmed(taken.last), right: trimmed(taken.right) }
}

function shuffled(): readonly Kind[] {
  const from = Math.floor(draw() * 3)
  const turned = kinds.map((_kind, index) => kinds[(from + index) % 3])
  return draw() < 0.5 ? turned : turned.reverse()
}

const comparison = measure(
  'the comparison',
  10_000,
  100,
  (kind) => (matched += Number(sameText(signature, given[kind]))),
)
const check = measure('the whole check', 20_000, 5, checker())
measure('one that stops at the first difference', 10_000, 100, (kind) => {
  matched += Number(stopsEarly(signature, given[kind]))
})
if (matched === 0) throw new Error('nothing was compared')
const holds = comparison.amongAllPercent < 1 && check.amongWrongPercent < 1
process.exitCode = holds ? 0 : 1

function measure(what: string, rounds: number, perRound: number, step: (kind: Kind) => void) {
  const { first, last, right } = means(rounds, perRound, step)
  const differences = {
    amongWrongPercent: rounded(spread(first, last)),
    amongAllPercent: rounded(spread(first, last, right)),
  }
  const times = { wrongFirstNs: rounded(first), wrongLastNs: rounded(last), rightNs: rounded(right) }
  report({ bench: 'signature', case: what, count: rounds * perRound, figures: { ...times, ...differences } })
  return differences
}

/** The largest above the smallest, in percent of it. */
function spread(...values: readonly number[]): number {
  return 100 * (Math.max(...values) / Math.min(...values) - 1)
}

/** Requests as they come, through the checks that the edge makes; those of a kind differ in their signature alone. */
function checker(): (kind: Kind) => void {
  const now = 1_800_000_000_000
  const key: ApiKey = {
    apiKey: 'bench',
    uid: 1,
    kind: 'hmac',
    secret,
    passphrase: 'passphrase',
    permissions: [],
    readOnly: false,
    ipList: [],
    label: '',
    createdAt: 0,
    revokedAt: undefined,
  }
  const keys = { find: () => key } as unknown as KeyStore
  const authentication = new Authentication({ keys, venueClock: () => now, systemClock: () => now })
  const body = Buffer.from('{"symbol":"BTCUSDT"}')
  const target = '/api/v2/mix/order/place-order'
  const right = createHmac('sha256', secret).update(`${now}POST${target}`).update(body).digest('base64')
  const request = (sign: string): SignedRequest => ({
    method: 'POST',
    target,
    body,
    headers: {
      'access-key': key.apiKey,
      'access-sign': sign,
      'access-timestamp': String(now),
      // Wrong: so that all three end in a refusal.
      'access-passphrase': 'passphrasf',
      'content-type': 'application/json',
    },
  })
  const requests: Record<Kind, SignedRequest> = {
    first: request(spoilt(right, 0)),
    last: request(spoilt(right, right.length - 2)),
    right: request(right),
  }
  return (kind) => {
    try {
      authentication.authenticate(requests[kind])
    } catch (error) {
      matched += error instanceof ApiError ? 1 : 0
    }
  }
}

function stopsEarly(expected: string, text: string): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (expected.charCodeAt(index) !== text.charCodeAt(index)) return false
  }
  return true
}

/** Another letter in one place. */
function spoilt(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
}
