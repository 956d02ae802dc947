/** Nothing that a test has started outlives it, even where the test is killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test, vi } from 'vitest'

const program = `
  import { spawnWithUs } from ${JSON.stringify(new URL('./ends-with-us.ts', import.meta.url).href)}
  const child = spawnWithUs('sleep', ['600'], { stdio: 'ignore' })
  console.log(child.pid)
  setInterval(() => {}, 1_000)
`

test('what a killed process had started is killed', async () => {
  const words = ['--input-type=module', '--eval', program]
  const starter = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [pid] = (await once(starter.stdout, 'data')) as [Buffer]
  const directory = `/proc/${pid.toString().trim()}`
  expect(existsSync(directory)).toBe(true)
  starter.kill('SIGKILL')
  await vi.waitFor(() => expect(existsSync(directory)).toBe(false))
})
