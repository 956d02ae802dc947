/**
 * Codes mean what they say: none is written down that nobody gives, and none is given that has no sentence.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { endpoints, referenceDocument } from '../../src/api/api.ts'
import { sentences } from '../../src/api/errors/sentences.ts'
import { callCodes } from '../../src/api/reference/call-codes.ts'

const room = join(import.meta.dirname, '../../src/api')
const source = readdirSync(room, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('sentences.ts'))
  .map((path) => readFileSync(join(room, path), 'utf8'))
  .join('\n')

test('every code is given somewhere', () => {
  expect(Object.keys(sentences).filter((code) => !source.includes(`'${code}'`))).toEqual([])
})

test('the codes of each call are those that the source has on its way', () => {
  const script = join(import.meta.dirname, '../../scripts/call-codes.ts')
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
})

test('the description of each call has its codes, with message and remedy', () => {
  const { paths } = referenceDocument() as { paths: Record<string, Record<string, { description: string }>> }
  for (const { method, path } of endpoints) {
    const description = paths[path]?.[method.toLowerCase()]?.description ?? ''
    const codes = callCodes[`${method} ${path}`] ?? []
    expect(codes.length, path).toBeGreaterThan(0)
    const rows = description.matchAll(/^\| `(\d+)` \| (?:[^|]|\\\|)+ \| [^|]+\. \|$/gm)
    expect(
      Array.from(rows, ([, code]) => code),
      path,
    ).toEqual(codes)
  }
})
