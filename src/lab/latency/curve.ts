/**
 * Latency as it was measured: a file of moments and milliseconds.
 *
 * Form      lines of `time,ms`, oldest first; a head is passed over. Times are Unix milliseconds, or ISO 8601 with a zone
 * Between   two moments it lies on the straight line, before the first and after the last it stays
 * Bounded   so many lines
 * Source    lab.md §4.7
 */
import { readFile } from 'node:fs/promises'
import { LabRefusal } from '../refusals.ts'
import { readTime } from '../times.ts'

/** A day: what takes longer is a cut. */
export const delayMsMax = 86_400_000

const curveLengthMax = 100_000
const fileBytesMax = 10_000_000

/** [time, milliseconds], by time. */
export type Curve = readonly (readonly [at: number, ms: number])[]

/** `field` is where the call names the file. Throws LabRefusal. */
export async function readCurve(path: string, field: string): Promise<Curve> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new LabRefusal(404, 'unknown-file', `${field}: there is no file ${path}`, { field })
    throw new LabRefusal(400, 'file-wrong', `${field}: ${path} cannot be read: ${code}`, { field, file: path })
  }
  const wrong = (line: number, what: string, rule: string) => {
    const message = `${field}: ${path} line ${line}: ${what} ${rule}`
    return new LabRefusal(400, 'file-wrong', message, { field, file: path, line, rule })
  }
  if (text.length > fileBytesMax) throw wrong(1, 'the file', `must have at most ${fileBytesMax} bytes`)
  const curve: [number, number][] = []
  for (const [place, row] of text.split('\n').entries()) {
    const line = place + 1
    if (row.trim() === '' || (line === 1 && /^\s*"?[a-z]/i.test(row))) continue
    if (curve.length === curveLengthMax) throw wrong(line, 'the file', `must have at most ${curveLengthMax} rows`)
    const [time = '', ms = '', ...others] = row.split(',').map((part) => part.trim())
    if (others.length > 0) throw wrong(line, 'it', 'must be time,ms')
    const at = readTime(time)
    if (at === undefined) throw wrong(line, 'time', 'must be Unix milliseconds, or ISO 8601 with a zone')
    if (at <= (curve.at(-1)?.[0] ?? 0)) throw wrong(line, 'time', 'must be later than the one before')
    if (!/^\d{1,9}(\.\d{1,6})?$/.test(ms) || Number(ms) > delayMsMax) {
      throw wrong(line, 'ms', `must be a number from 0 to ${delayMsMax}`)
    }
    curve.push([at, Number(ms)])
  }
  if (curve.length === 0) throw wrong(1, 'the file', 'must have a row of time,ms')
  return curve
}

/** Milliseconds at a time. */
export function heightOf(curve: Curve, at: number): number {
  let [low, high] = [0, curve.length - 1]
  if (at <= curve[low][0]) return curve[low][1]
  if (at >= curve[high][0]) return curve[high][1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (curve[middle][0] <= at) low = middle
    else high = middle
  }
  const [[from, first], [to, last]] = [curve[low], curve[high]]
  return first + ((last - first) * (at - from)) / (to - from)
}
