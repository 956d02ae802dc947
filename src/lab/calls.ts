/**
 * The calls of the laboratory, as data: what each takes, and what it does with the venue that it came to.
 *
 * Fields    are checked whole, and every wrong one is named
 * In turn   what changes a venue waits for what was asked before
 * Source    lab.md §4.2 to §4.4
 */
import Type from 'typebox'
import { dialects } from '../api/api.ts'
import { body, field, optional, wholeNumber, word } from '../operator/operator.ts'
import { call, type LabCall, LabFile } from './call.ts'
import { cheat, cheatsBody } from './cheats/cheats.ts'
import { clockBody, moveClock } from './clock.ts'
import { conditionField } from './conditions.ts'
import { presetNamed, presetNames, shownEndpoints, shownKinds } from './faults/faults.ts'
import { beginElsewhere, isElsewhere } from './elsewhere.ts'
import { shown } from './info.ts'
import { moment, pastOf } from './past.ts'
import { marketFaultsOf } from './market-faults/market-faults.ts'
import { queuePlaceOf } from './market/queue.ts'
import { bookBody, setBook } from './market/set-book.ts'
import { beginScript, scriptBody } from './script/asked.ts'
import { scriptsOf } from './script/script.ts'
import type { LabShelves } from './venues.ts'
import { journalLines, journalMax } from './journal.ts'
import { holdCalls } from './hold/calls.ts'
import { latencyCalls } from './latency/calls.ts'
import { lockstepCalls } from './lockstep/calls.ts'
import { fieldWrong, LabRefusal } from './refusals.ts'
import { packed, record, recordBody } from './recording/calls.ts'
import { packSnapshot } from './snapshot-file.ts'
import { who } from './things.ts'
import { impactOf } from './tape/impact.ts'
import { readDuration } from './times.ts'
import { bool, name, time } from './values.ts'
import type { LabVenue } from './venue.ts'
import { waitFor } from './waiting.ts'

const waitingMsMax = 600_000
const waitingTime = field(`a duration up to ${waitingMsMax} ms`, (value) => {
  const ms = readDuration(value)
  return ms !== undefined && ms <= waitingMsMax ? ms : undefined
})
const somewhere = 'the path of a file or directory (with a slash in it), or an address'
const elsewhere = field(somewhere, (value) => (isText(value) && isElsewhere(value) ? value : undefined))
const origin = field(`"demo", a snapshot, ${somewhere}`, (value) => {
  return isText(value) && (isElsewhere(value) || /^[A-Za-z0-9._ -]{1,64}$/.test(value)) ? value : undefined
})
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 4_096 && !value.includes('\0')
const orderNumber = wholeNumber(1, Number.MAX_SAFE_INTEGER)
const nothing = body({})
/** Whoever it is for checks it. */
const anything = Type.Object({}, { description: 'a JSON object' })
const forkBody = body({
  snapshot: optional(name),
  from: optional(elsewhere),
  at: optional(moment),
  withKeys: optional(bool),
})
const sockets = word(['close', 'keep'])

