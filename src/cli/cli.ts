/**
 * The `tidemark` command, and the door of its room: starts a venue, makes an empty one, asks and changes a running one,
 * trades on it, and what else belongs to running one.
 *
 * Families  settings.ts (start, init, config) · accounts.ts · rules.ts · instruments.ts · upkeep.ts · orders.ts and book.ts
 *           (through the interface, like any client) · tools.ts (openapi, bench, completion)
 * Output    what was asked for to standard output, JSON or for people (output.ts); what went wrong, as one line, to
 *           standard error
 * Finds     a running venue by its data directory (`--data`, TIDEMARK_DATA, ./data)
 * Source    design.md §6
 */
import { setV8 } from './v8-settings.ts'

setV8()
// A reader that went away (a closed pipe) is no reason to fall over.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

// Behind the settings, which are for what it loads.
const { run } = await import('./run.ts')
const code = await run(process.argv.slice(2))
if (code !== 0) process.exitCode = code
