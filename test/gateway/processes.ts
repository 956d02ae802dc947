/** Processes of a venue on loopback: started by their commands, ended when the test is over. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { spawnWithUs } from '../support/ends-with-us.ts'
import { type Answer, Connection, type Exchange } from '../support/http.ts'
import { type Key, Person } from '../support/person.ts'
import { sooner } from '../support/sooner.ts'

const cli = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))
/** Beyond this a process hangs; on a slow machine it takes half a minute. */
const readyMsMax = 90_000
const same = ['--simulator', 'off', '--operator-port', '0', '--log-level', 'warn', '--durability', 'os']

export interface Started {
  readonly process: ChildProcess
  readonly ready: Readonly<Record<string, unknown>>
  /** What it wrote on standard error so far. */
  readonly said: () => string
}

/** Ended with its test. */
export async function start(command: string, data: string, ...flags: readonly string[]): Promise<Started> {
  const children: ChildProcess[] = []
  onTestFinished(async () => void (await Promise.all(children.map((child) => end(child)))))
  return launch(children, command, data, ...flags)
}

/** Ended by the caller: `children` gets it before it is ready. */
export async function launch(
  children: ChildProcess[],
  command: string,
  data: string,
  ...flags: readonly string[]
): Promise<Started> {
  const words = [...sooner, cli, command, '--json', '--data', data, ...same, ...flags]
  const child = spawnWithUs(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr!.on('data', (chunk) => (said += String(chunk)))
  children.push(child)
  const tooLate = new AbortController()
  const [line] = (await Promise.race([
    once(child.stdout!, 'data'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${command} ended with ${code}: ${said}`)
    }),
    sleep(readyMsMax, undefined, { signal: tooLate.signal }).then(() => {
      throw new Error(`${command} was not ready within ${readyMsMax} ms: ${said}`)
    }),
  ]).finally(() => tooLate.abort())) as [Buffer]
  return { process: child, ready: (JSON.parse(line.toString()) as { ready: Started['ready'] }).ready, said: () => said }
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const over = once(child, 'exit')
  child.kill(signal)
  await over
  return child.exitCode
}

export { freePorts } from '../support/ports.ts'

interface DemoKey extends Key {
  readonly role: string
  readonly uid: string
}

/** A demo account, as it speaks to one address. */
export function personAt(url: string, data: string, role: string): Person {
  const keys = JSON.parse(readFileSync(`${data}/demo-keys.json`, 'utf8')) as DemoKey[]
  const key = keys.find((one) => one.role === role)!
  return speakingTo(url, key)
}

export function speakingTo(url: string, key: Key & { readonly uid?: string }): Person {
  const connection = new Connection(url)
  const exchange = (asked: Exchange): Promise<Answer> => connection.exchange(asked)
  return new Person({ url, now: Date.now, exchange }, 'somebody', key.uid ?? '', key)
}

export const bid = (price: string, clientOid: string) => ({
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  qty: '0.002',
  price,
  clientOid,
})