export const labCalls: readonly LabCall[] = [
  call('GET /_lab', nothing, (_sent, asked) => shown(asked, asked)),

  call('GET /_lab/venues', nothing, (_sent, asked) => asked.lab.list().map((one) => shown(one, asked))),
  call(
    'POST /_lab/venues',
    body({
      from: optional(origin),
      startAt: optional(time),
      seed: optional(wholeNumber(0, 2 ** 32 - 1)),
      simulator: optional(bool),
      v3Dialect: optional(word(dialects)),
    }),
    async ({ from = 'demo', startAt, seed, simulator, v3Dialect }, asked) => {
      const { lab, venue, shelf } = asked
      // Who says when it begins says that time stands still there.
      const frozen = startAt !== undefined || venue.clock.mode === 'manual'
      if (from !== 'demo' && [startAt, seed, simulator].some((given) => given !== undefined)) {
        const message = 'startAt, seed and simulator are those of the snapshot; leave them away, or begin from "demo"'
        throw new LabRefusal(400, 'body-wrong', message, { field: 'from' })
      }
      if (from === 'demo') return shown(await lab.open({ startAt, seed, simulator, frozen, v3Dialect }), asked)
      const { here } = lab.options
      const beginning = isElsewhere(from) ? await beginElsewhere({ from }, here) : { from: shelf.find(from).saved }
      return shown(await lab.open({ ...beginning, frozen, v3Dialect }), asked)
    },
  ),
  call('DELETE /_lab/venues/:id', nothing, async (_sent, { lab }, id) => {
    await lab.remove(id)
    return { venue: id }
  }),

  call('GET /_lab/snapshots', nothing, (_sent, { shelf }) => shelf.list().map(shownSnapshot)),
  call('POST /_lab/snapshots', body({ name: optional(name) }), ({ name: called }, { venue, shelf }) =>
    venue.inTurn(async () => shownSnapshot(shelf.keep(await venue.save(), called))),
  ),
  call('GET /_lab/snapshots/:id/file', nothing, async (_sent, { lab, shelf }, id) => {
    const file = await packSnapshot(shelf.find(id).saved, lab.options.version)
    return new LabFile('application/octet-stream', file)
  }),
  call('DELETE /_lab/snapshots/:id', nothing, (_sent, { shelf }, id) => {
    shelf.remove(id)
    return { snapshot: id }
  }),
  call(
    'POST /_lab/revert',
    body({ snapshot: name, streams: optional(sockets), keepRules: optional(bool) }),
    ({ snapshot, streams = 'close', keepRules = false }, { venue, shelf }) => {
      const { saved } = shelf.find(snapshot)
      return venue.inTurn(() => goBack(venue, saved, streams, keepRules))
    },
  ),
  call(
    'POST /_lab/reset',
    body({ streams: optional(sockets), keepRules: optional(bool) }),
    ({ streams = 'close', keepRules = false }, { venue, begun }) =>
      venue.inTurn(() => goBack(venue, begun, streams, keepRules)),
  ),
  call('GET /_lab/file', nothing, (_sent, { lab, venue }) =>
    venue.inTurn(async () => {
      const file = await packSnapshot(await venue.save(), lab.options.version)
      return new LabFile('application/octet-stream', file)
    }),
  ),
  call('POST /_lab/fork', forkBody, async ({ snapshot, from, at, withKeys }, asked) => {
    const { lab, venue, shelf, begun } = asked
    const same = { frozen: venue.clock.mode === 'manual', v3Dialect: venue.parts.v3Dialect }
    if (from !== undefined) {
      if (snapshot !== undefined) throw fieldWrong('from', 'goes without a snapshot: each says where the fork begins')
      return shown(
        await lab.open({ ...(await beginElsewhere({ from, at, withKeys }, lab.options.here)), ...same }),
        asked,
      )
    }
    if (withKeys !== undefined) throw fieldWrong('withKeys', 'goes with from: a fork of this venue has its keys')
    if (snapshot !== undefined) {
      if (at !== undefined) throw fieldWrong('at', 'goes without a snapshot: each says where the fork begins')
      return shown(await lab.open({ from: shelf.find(snapshot).saved, ...same }), asked)
    }
    const present = await venue.inTurn(() => venue.save())
    if (at === undefined) return shown(await lab.open({ from: present, ...same }), asked)
    const known = [begun, ...shelf.list().map(({ saved }) => saved)]
    return shown(await lab.open({ ...pastOf(present, known, at), ...same }), asked)
  }),

  call('GET /_lab/faults', nothing, (_sent, { faults }) => faults.rules.shown),
  call('GET /_lab/faults/endpoints', nothing, () => shownEndpoints()),
  call('GET /_lab/faults/kinds', nothing, () => shownKinds()),
  call('GET /_lab/faults/presets', nothing, () => presetNames),
  call('GET /_lab/faults/presets/:id', nothing, (_sent, _asked, id) => presetNamed(id)),
  call('POST /_lab/faults', anything, (sent, { venue, faults }) =>
    venue.inTurn(() => faults.add(sent as Readonly<Record<string, unknown>>)),
  ),
  call('DELETE /_lab/faults', nothing, (_sent, { venue, faults }) =>
    venue.inTurn(async () => ({ removed: await faults.rules.clear() })),
  ),
  call('DELETE /_lab/faults/:id', nothing, (_sent, { venue, faults }, id) =>
    venue.inTurn(async () => {
      await faults.rules.remove(id)
      return { rule: id }
    }),
  ),
  call(
    'GET /_lab/firings',
    body({ after: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)), limit: optional(wholeNumber(1, 10_000)) }),
    ({ after = 0, limit = 1_000 }, { faults }) => faults.rules.firings.after(after, limit),
  ),

  call('POST /_lab/book', bookBody, (sent, { venue }) => venue.inTurn(() => setBook(sent, venue))),

  call('GET /_lab/script', nothing, (_sent, { venue }) => scriptsOf(venue).list()),
  call('POST /_lab/script', scriptBody, (sent, { venue }) => venue.inTurn(() => beginScript(sent, venue))),
  call('DELETE /_lab/script', nothing, (_sent, { venue }) => venue.inTurn(() => scriptsOf(venue).end())),
  call('DELETE /_lab/script/:id', nothing, (_sent, { venue }, id) => venue.inTurn(() => scriptsOf(venue).end(id))),

  call('GET /_lab/queue', body({ orderId: orderNumber }), ({ orderId }, { venue }) => queuePlaceOf(venue, orderId)),

  call('GET /_lab/market/impact', nothing, (_sent, { venue }) => impactOf(venue)),

  call('GET /_lab/cheats', nothing, (_sent, { venue }) => ({ market: marketFaultsOf(venue).list() })),
  ...holdCalls,
  ...latencyCalls,
  ...lockstepCalls,

  call('POST /_lab/cheats', cheatsBody, (sent, { venue }) => venue.inTurn(() => cheat(sent, venue))),

  call(
    'GET /_lab/wait',
    body({ for: conditionField, timeout: optional(waitingTime) }),
    ({ for: condition, timeout = 30_000 }, { venue }, _id, gone) => waitFor(venue, condition, timeout, gone),
  ),
  call(
    'GET /_lab/journal',
    body({
      uid: optional(who),
      after: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
      limit: optional(wholeNumber(1, journalMax)),
    }),
    (sent, { venue }) => new LabFile('application/x-ndjson', journalLines(venue, sent)),
  ),

  call('POST /_lab/traffic', body({ watch: bool }), ({ watch }, { venue }) => {
    venue.traffic.watch(watch)
    return { watch }
  }),
  call(
    'GET /_lab/traffic',
    body({
      after: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
      limit: optional(wholeNumber(1, journalMax)),
    }),
    ({ after = 0, limit = journalMax }, { venue }) => {
      const lines = venue.traffic.after(after, limit).map((line) => `${JSON.stringify(line)}\n`)
      return new LabFile('application/x-ndjson', lines.join(''))
    },
  ),

  call('POST /_lab/record', recordBody, (sent, asked) => asked.venue.inTurn(() => record(sent, asked))),
  call('GET /_lab/recording', nothing, (_sent, { lab, venue }) =>
    venue.inTurn(async () => {
      const { file } = await packed(venue, lab.options.version)
      return new LabFile('application/octet-stream', file)
    }),
  ),

  call('POST /_lab/clock', clockBody, (sent, { venue }) => venue.inTurn(() => moveClock(sent, venue))),
]

async function goBack(
  venue: LabVenue,
  saved: Parameters<LabVenue['goBack']>[0],
  streams: 'close' | 'keep',
  keepRules: boolean,
) {
  const startedMs = performance.now()
  const unknown = await venue.goBack(saved, streams, keepRules)
  const tookMs = Math.round((performance.now() - startedMs) * 100) / 100
  const { sequence, now } = saved.runtime
  return { sequence, now, stateHash: saved.stateHash, unknown, tookMs }
}

function shownSnapshot({ snapshot, name: called, saved }: ReturnType<LabShelves['shelf']['find']>) {
  const { sequence, now } = saved.runtime
  return { snapshot, name: called ?? null, sequence, now, stateHash: saved.stateHash, bytes: saved.bytes }
}
