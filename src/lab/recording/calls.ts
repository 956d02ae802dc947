/**
 * The calls of recordings: one that is started and stopped, and the ring.
 *
 * File      is written where the venue runs; whoever is elsewhere downloads it
 * Source    lab.md §4.2, §4.8
 */
import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { StaticDecode } from 'typebox'
import { body, field, optional, writeWholeFile } from '../../operator/operator.ts'
import { fieldWrong, LabRefusal } from '../refusals.ts'
import { bool, yes } from '../values.ts'
import type { LabVenue } from '../venue.ts'
import type { LabShelves } from '../venues.ts'
import { type Packed, packRecording } from './tide-file.ts'

const path = field('the path of a file', (value) =>
  typeof value === 'string' && value !== '' && value.length <= 4_096 && !value.includes('\0')
    ? resolve(value)
    : undefined,
)

export const recordBody = body({
  start: optional(yes),
  stop: optional(yes),
  file: optional(path),
  fullBodies: optional(bool),
})

/** Exactly one of start, stop and file alone, which writes what was recorded up to now. In turn. Throws LabRefusal. */
export async function record(
  { start, stop, file, fullBodies }: StaticDecode<typeof recordBody>,
  { lab, venue }: LabShelves,
) {
  const { recorder } = venue
  if (recorder === undefined)
    throw new LabRefusal(409, 'recording-off', 'a recording is played here: nothing is recorded')
  if (start !== undefined && stop !== undefined) throw fieldWrong('stop', 'goes without start')
  if (stop !== undefined && file !== undefined) throw fieldWrong('file', 'is told with start')
  if (fullBodies !== undefined && start === undefined) throw fieldWrong('fullBodies', 'goes with start')
  if (start === undefined && stop === undefined && file === undefined) {
    throw fieldWrong('start', 'one of start, stop and file is wanted')
  }
  if (file !== undefined) checkPlace(file)
  const { version } = lab.options
  if (start !== undefined) {
    await recorder.start(file, fullBodies === true)
    const { sequence } = venue.parts.runtime
    return { recording: true, sequence, now: venue.parts.runtime.now(), ...(file !== undefined && { file }) }
  }
  if (stop === undefined) return written(await packed(venue, version), file)
  return recorder.stopStarted(async (to) => written(await packed(venue, version), to))
}

/** What was recorded, as a file: since somebody started it, or the ring. In turn. Throws LabRefusal. */
export async function packed(venue: LabVenue, version: string): Promise<Packed> {
  const pieces = venue.recorder?.pieces()
  if (pieces === undefined) {
    throw new LabRefusal(409, 'recording-off', 'nothing is recorded: start a recording, or run dev with --recording on')
  }
  return packRecording(venue, pieces, version)
}

function written({ file: content, head }: Packed, file: string | undefined) {
  if (file !== undefined) writeWholeFile(file, content)
  const { requests, sequence, lastSequence, from, to, stateHash } = head
  return {
    file: file ?? null,
    bytes: content.length,
    requests,
    commands: lastSequence - sequence,
    from,
    to,
    stateHash,
  }
}

function checkPlace(file: string): void {
  if (!existsSync(dirname(file))) throw fieldWrong('file', `there is no directory ${dirname(file)}`)
  if (existsSync(file) && statSync(file).isDirectory()) throw fieldWrong('file', `${file} is a directory`)
}
