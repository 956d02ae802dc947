/** `tidemark grade` asked for wrongly: one line that names what is wrong, and the exit code 2, before anything is started. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-grade-'))
  writeFileSync(join(directory, 'grade.json'), '{"maxPosition": 0, "speed": 3}')
})
afterAll(() => rmSync(directory, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

const bot = ['--', 'node', 'bot.js', '--verbose']

test.each<readonly [string, readonly string[], string]>([
  ['no command', [], 'a command is missing: tidemark grade [options] -- COMMAND'],
  [
    'no such hazard',
    ['--hazards', 'H01,H99', ...bot],
    '--hazards: there is no H99; H01 to H43, ranges as H07-H10, or all',
  ],
  ['no seeds', ['--seeds', '0', ...bot], '--seeds 0: must be a whole number from 1 to 100'],
  ['no jobs', ['--jobs', 'many', ...bot], '--jobs many: must be a whole number from 1 to 64'],
  ['too short', ['--scale', '0.001', ...bot], '--scale 0.001: must be a number from 0.01 to 10'],
  ['no number', ['--unreached-max', '-1', ...bot], '--unreached-max -1: must be a whole number from 0 to 100000'],
  ['no such file', ['--config', '/nowhere/grade.json', ...bot], '/nowhere/grade.json: there is no such file'],
  ['no such option', ['--hazard', 'H01', ...bot], "unknown option '--hazard'"],
])('%s', async (_name, words, expected) => {
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  expect(await run(['grade', ...words])).toBe(2)
  expect(said.join('')).toContain(expected)
})

test('every wrong field of grade.json is named', async () => {
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  expect(await run(['grade', '--config', join(directory, 'grade.json'), ...bot])).toBe(2)
  expect(said.join('')).toMatch(/maxPosition must be a positive number in base coin, or null; speed is no field/)
})
