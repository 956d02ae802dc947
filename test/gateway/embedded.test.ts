/** One process for all: nothing of gateways, of their links and of PostgreSQL is loaded. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary.ts'
import { end } from './processes.ts'

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))

/** Says on standard error what is loaded. */
const telling = `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => { process.stderr.write('LOADED ' + url + '\\n'); return next(url, context) } })`

test('`tidemark start` loads no room of several processes, and no driver', { timeout: 60_000 }, async () => {
  const data = temporaryDirectory('embedded')
  const child = spawn(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(telling)}`,
      cli,
      'start',
      '--data',
      data,
      '--port',
      '0',
      '--operator-port',
      '0',
      '--simulator',
      'off',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let said = ''
  child.stderr.on('data', (chunk) => (said += String(chunk)))
  await once(child.stdout, 'data')
  await end(child)
  const loaded = said.split('\n').filter((line) => line.startsWith('LOADED '))
  expect(loaded.some((line) => line.endsWith('/src/history/history.ts'))).toBe(true)
  const forbidden = /\/src\/(gateway|replication)\/|\/src\/.*(postgres|read-elsewhere)|\/node_modules\/pg/
  expect(loaded.filter((line) => forbidden.test(line))).toEqual([])
})
