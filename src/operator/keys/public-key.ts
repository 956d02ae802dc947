/**
 * Public keys that clients give in place of a secret: what is taken, and why something is not.
 *
 * Taken    one PEM block of a public key: RSA of 2,048 to 16,384 bits with an odd exponent above 1, or Ed25519
 * Refused  a private key, although a public one could be made of it: whoever sent it should learn that it went out
 * Source   wire/auth.md §1; NIST SP 800-131A (RSA below 2,048 bits is no longer good for signatures)
 */
import { createPublicKey, type KeyObject } from 'node:crypto'

const rsaBitsMin = 2048
/** OpenSSL verifies nothing with more. */
const rsaBitsMax = 16_384

export const publicKeyRule = `an RSA or Ed25519 public key as PEM, RSA of at least ${rsaBitsMin} bits, and no private key`

/** Which signatures it verifies, or in words why none are taken. */
export type JudgedKey = { readonly kind: 'rsa' | 'ed25519' } | { readonly fault: string }

const publicBlock = /^\s*-----BEGIN (?<what>(?:RSA )?PUBLIC KEY)-----[A-Za-z0-9+/=\s]+-----END \k<what>-----\s*$/

export function judgePublicKey(pem: string): JudgedKey {
  if (/PRIVATE KEY-----/.test(pem)) return { fault: 'it is a private key' }
  if (!publicBlock.test(pem)) return { fault: 'it is no public key as PEM' }
  let key: KeyObject
  try {
    key = createPublicKey(pem)
  } catch {
    return { fault: 'it is no public key as PEM' }
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key
  if (type === 'ed25519') return { kind: 'ed25519' }
  if (type !== 'rsa') return { fault: `it is of the type ${type}, not RSA or Ed25519` }
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = details
  if (bits < rsaBitsMin) return { fault: `RSA of ${bits} bits, at least ${rsaBitsMin} are needed` }
  if (bits > rsaBitsMax) return { fault: `RSA of ${bits} bits, at most ${rsaBitsMax} can be used` }
  // With an exponent of 1 a signature is what anybody can write.
  if (exponent < 3n || exponent % 2n === 0n)
    return { fault: `RSA with the exponent ${exponent}, it must be odd and above 1` }
  return { kind: 'rsa' }
}
