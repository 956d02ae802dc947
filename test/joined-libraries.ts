/** Before all tests: the libraries are joined (scripts/joined.js), once for a lock, for the processes that tests start. */
import { usingJoined } from '../scripts/joined.js'
import { ensureJoined } from '../scripts/ready.js'

export default function setup(): void {
  const directory = ensureJoined()
  // Workers and what they start inherit it.
  if (directory !== undefined) process.env['TESTS_IMPORT_FIRST'] = usingJoined(directory)
}
