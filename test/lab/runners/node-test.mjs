/**
 * Tests as somebody writes them with `tidemark/node-test`; run by test/lab/clients.test.ts.
 */
import assert from 'node:assert/strict'
import { venueTest } from '../../../clients/typescript/node-test.ts'

const test = venueTest({ deterministic: true, rateLimits: false })
const seen = new Set()

void test('one moves its clock', async ({ venue, venueSession }) => {
  seen.add(venue.id).add(venueSession.id)
  await venue.clock.step('1h')
  assert.equal(await venue.clock.now(), Date.UTC(2026, 0, 1, 1))
})

void test('another begins where the first began', { timeout: 60_000 }, async ({ venue, venueSession, context }) => {
  seen.add(venue.id).add(venueSession.id)
  assert.equal(await venue.clock.now(), Date.UTC(2026, 0, 1))
  assert.equal(context.name, 'another begins where the first began')
})

void test('each was a fork of the same session', () => assert.equal(seen.size, 3))
