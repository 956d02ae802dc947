/**
 * Recordings: what came in and went out, kept lately, saved as one file and played again. The door of the room.
 *
 *   recorder.ts   the layer that keeps it (entries.ts), in pieces that begin with the whole venue
 *   tide-file.ts  one file of it: rows-of.ts makes rows of entries without secrets, rows.ts lines of rows
 *   player.ts     plays it: gate.ts holds commands back until it is their turn, played-commands.ts carries them out in that order at
 *                 played-time.ts, played-socket.ts stands for a client's socket
 *   rerun.ts      a program runs again, and its requests are compared
 *   to-test.ts    a test of it
 *   calls.ts      start, stop and the ring, below /_lab
 *
 * Source  lab.md §4.8; decisions/0038
 */
export { releaseName } from '../../api/api.ts'
export { LabRefusal } from '../refusals.ts'
export type { Lab } from '../venues.ts'
export type { Difference } from './differences.ts'
export { openRecorded, replay } from './replay.ts'
export { Comparer } from './rerun.ts'
export { readRecording, type Tide } from './tide-file.ts'
export { testOf } from './to-test.ts'
