/** A start that fails takes nothing with it: what was opened is closed, and the next start finds the directory free. */
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { startVenue } from '../../src/main.ts'
import { readConfiguration } from '../../src/operator/config/configuration.ts'
import { CannotStart } from '../../src/operator/data-directory.ts'
import { startTrouble } from '../../src/operator/start-trouble.ts'
import { OutcomeUnknown } from '../../src/runtime/core.ts'

vi.setConfig({ testTimeout: 60_000 })

test('what failed at its last step can be started again in the same process', async () => {
  const data = mkdtempSync(join(tmpdir(), 'tidemark-start-'))
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const taken = String((other.address() as AddressInfo).port)
  const start = (operatorPort: string) => {
    const settings = { data, port: '0', operatorPort, simulator: 'off' }
    const { configuration } = readConfiguration({ options: settings, environment: {} })
    const fatal: Error[] = []
    return startVenue(configuration, { log: pino({ level: 'silent' }), onFatal: (error) => void fatal.push(error) })
  }
  try {
    await expect(start(taken)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(existsSync(join(data, 'server.json'))).toBe(false)
    const venue = await start('0')
    expect((await fetch(`${venue.url}/health`)).status).toBe(200)
    expect((await fetch(`${venue.url}/terminal/demo-accounts`)).status, 'for its own user').toBe(200)
    await venue.stop()
    await expect(fetch(`${venue.url}/health`)).rejects.toThrow('fetch failed')
  } finally {
    other.close()
    rmSync(data, { recursive: true, force: true })
  }
})

const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })

test.each([
  ['the set-up met a journal that cannot write', new OutcomeUnknown('link-failed', { cause: full })],
  ['a file cannot be written', full],
  ['keys cannot be kept', Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' })],
])('what the machine refuses is one line for whoever started it: %s', (_, error) => {
  const told = startTrouble(error)
  expect(told).toBeInstanceOf(CannotStart)
  expect((told as Error).message).toMatch(/^the venue cannot start: [^\n]*(no space left|disk is full)[^\n]*$/)
})

test('a defect stays what it is', () => {
  const defect = new TypeError('nothing is there')
  expect(startTrouble(defect)).toBe(defect)
})
