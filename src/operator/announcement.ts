/**
 * How others learn that the venue is up: <data>/server.json for programs, one line on standard output for scripts, a few
 * lines on standard error for people.
 *
 * Holds   server.json and the ready line are there only while requests are accepted; standard output carries nothing else
 */
import { readFileSync, rmSync } from 'node:fs'
import { type DataDirectory, writeWholeFile } from './data-directory.ts'

export interface Addresses {
  readonly url: string
  readonly operatorUrl: string
  /** Of a venue of several processes: what this one is. */
  readonly role?: 'core' | undefined
  /** PEM of what an https address shows, so that programs on this machine know the venue by it. */
  readonly certificate?: string | undefined
}

const serverFile = 'server.json'
export const demoKeysFile = 'demo-keys.json'
export const tokenFile = 'operator-token'

/** Whether a header can carry it: an empty file, or one of zeros, would let nobody in. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text)
}

export function writeAddresses(directory: DataDirectory, { url, operatorUrl, role, certificate }: Addresses): void {
  const text = JSON.stringify({ url, operatorUrl, role, pid: process.pid, certificate })
  writeWholeFile(directory.file(serverFile), `${text}\n`)
}

/** Also what a venue that was killed has left behind. */
export function removeAddresses(directory: DataDirectory): void {
  rmSync(directory.file(serverFile), { force: true })
}

interface Announced extends Omit<Addresses, 'certificate' | 'role'> {
  readonly isDemo: boolean
}

export function announce(
  directory: Pick<DataDirectory, 'file'>,
  { url, operatorUrl, isDemo }: Announced,
  readyAsJson: boolean,
): void {
  const lines = [
    `Tidemark listens on ${url}, for its operator on ${operatorUrl}.`,
    ...(isDemo ? demoLines(url, directory.file(demoKeysFile)) : emptyLines),
    `The operator's desk: ${operatorUrl}/, with the token in ${directory.file(tokenFile)}`,
    'Ctrl-C stops the venue.',
  ]
  process.stderr.write(`${lines.join('\n')}\n`)
  const ready = { url, operatorUrl, kind: isDemo ? 'demo' : 'empty', pid: process.pid }
  process.stdout.write(readyAsJson ? `${JSON.stringify({ ready })}\n` : `ready ${url}\n`)
}

/** What an empty venue lacks, in the order in which it is added. */
const emptyLines = [
  'An empty venue trades what its operator lists: tidemark coins add FILE, then tidemark instruments add FILE,',
  'then tidemark accounts create, keys create and deposit. docs/operations.md goes from here to a first trade.',
]

/** Who can sign in; the secrets stand in the file. */
function demoLines(url: string, file: string): string[] {
  const keys = JSON.parse(readFileSync(file, 'utf8')) as { role: string; uid: string; apiKey: string }[]
  const widest = Math.max(...keys.map(({ role }) => role.length))
  return [
    `Demo keys, with their secrets in ${file}:`,
    ...keys.map(({ role, uid, apiKey }) => `  ${role.padEnd(widest)}  uid ${uid}  ${apiKey}`),
    `The trading terminal: ${url}/`,
    `Try: curl ${url.startsWith('https:') ? '--cacert CERTIFICATE ' : ''}'${url}/api/v3/market/fills?category=USDT-FUTURES&symbol=BTCUSDT&limit=3'`,
    'The README shows a signed order.',
  ]
}
