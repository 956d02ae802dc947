/**
 * Addresses and address ranges, as keys and trusted proxies are bound to them: `192.0.2.7`, `2001:db8::1`, `10.0.0.0/8`.
 */
import { isIP } from 'node:net'

export function isAddressRange(text: string): boolean {
  const slash = text.indexOf('/')
  if (slash < 0) return isIP(text) !== 0
  const version = isIP(text.slice(0, slash))
  const prefix = text.slice(slash + 1)
  return version !== 0 && /^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}

/** Whether only this machine can reach a listener on that host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
