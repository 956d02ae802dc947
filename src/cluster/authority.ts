/**
 * The venue's own authority: `cluster init --ca` makes it, and the certificates by which its processes and NATS servers know one another.
 *
 * Keys     are made here, as node:crypto can, and are their owner's alone. `openssl` signs, as node:crypto cannot
 * Whole    or not at all: files are made aside, held against what a process asks of them (cluster-certificate.ts), and then put in
 *          their places. What is there stays: a name that has files is refused
 * Again    an authority that is there signs more: a host that is new, or one whose files were taken away
 * Source   scale.md §9
 */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { CannotStart, clusterCertificate } from '../operator/operator.ts'

/** Days. */
const authorityLasts = 3650
const certificateLasts = 365

const opensslOldest = [1, 1, 1] as const
const needsOpenssl = '--ca: needs the command openssl of OpenSSL, 1.1.1 or later'

interface CertificatesMade {
  /** Who vouches for all: `--cluster-ca`. */
  readonly ca: string
  /** It was there before. */
  readonly caWasThere: boolean
  readonly certificates: readonly { readonly name: string; readonly cert: string; readonly key: string }[]
}

interface CertificatesAsked {
  readonly directory: string
  /** The name of a new authority, for people; at most 64 characters. */
  readonly venue: string
  /** Of each certificate the names of its host; its files have the first. None twice, and none `ca`. */
  readonly hosts: readonly (readonly string[])[]
}

/** Throws CannotStart: nothing was written then. */
export function makeCertificates({ directory, venue, hosts }: CertificatesAsked): CertificatesMade {
  assertOpenssl()
  const path = resolve(directory)
  const at = (name: string) => join(path, name)
  const caWasThere = existsSync(at('ca.pem'))
  if (caWasThere !== existsSync(at('ca.key'))) {
    throw new CannotStart(`--ca ${directory}: has one of ca.pem and ca.key: an authority is both`)
  }
  const wanted = hosts.map(([name]) => name)
  const files = [...(caWasThere ? [] : ['ca']), ...wanted].flatMap((name) => [`${name}.pem`, `${name}.key`])
  const taken = files.find((file) => existsSync(at(file)))
  if (taken !== undefined) throw new CannotStart(`--ca ${directory}: there is ${taken} already: take it away before`)

  using undo = new DisposableStack()
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) {
    undo.defer(() => rmSync(path, { recursive: true, force: true }))
  }
  const aside = mkdtempSync(at('.new-'))
  using kept = new DisposableStack()
  kept.defer(() => rmSync(aside, { recursive: true, force: true }))
  if (!caWasThere) makeAuthority(aside, venue)
  const authority = caWasThere ? path : aside
  for (const names of hosts) {
    sign(aside, authority, names)
    clusterCertificate({
      clusterCa: join(authority, 'ca.pem'),
      clusterCert: join(aside, `${names[0]}.pem`),
      clusterKey: join(aside, `${names[0]}.key`),
    })
  }
  for (const file of files) {
    // Refused where somebody else has put one there meanwhile.
    linkSync(join(aside, file), at(file))
    undo.defer(() => rmSync(at(file), { force: true }))
  }
  undo.move()
  const certificates = wanted.map((name) => ({ name, cert: at(`${name}.pem`), key: at(`${name}.key`) }))
  return { ca: at('ca.pem'), caWasThere, certificates }
}

function makeAuthority(aside: string, venue: string): void {
  newKey(join(aside, 'ca.key'))
  const lines = [
    ...named(venue),
    '[extensions]',
    'basicConstraints = critical, CA:TRUE, pathlen:0',
    'keyUsage = critical, keyCertSign, cRLSign',
    'subjectKeyIdentifier = hash',
  ]
  const how = ['-config', configured(aside, 'ca', lines), '-extensions', 'extensions', '-sha256']
  openssl(aside, 'req', '-new', '-x509', '-key', 'ca.key', ...how, '-days', String(authorityLasts), '-out', 'ca.pem')
}

/** Both sides of a link are shown the same certificate. */
function sign(aside: string, authority: string, names: readonly string[]): void {
  const [name] = names
  newKey(join(aside, `${name}.key`))
  const lines = [
    ...named(name),
    '[extensions]',
    'basicConstraints = critical, CA:FALSE',
    'keyUsage = critical, digitalSignature',
    'extendedKeyUsage = serverAuth, clientAuth',
    'subjectKeyIdentifier = hash',
    'authorityKeyIdentifier = keyid',
    `subjectAltName = ${names.map((host) => `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`).join(', ')}`,
  ]
  const config = configured(aside, name, lines)
  const request = `${name}.csr`
  openssl(aside, 'req', '-new', '-key', `${name}.key`, '-config', config, '-out', request)
  const by = ['-CA', join(authority, 'ca.pem'), '-CAkey', join(authority, 'ca.key')]
  const serial = ['-set_serial', `0x${randomBytes(16).toString('hex')}`]
  const how = ['-extfile', config, '-extensions', 'extensions', '-sha256', '-days', String(certificateLasts)]
  openssl(aside, 'x509', '-req', '-in', request, ...by, ...serial, ...how, '-out', `${name}.pem`)
}

/** Nothing of the machine's own configuration counts. */
function configured(aside: string, name: string, lines: readonly string[]): string {
  const file = `${name}.cnf`
  writeFileSync(join(aside, file), `${lines.join('\n')}\n`)
  return file
}

function named(name: string): string[] {
  return ['[req]', 'prompt = no', 'distinguished_name = who', '[who]', `CN = ${name}`]
}

function newKey(file: string): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
}

function assertOpenssl(): void {
  let said: string
  try {
    said = execFileSync('openssl', ['version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch (cause) {
    throw new CannotStart(`${needsOpenssl}; there is none that runs`, { cause })
  }
  const version = /^OpenSSL (\d+)\.(\d+)\.(\d+)/.exec(said)?.slice(1).map(Number)
  if (version === undefined || !isAtLeast(version, opensslOldest)) {
    throw new CannotStart(`${needsOpenssl}; the one that is there says: ${said}`)
  }
}

function isAtLeast(version: readonly number[], oldest: readonly number[]): boolean {
  const place = oldest.findIndex((part, index) => version[index] !== part)
  return place < 0 || version[place] > oldest[place]
}

function openssl(cwd: string, ...words: readonly string[]): void {
  try {
    execFileSync('openssl', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (cause) {
    const { stderr } = cause as { readonly stderr?: string }
    const line = stderr?.trim().split('\n').at(-1) ?? ''
    throw new CannotStart(`--ca: openssl ${words[0]} failed: ${line}`, { cause })
  }
}
