/** Libraries that are joined into files have all that they have, and are used by whoever asks for it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { joined, usingJoined } from '../scripts/joined.js'
import { temporaryDirectory } from './support/temporary.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const directory = join(temporaryDirectory('joined'), 'joined')

function node(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return stdout
}

beforeAll(() => {
  node('scripts/join-libraries.js', directory)
})

/** Node's own name for what CommonJS exports is no part of a library. */
const seen = (name: string) => `
  const names = Object.keys(await import('${name}')).filter((name) => name !== 'module.exports')
  console.log(JSON.stringify([import.meta.resolve('${name}'), names.sort()]))`

test.each(Object.entries(joined))('%s is read from its file, and has what it has', (name, file) => {
  const [from, names] = JSON.parse(node('--import', usingJoined(directory), '--input-type=module', '-e', seen(name)))
  expect(from).toBe(pathToFileURL(join(directory, file)).href)
  const [asItIs, namesAsItIs] = JSON.parse(node('--input-type=module', '-e', seen(name)))
  expect(asItIs).toContain('/node_modules/')
  expect(names).toEqual(namesAsItIs)
})

test('they share what they share: a setting that is made through one is heard by another', () => {
  const code = `
    import { Settings } from 'typebox/system'
    import { Compile } from 'typebox/compile'
    import Type from 'typebox'
    Settings.Set({ maxErrors: 1 })
    const errors = Compile(Type.Object({ a: Type.String(), b: Type.String() })).Errors({ a: 1, b: 2 })
    console.log(errors.length)`
  expect(node('--import', usingJoined(directory), '--input-type=module', '-e', code).trim()).toBe('1')
})

test('where nothing was joined the libraries are read as they are', () => {
  const args = ['--import', usingJoined(`${directory}-not`), '--input-type=module', '-e', seen('kysely')]
  expect(node(...args)).toContain('/node_modules/kysely/')
})

test('our own sources are found as they name each other', () => {
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string }
  expect(node('--import', usingJoined(directory), 'src/cli/cli.ts', '--version').trim()).toBe(version)
})
