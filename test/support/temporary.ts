/** Directories of a test file's own: they go when its tests are over (test/setup.ts). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made: string[] = []

export function temporaryDirectory(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `tidemark-${name}-`))
  made.push(directory)
  return directory
}

export function removeTemporaryDirectories(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true })
}
