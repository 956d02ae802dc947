/**
 * Sealing of key secrets: what lies on disk is useless without the master key.
 *
 * Cipher  AES-256-GCM; a sealed text is nonce (12 bytes), tag (16), ciphertext; the nonce is random and never reused
 * Bound   to the name it was sealed for: a sealed secret moved to another key does not open
 * Key     TIDEMARK_MASTER_KEY, else <data>/master.key (0600), 64 hexadecimal digits, made at first start
 * Source  reliability.md S5
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { CannotStart, secretFile } from '../data-directory.ts'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export const masterKeyRule = 'must hold 64 hexadecimal digits'

export function isMasterKey(text: string): boolean {
  return /^[0-9a-fA-F]{64}$/.test(text)
}

export class Seal {
  readonly #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  close(text: string, boundTo: string): Buffer {
    const nonce = randomBytes(nonceBytes)
    const closing = createCipheriv(cipher, this.#key, nonce).setAAD(Buffer.from(boundTo))
    const sealed = Buffer.concat([closing.update(text, 'utf8'), closing.final()])
    return Buffer.concat([nonce, closing.getAuthTag(), sealed])
  }

  /** Undefined: sealed under another master key, for another name, or damaged. */
  open(sealed: Uint8Array, boundTo: string): string | undefined {
    const nonce = sealed.subarray(0, nonceBytes)
    const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes)
    if (tag.length !== tagBytes) return undefined
    const opening = createDecipheriv(cipher, this.#key, nonce, { authTagLength: tagBytes })
    opening.setAAD(Buffer.from(boundTo)).setAuthTag(tag)
    try {
      const text = Buffer.concat([opening.update(sealed.subarray(nonceBytes + tagBytes)), opening.final()])
      return text.toString('utf8')
    } catch {
      return undefined
    }
  }
}

export function masterSeal(file: string, fromEnvironment: string | undefined): Seal {
  const given = fromEnvironment !== undefined && fromEnvironment !== ''
  const key = given ? fromEnvironment : secretFile(file, () => randomBytes(32).toString('hex'))
  if (!isMasterKey(key)) {
    const advice = given ? '' : '; restore it from a backup, or put it away: then it counts as lost'
    throw new CannotStart(`${given ? 'TIDEMARK_MASTER_KEY' : file} ${masterKeyRule}${advice}`)
  }
  return new Seal(Buffer.from(key, 'hex'))
}
