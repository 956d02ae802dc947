/**
 * A certificate and its key, as two files say them: whether they can be used, and until when.
 *
 * Right    a PEM file with the venue's own certificate first, those who vouch for it behind it; a PEM file with its private
 *          key, which is not encrypted
 * Time     a certificate whose time is over, or has not begun, is used all the same: the venue would be of less use without
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Certificate } from '../../http/http.ts'

/** Both, or neither: then the venue has no TLS. */
export interface CertificateFiles {
  readonly tlsCert: string
  readonly tlsKey: string
}

export interface CertificateFault {
  readonly of: keyof CertificateFiles
  readonly rule: string
}

export interface CertificateRead extends Certificate {
  readonly expiresAt: Date
  /** What clients will not like about it, in a sentence each. */
  readonly warnings: readonly string[]
}

/** The certificate, or all that keeps it from being used. */
export function readCertificate(
  { tlsCert, tlsKey }: CertificateFiles,
  now = new Date(),
): CertificateRead | { readonly faults: readonly CertificateFault[] } {
  const faults: CertificateFault[] = []
  const refuse = (of: keyof CertificateFiles, rule: string) => {
    faults.push({ of, rule })
  }
  const read = <T>(of: keyof CertificateFiles, file: string, parse: (text: string) => T): T | undefined => {
    try {
      return parse(textOf(file))
    } catch (cause) {
      refuse(of, cause instanceof Error ? cause.message : String(cause))
      return undefined
    }
  }
  const certificates = read('tlsCert', tlsCert, certificatesIn)
  const key = read('tlsKey', tlsKey, keyIn)
  if (certificates === undefined || key === undefined) return { faults }
  const [own] = certificates
  const pair = {
    cert: certificates.map((certificate) => certificate.toString()).join(''),
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
  if (!own.checkPrivateKey(key)) refuse('tlsKey', 'must belong to the first certificate of --tls-cert')
  else {
    try {
      createSecureContext(pair)
    } catch (cause) {
      refuse('tlsCert', `cannot be used: ${(cause as Error).message}`)
    }
  }
  if (faults.length > 0) return { faults }
  return { ...pair, expiresAt: own.validToDate, warnings: certificates.flatMap((one) => warningsOf(one, tlsCert, now)) }
}

export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new Error(code === 'ENOENT' ? 'there is no such file' : `cannot be read: ${message}`, { cause })
  }
}

export function certificatesIn(text: string): [X509Certificate, ...X509Certificate[]] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  const [own, ...others] = blocks.map((block, index) => {
    try {
      return new X509Certificate(block)
    } catch (cause) {
      throw new Error(`certificate ${index + 1} in it is damaged`, { cause })
    }
  })
  if (own === undefined) throw new Error('must be a certificate as PEM')
  return [own, ...others]
}

export function keyIn(text: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch (cause) {
    const isEncrypted = text.includes('ENCRYPTED')
    throw new Error(isEncrypted ? 'must not be encrypted' : 'must be a private key as PEM', { cause })
  }
}

function warningsOf({ subject, validFromDate, validToDate }: X509Certificate, file: string, now: Date): string[] {
  const named = `the certificate ${subject.replaceAll('\n', ', ')} of ${file}`
  if (validToDate < now) return [`${named} has expired on ${validToDate.toISOString()}`]
  return validFromDate > now ? [`${named} is not valid before ${validFromDate.toISOString()}`] : []
}
