/**
 * Signs what a recording plays, with the keys of the venue that plays it.
 *
 * Unknown   a key that is not there signs nothing: the call is refused, as nobody's
 */
import { createHmac } from 'node:crypto'
import type { KeyStore } from '../../api/api.ts'
import type { RequestRow, Signed } from './rows.ts'

export function signedHeaders(
  keys: KeyStore,
  { headers, method, target, body }: Pick<RequestRow, 'headers' | 'method' | 'target' | 'body'>,
  { apiKey, timestamp }: Signed,
): Record<string, string> {
  const { secret = '', passphrase = '' } = keys.find(apiKey) ?? {}
  return {
    ...headers,
    'access-key': apiKey,
    'access-sign': signature(secret, timestamp + method + target + (body ?? '')),
    'access-timestamp': timestamp,
    'access-passphrase': passphrase,
  }
}

export function loginMessage(keys: KeyStore, { apiKey, timestamp }: Signed): string {
  const { secret = '', passphrase = '' } = keys.find(apiKey) ?? {}
  const sign = signature(secret, `${timestamp}GET/user/verify`)
  return JSON.stringify({ op: 'login', args: [{ apiKey, passphrase, timestamp, sign }] })
}

function signature(secret: string, message: string): string {
  return createHmac('sha256', secret).update(message).digest('base64')
}
