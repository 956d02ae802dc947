/** Where processes of a venue listen, and what they know one another by. */
import type { Trust } from '../replication/replication.ts'
import { type ClusterCertificate, type ClusterFiles, readClusterCertificate } from './config/cluster-certificate.ts'
import { optionOf } from './config/settings.ts'
import { CannotStart } from './data-directory.ts'

/** `HOST:PORT`, as the settings have it. */
export { placeOf as addressOf } from './config/schema.ts'

const charactersMin = 32

/** Certificates where they are named, else the token. Throws CannotStart where there is neither. */
export function clusterTrust(files: ClusterFiles): Trust {
  const certificate = clusterCertificate(files)
  return certificate === undefined ? { token: clusterToken() } : { files: certificate }
}

/**
 * What the files hold whenever it is asked: new ones take the place of the old, unless they cannot be used. Undefined: none are named.
 * Throws CannotStart where they cannot be used now.
 */
export function clusterCertificate(files: ClusterFiles): (() => ClusterCertificate) | undefined {
  if (files.clusterCa === '' && files.clusterCert === '' && files.clusterKey === '') return undefined
  const first = readClusterCertificate(files)
  if ('faults' in first) {
    const said = first.faults.map(({ of, rule }) => `${optionOf(of)} ${JSON.stringify(files[of])}: ${rule}`)
    throw new CannotStart(said.join('; '))
  }
  let inForce = first
  return () => {
    const read = readClusterCertificate(files)
    if (!('faults' in read)) inForce = read
    return inForce
  }
}

/** Throws CannotStart where there is none. */
function clusterToken(): string {
  const token = process.env['TIDEMARK_CLUSTER_TOKEN'] ?? ''
  if (token.length >= charactersMin) return token
  throw new CannotStart(
    `TIDEMARK_CLUSTER_TOKEN: must have ${charactersMin} characters or more, the same for all cores and gateways of the venue; or name --cluster-ca, --cluster-cert and --cluster-key`,
  )
}
