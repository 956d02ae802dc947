/**
 * The verifier's own table of records against the server's: a kind that it lacks, or reads otherwise, shows here. Its code
 * comes from nowhere else.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCommand } from '../../src/runtime/command-codec.ts'
import { commandKinds } from '../../src/runtime/command-layout.ts'
import { RecordWriter } from '../../src/runtime/record-bytes.ts'
import { readCommand } from '../../verifier/commands.ts'
import { commandOf } from '../runtime/commands.ts'

const at = 1_700_000_000_000

test.each(commandKinds)('%s is read whole, and shorter or longer it is no command', (kind) => {
  fc.assert(
    fc.property(commandOf(kind), (command) => {
      const writer = new RecordWriter()
      encodeCommand(writer, command, at)
      const record = Buffer.from(writer.slice(0, writer.position))
      const read = readCommand(record)
      expect([read.kind, read.at]).toEqual([kind, at])
      expect(new Set(['kind', ...Object.keys(read.fields)])).toEqual(new Set(Object.keys(command)))
      expect(() => readCommand(record.subarray(0, -1))).toThrow(/ends inside a field|longer than its record/)
      expect(() => readCommand(Buffer.concat([record, Buffer.alloc(1)]))).toThrow('1 bytes behind the last field')
    }),
    { numRuns: 30 },
  )
})

test('no file of the verifier imports from the server, and none of the server from it', () => {
  const checkout = fileURLToPath(new URL('../..', import.meta.url))
  const imports = (room: string) =>
    readdirSync(join(checkout, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...readFileSync(join(checkout, room, name), 'utf8').matchAll(/ from '([^']+)'/g)])
      .map(([, specifier]) => specifier)
  expect(imports('verifier').filter((path) => !/^(node:|\.\/)/.test(path))).toEqual([])
  expect(imports('src').filter((path) => path.includes('verifier'))).toEqual([])
})
