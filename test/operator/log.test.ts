/** The log to standard error: all of it where somebody reads, and in nobody's way where nobody does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text as textOf } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { logText } from '../../src/operator/log-text.ts'

const program = `
  import { openLog } from ${JSON.stringify(new URL('../../src/operator/log.ts', import.meta.url).href)}
  const { log, flush } = openLog('info')
  process.stdin.once('data', () => {
    log.info('the venue stops')
    log.info('the venue has stopped')
    flush()
    process.exit(0)
  })
`

function started() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('each line is there, those before the end too', async () => {
  const child = started()
  child.stdin.write('go')
  const lines = (await textOf(child.stderr)).trimEnd().split('\n')
  const said = lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg)
  expect(said.toSorted()).toEqual(['the venue has stopped', 'the venue stops'])
})

test('a process ends although whoever read its lines is gone', { timeout: 60_000 }, async () => {
  const child = started()
  child.stderr.destroy()
  child.stdin.write('go')
  expect(await once(child, 'exit')).toEqual([0, null])
})

const time = '2026-01-02T03:04:05.006Z'
const clock = new Date(time).toTimeString().slice(0, 8)

test.each([
  [{ level: 30, time, msg: 'asked', by: 'a\u001B[2J' }, `${clock}.006 info  asked  by="a\\u001b[2J"`],
  [
    { level: 30, time, msg: 'snapshot taken', sequence: 7, file: 'a b' },
    `${clock}.006 info  snapshot taken  sequence=7  file="a b"`,
  ],
  [
    { level: 40, time, msg: 'index stale', symbols: ['BTCUSDT'] },
    `${clock}.006 warn  index stale  symbols=["BTCUSDT"]`,
  ],
  [
    { level: 50, time, msg: 'it failed', err: { type: 'Error', message: 'no', stack: 'Error: no\n  at a.ts:1' } },
    `${clock}.006 error it failed\n    Error: no\n      at a.ts:1`,
  ],
])('on a terminal a line is for people: %j', (line, text) => {
  expect(logText(JSON.stringify(line), false)).toBe(`${text}\n`)
})

test('what is wrong has a color, where there are some', () => {
  const line = JSON.stringify({ level: 50, time, msg: 'it failed' })
  expect(logText(line, true)).toContain('\u001B[31merror\u001B[39m it failed')
})

test('standard error that is a terminal has the lines as text', async () => {
  const command = `${process.execPath} --input-type=module --eval "$PROGRAM" 2>&1`
  const env = { ...process.env, PROGRAM: program }
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'], env })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.write('go\n')
  expect(await textOf(child.stdout)).toMatch(/^[^{]*\d\d:\d\d:\d\d\.\d{3}.*info.* the venue stops\r\n/m)
})
