/**
 * Certificates for tests, made here: no tool has to be on the machine, and each may be as wrong as a test wants it.
 *
 * Form      X.509 v3 in DER (RFC 5280), ECDSA on P-256; signed by itself or by another that was made here
 */
import { generateKeyPairSync, type KeyObject, type KeyPairKeyObjectResult, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

export interface MadeCertificate {
  /** PEM. */
  readonly cert: string
  readonly key: string
  readonly name: string
  readonly privateKey: KeyObject
}

export interface CertificateWishes {
  readonly name?: string
  /** Host names and IPv4 addresses. */
  readonly names?: readonly string[]
  readonly from?: Date
  readonly until?: Date
  /** Who signs; absent: the certificate itself. */
  readonly by?: MadeCertificate
  /** Of another kind than P-256; only with `by`. */
  readonly keys?: KeyPairKeyObjectResult
}

const dayMs = 86_400_000

export function makeCertificate({
  name = 'localhost',
  names = ['localhost', '127.0.0.1'],
  from = new Date(Date.now() - dayMs),
  until = new Date(Date.now() + 30 * dayMs),
  by,
  keys = generateKeyPairSync('ec', { namedCurve: 'P-256' }),
}: CertificateWishes = {}): MadeCertificate {
  const { privateKey, publicKey } = keys
  const algorithm = sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const body = sequence(
    tagged(0xa0, integer(2)),
    tagged(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    algorithm,
    distinguished(by?.name ?? name),
    sequence(time(from), time(until)),
    distinguished(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      0xa3,
      sequence(
        extension('551d11', sequence(...names.map(alternative))), // subjectAltName
        extension('551d13', sequence(tagged(0x01, Buffer.from([0xff])))), // basicConstraints, cA
      ),
    ),
  )
  const signature = sign('sha256', body, by?.privateKey ?? privateKey)
  const der = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    name,
    privateKey,
  }
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'))
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]))
}

/** GeneralizedTime, `20260131235959Z`. */
function time(at: Date): Buffer {
  return tagged(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))
}

function distinguished(name: string): Buffer {
  return sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(name)))))
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), tagged(0x04, value))
}

function alternative(name: string): Buffer {
  return isIP(name) === 4 ? tagged(0x87, Buffer.from(name.split('.').map(Number))) : tagged(0x82, Buffer.from(name))
}
