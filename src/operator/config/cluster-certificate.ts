/**
 * What a process of a venue shows the others, as three files say it: whether it can be used.
 *
 * Right    PEM files: the authority of the venue; a certificate of it, those in between behind it; its private key, which is not
 *          encrypted and nobody but its owner can read
 * Time     a certificate whose time is over, or has not begun, is refused: every other process would refuse it
 */
import type { X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { certificatesIn, keyIn, textOf } from './certificate.ts'

/** All three, or none: then processes know each other by a token. */
export interface ClusterFiles {
  readonly clusterCa: string
  readonly clusterCert: string
  readonly clusterKey: string
}

export interface ClusterFault {
  readonly of: keyof ClusterFiles
  readonly rule: string
}

/** PEM. */
export interface ClusterCertificate {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** What they hold, or all that keeps it from being used. */
export function readClusterCertificate(
  files: ClusterFiles,
  now = new Date(),
): ClusterCertificate | { readonly faults: readonly ClusterFault[] } {
  const faults: ClusterFault[] = []
  const read = <Content>(of: keyof ClusterFiles, parse: (text: string) => Content): Content | undefined => {
    try {
      return parse(textOf(files[of]))
    } catch (cause) {
      faults.push({ of, rule: cause instanceof Error ? cause.message : String(cause) })
      return undefined
    }
  }
  const authorities = read('clusterCa', certificatesIn)
  const certificates = read('clusterCert', certificatesIn)
  const key = read('clusterKey', keyIn)
  if (key !== undefined && (statSync(files.clusterKey).mode & 0o077) !== 0) {
    faults.push({ of: 'clusterKey', rule: 'must be readable by its owner alone (chmod 600)' })
  }
  if (authorities === undefined || certificates === undefined || key === undefined) return { faults }
  const [own, ...between] = certificates
  for (const [of, one] of [
    ['clusterCert', own],
    ...authorities.map((authority) => ['clusterCa', authority] as const),
  ] as const) {
    if (one.validToDate < now) faults.push({ of, rule: `has expired on ${one.validToDate.toISOString()}` })
    else if (one.validFromDate > now)
      faults.push({ of, rule: `is not valid before ${one.validFromDate.toISOString()}` })
  }
  if (!own.checkPrivateKey(key))
    faults.push({ of: 'clusterKey', rule: 'must belong to the first certificate of --cluster-cert' })
  if (![...between, ...authorities].some((authority) => isOf(own, authority))) {
    faults.push({ of: 'clusterCert', rule: 'must be of the --cluster-ca' })
  }
  if (faults.length > 0) return { faults }
  return {
    ca: pemOf(authorities),
    cert: pemOf(certificates),
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

function isOf(own: X509Certificate, authority: X509Certificate): boolean {
  return own.checkIssued(authority) && own.verify(authority.publicKey)
}

function pemOf(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join('')
}
