/** The authority of a venue of several processes, as docs/scale.md has somebody make it with `openssl`. */
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NatsFiles } from './nats.ts'
import { temporaryDirectory } from './temporary.ts'

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

export class VenueAuthority {
  readonly directory = temporaryDirectory('authority')
  readonly ca = join(this.directory, 'ca.pem')

  constructor(name = 'venue') {
    this.#openssl(
      'req',
      '-x509',
      ...newKey,
      '-days',
      '30',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
    )
  }

  /** A certificate for these hosts (`IP:…`, `DNS:…`). */
  issue(name: string, ...hosts: readonly string[]): NatsFiles {
    this.#openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`)
    writeFileSync(join(this.directory, `${name}.ext`), `subjectAltName=${hosts.join(',')}\n`)
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '30']
    this.#openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-extfile', `${name}.ext`, '-out', `${name}.pem`)
    const key = join(this.directory, `${name}.key`)
    chmodSync(key, 0o600)
    return { ca: this.ca, cert: join(this.directory, `${name}.pem`), key }
  }

  #openssl(...words: readonly string[]): void {
    const { status, stderr } = spawnSync('openssl', words, { cwd: this.directory, encoding: 'utf8' })
    if (status !== 0) throw new Error(`openssl ${words.join(' ')}: ${stderr}`)
  }
}

/** Files with these contents. */
export function filesOf(directory: string, name: string, contents: NatsFiles): NatsFiles {
  const write = (what: keyof NatsFiles) => {
    const file = join(directory, `${name}-${what}.pem`)
    writeFileSync(file, contents[what], { mode: 0o600 })
    return file
  }
  return { ca: write('ca'), cert: write('cert'), key: write('key') }
}
