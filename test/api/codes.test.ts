/**
 * Codes mean what they say: none is written down that nobody gives, and none is given that has no sentence.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sentences } from '../../src/api/errors/sentences.ts'

const room = join(import.meta.dirname, '../../src/api')
const source = readdirSync(room, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('sentences.ts'))
  .map((path) => readFileSync(join(room, path), 'utf8'))
  .join('\n')

test('every code is given somewhere', () => {
  expect(Object.keys(sentences).filter((code) => !source.includes(`'${code}'`))).toEqual([])
})
