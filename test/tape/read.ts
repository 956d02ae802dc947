/** Files of recordings for tests, and what a tape made of them says, in words. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ImportOptions, importTape, rowKindNames, Tape } from '../../src/tape/tape.ts'
import { temporaryDirectory } from '../support/temporary.ts'

export function written(name: string, text: string | Uint8Array): string {
  const path = join(temporaryDirectory('tape'), name)
  writeFileSync(path, text)
  return path
}

export async function imported(files: string | readonly string[], options: Partial<ImportOptions> = {}) {
  const out = join(temporaryDirectory('tape'), 'day.tmk')
  const report = await importTape({ files: [files].flat(), out, symbol: 'BTCUSDT', ...options })
  return { report, tape: new Tape(out), out }
}

/** Each row as `microseconds kind price amount`. */
export function rowsOf(tape: Tape): string[] {
  const { scales } = tape.contents
  const rows: string[] = []
  for (const { times, kinds, values, amounts, length } of tape.all()) {
    for (let at = 0; at < length; at++) {
      const name = rowKindNames[kinds[at]]
      const decimals = name === 'funding' ? 12 : name === 'index' || name === 'mark' ? 8 : scales.price
      rows.push(`${times[at]} ${name} ${values[at] / 10 ** decimals} ${amounts[at] / 10 ** scales.amount}`)
    }
  }
  return rows
}
