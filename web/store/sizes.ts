/** Sizes that a person keeps at hand for an instrument, in this browser; at most four of each. */
import { kept } from './kept.ts'

const sizesMax = 4
const chosen = kept<string>('sizes', '{}')

function all(): Record<string, readonly string[]> {
  try {
    return JSON.parse(chosen.value) as Record<string, readonly string[]>
  } catch {
    return {}
  }
}

export function sizesOf(key: string): readonly string[] {
  return all()[key] ?? []
}

/** Keeps it, or forgets it where it is kept. */
export function toggleSize(key: string, size: string): void {
  const before = sizesOf(key)
  const after = before.includes(size) ? before.filter((one) => one !== size) : [...before, size].slice(-sizesMax)
  chosen.value = JSON.stringify({ ...all(), [key]: after.toSorted((a, b) => Number(a) - Number(b)) })
}
