/**
 * What a failed test leaves: the recording of its venue, for `tidemark replay`.
 *
 * Where   `tidemark-recordings/`, or the directory in TIDEMARK_RECORDINGS; `off` there: nothing is left
 */
import { join } from 'node:path'
import type { Venue } from './venue.ts'

const directoryDefault = 'tidemark-recordings'

/** Says where it is. A venue that cannot be recorded says why, and the test fails for its own reason. */
export async function leaveRecording(venue: Venue, test: string): Promise<void> {
  const directory = process.env['TIDEMARK_RECORDINGS'] || directoryDefault
  if (directory === 'off') return
  const file = join(directory, `${nameOf(test)}.tide`)
  try {
    await venue.saveRecording(file)
    process.stderr.write(`tidemark: "${test}" failed; its recording is ${file} (npx tidemark replay ${file})\n`)
  } catch (error) {
    process.stderr.write(`tidemark: "${test}" failed; there is no recording of it: ${(error as Error).message}\n`)
  }
}

/** Of a file on every system. */
function nameOf(test: string): string {
  return (
    test
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replaceAll(/^[-.]+|-+$/g, '')
      .slice(0, 100) || 'test'
  )
}
