/**
 * The mirrored venue as the badge shows it: asked once, and then every other second as long as one is mirrored.
 */
import { signal } from '@preact/signals'
import { type MirrorInfo, readMirror } from '../venue/mirror.ts'

const lookEveryMs = 2_000

export const mirrorInfo = signal<MirrorInfo | undefined>(undefined)

void look()

async function look(): Promise<void> {
  const found = await readMirror()
  if (found === null) return
  if (found !== undefined) mirrorInfo.value = found
  setTimeout(() => void look(), lookEveryMs)
}
