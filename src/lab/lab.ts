/**
 * The laboratory: venues in memory that go back, fork, and have their time in somebody's hands. The door of the room.
 *
 *   venues.ts     the venues of a process
 *   venue.ts      one venue: saved, restored, its clock
 *   shelf.ts      its snapshots
 *   calls.ts      the calls under /_lab; serve.ts puts them on the clients' own port
 *   way/          what stands around its calls, layer by layer, and what is to be done at a time of the venue
 *   recording/    what came in and went out, kept lately and played again
 *   cheats/       what no venue lets anybody do, by ordinary commands (rehearsal.ts)
 *   market-faults/  what a market does to those who trade in it, for a while
 *   market/       whole books, and places in their queues   script/   makers and steps of a file
 *   conditions.ts what a clock runs up to and what is waited for
 *   elsewhere.ts  a venue somewhere else, to begin another one with: saved.ts says what with
 *   snapshot-file.ts   a snapshot as one file
 *   branches.ts   a venue on disk: each going back begins a branch
 *   one-port.ts   all venues behind one port
 *   attached.ts   who uses it, so that it can end with them
 *   settings.ts   what `tidemark dev` takes
 *
 * Absent     without it no path begins with /_lab, and nothing is in the way of an order
 * Source     lab.md
 */
export { Branches } from './branches.ts'
export { beginElsewhere, type Here } from './elsewhere.ts'
export { shown } from './info.ts'
export { openOnePort } from './one-port.ts'
export { LabRefusal } from './refusals.ts'
export { serveLab } from './serve.ts'
export type { LabJournal } from './journal-ring.ts'
export type { LabSettings } from './settings.ts'
export { packed } from './recording/calls.ts'
export { packSnapshot } from './snapshot-file.ts'
export type { Beginning } from './saved.ts'
export type { Way } from './way/way.ts'
export type { VenueParts } from './venue.ts'
export { Lab, type LabShelves, type VenueAsk } from './venues.ts'
