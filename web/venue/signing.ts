/**
 * Signatures of requests and logins with WebCrypto: base64 of HMAC-SHA256, the secret imported once and never readable
 * again.
 *
 * Source  wire/auth.md §1, §6
 */

export interface Credentials {
  readonly apiKey: string
  readonly secret: string
  readonly passphrase: string
}

export type Signer = (text: string) => Promise<string>

export async function signerOf(secret: string): Promise<Signer> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign'])
  return async (text) => {
    const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)))
    return btoa(String.fromCharCode(...bytes))
  }
}

export interface RequestToSign {
  readonly timestamp: string
  readonly method: 'GET' | 'POST'
  /** Path with its query, exactly as it is sent. */
  readonly target: string
  readonly body: string
}

export function requestText({ timestamp, method, target, body }: RequestToSign): string {
  return timestamp + method + target + body
}

export function loginText(timestamp: string): string {
  return `${timestamp}GET/user/verify`
}
