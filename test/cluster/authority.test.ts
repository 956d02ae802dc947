/** `cluster init --ca`: certificates that processes of a venue take, made whole or not at all. tls.test.ts starts a venue with them. */
import { X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { makeCertificates } from '../../src/cluster/cluster.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { commanded } from './processes.ts'

afterEach(() => void vi.unstubAllEnvs())

const newDirectory = () => join(temporaryDirectory('authority'), 'ca')
const make = (directory: string, ...hosts: readonly (readonly string[])[]) =>
  makeCertificates({ directory, venue: 'one', hosts })

/** The only `openssl` that is found says and does this, `$real` being that of the machine. */
function instead(script: string): void {
  const real = process.env['PATH']!.split(':')
    .map((path) => join(path, 'openssl'))
    .find((path) => existsSync(path))
  const path = temporaryDirectory('openssl')
  writeFileSync(join(path, 'openssl'), `#!/bin/sh\nreal=${real}\n${script}\n`)
  chmodSync(join(path, 'openssl'), 0o700)
  vi.stubEnv('PATH', path)
}

test('a certificate is for all names of its host, and its key for its owner alone', () => {
  const directory = newDirectory()
  const { ca, caWasThere, certificates } = make(directory, ['c1.example', '10.0.0.11'], ['n1.example'])
  expect(caWasThere).toBe(false)
  const authority = new X509Certificate(readFileSync(ca))
  expect([authority.ca, authority.subject]).toEqual([true, 'CN=one'])
  expect(certificates.map(({ name }) => name)).toEqual(['c1.example', 'n1.example'])
  const [c1] = certificates.map(({ cert }) => new X509Certificate(readFileSync(cert)))
  expect(c1.subjectAltName).toBe('DNS:c1.example, IP Address:10.0.0.11')
  expect([c1.ca, c1.checkIssued(authority), c1.verify(authority.publicKey)]).toEqual([false, true, true])
  expect(c1.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
  const names = ['c1.example.key', 'c1.example.pem', 'ca.key', 'ca.pem', 'n1.example.key', 'n1.example.pem']
  expect(readdirSync(directory).sort()).toEqual(names)
  const modes = names
    .filter((name) => name.endsWith('.key'))
    .map((name) => statSync(join(directory, name)).mode & 0o777)
  expect(modes).toEqual([0o600, 0o600, 0o600])
})

test('an authority that is there signs for another host, and nothing of it is written over', () => {
  const directory = newDirectory()
  const first = make(directory, ['c1.example'])
  const before = readFileSync(first.ca, 'utf8')
  const second = make(directory, ['c2.example'])
  expect([second.caWasThere, readFileSync(second.ca, 'utf8')]).toEqual([true, before])
  const added = new X509Certificate(readFileSync(second.certificates[0].cert))
  expect(added.verify(new X509Certificate(before).publicKey)).toBe(true)
  expect(() => make(directory, ['c3.example'], ['c1.example'])).toThrow(
    `--ca ${directory}: there is c1.example.pem already: take it away before`,
  )
  expect(existsSync(join(directory, 'c3.example.pem'))).toBe(false)
  rmSync(join(directory, 'ca.key'))
  expect(() => make(directory, ['c3.example'])).toThrow('has one of ca.pem and ca.key')
})

test.each([
  ['there is none', undefined, '--ca: needs the command openssl of OpenSSL, 1.1.1 or later; there is none that runs'],
  ['it is too old', 'echo OpenSSL 1.1.0l 10 Sep 2019', 'later; the one that is there says: OpenSSL 1.1.0l 10 Sep 2019'],
  ['it is another', 'echo LibreSSL 3.3.6', 'later; the one that is there says: LibreSSL 3.3.6'],
  [
    'it fails midway',
    'if [ $1 = x509 ]; then echo no room >&2; exit 1; fi; $real "$@"',
    '--ca: openssl x509 failed: no room',
  ],
])('nothing is written where openssl cannot be used: %s', (_, script, said) => {
  if (script === undefined) vi.stubEnv('PATH', temporaryDirectory('openssl'))
  else instead(script)
  const directory = newDirectory()
  expect(() => make(directory, ['c1.example'])).toThrow(said)
  expect(existsSync(directory)).toBe(false)
})

test.each([
  [['--names', ''], '--names: "" must be the name or the address of a host, such as c1.example'],
  [['--names', 'c1.example+a_b'], '--names: a_b must be the name or the address of a host'],
  [['--names', 'c1,c1'], '--names: c1 is the name of other files'],
  [['--names', 'ca'], '--names: ca is the name of other files'],
  [['--names', 'c1', '--nats', 'nats://n1:4222'], '--ca: not with --nats, as it makes certificates alone'],
])('what is asked wrongly is refused: %j', async (words, said) => {
  const directory = newDirectory()
  await expect(commanded('cluster', 'init', '--ca', directory, ...words)).rejects.toThrow(said)
  expect(existsSync(directory)).toBe(false)
})
