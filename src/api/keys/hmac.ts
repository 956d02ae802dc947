/**
 * HMAC-SHA256 of many messages under one secret (RFC 2104):
 *
 *   H(secret ⊕ opad, H(secret ⊕ ipad, message))     a secret longer than a block counts as its hash
 *
 * Why   the hash is node:crypto's. Its own HMAC makes a stream of every message and looks its algorithm up again, which is
 *       a twentieth of all that a bare server does for a signed order (docs/performance.md)
 * Kept  what the secret is mixed into lies in buffers of this file alone, never in the pool that all buffers share
 */
import { hash } from 'node:crypto'

const blockBytes = 64
const hashBytes = 32
/** Larger messages get a buffer of their own. */
const scratch = Buffer.allocUnsafeSlow(16 * 1024)

export class HmacSha256 {
  readonly #inner: Buffer
  readonly #outer: Buffer

  constructor(secret: string) {
    const bytes = Buffer.from(secret, 'utf8')
    const key = bytes.length > blockBytes ? hash('sha256', bytes, 'buffer') : bytes
    this.#inner = padded(key, 0x36)
    // The inner hash goes behind it.
    this.#outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(hashBytes)])
  }

  /** Of a text in UTF-8 and the bytes behind it, as base64. */
  digest(text: string, bytes: Uint8Array | undefined): string {
    const mostBytes = blockBytes + 3 * text.length + (bytes?.length ?? 0)
    const message = mostBytes <= scratch.length ? scratch : Buffer.allocUnsafeSlow(mostBytes)
    message.set(this.#inner)
    let end = blockBytes + message.write(text, blockBytes, 'utf8')
    if (bytes !== undefined) {
      message.set(bytes, end)
      end += bytes.length
    }
    this.#outer.set(hash('sha256', message.subarray(0, end), 'buffer'), blockBytes)
    return hash('sha256', this.#outer, 'base64')
  }
}

/** A block of the key and zeros, each byte of it mixed with one. */
function padded(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.allocUnsafeSlow(blockBytes).fill(pad)
  for (const [index, byte] of key.entries()) block[index] = byte ^ pad
  return block
}
