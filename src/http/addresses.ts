/**
 * Client addresses: whether two texts mean the same address, and which address a request came from.
 *
 * IPv4      an IPv4 address inside IPv6 (`::ffff:1.2.3.4`, `::ffff:102:304`) is that IPv4 address
 * IPv6      one spelling of each: lower case, the shortest form, without a zone
 * Lists     a key's list may hold single addresses and networks (`10.0.0.0/8`)
 * Proxies   X-Forwarded-For counts only from configured proxies, read from its end to the first address that is none. A port
 *           behind an address is left away (`1.2.3.4:5678`, `[::1]:443`). What is no address ends the reading
 * Source    design.md §4.2, §4.38
 */
import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'

/** An address as it is compared: one spelling each. What is no address, or a network, stays as it is. */
export function canonicalAddress(text: string): string {
  const trimmed = text.trim().toLowerCase()
  if (!trimmed.includes(':')) return trimmed
  // As a listener on both families names every IPv4 client.
  if (trimmed.startsWith('::ffff:') && isIPv4(trimmed.slice(7))) return trimmed.slice(7)
  if (!isIPv6(trimmed)) return trimmed
  const { address } = new SocketAddress({ address: trimmed, family: 'ipv6' })
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

/** A hop of X-Forwarded-For without its port. */
function hopAddress(text: string): string {
  const [, bracketed, before] = /^\s*(?:\[([^\]]*)\](?::\d{1,5})?|([^:]*):\d{1,5})\s*$/.exec(text) ?? []
  return canonicalAddress(bracketed ?? before ?? text)
}

/** Whether an address is the one, or in the network, that a list entry names. */
export function sameAddress(entry: string, address: string): boolean {
  const listed = canonicalAddress(entry)
  if (listed === address) return true
  if ((!listed.includes('/') && !listed.includes(':')) || isIP(address) === 0) return false
  return networkOf([listed]).check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function networkOf(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = canonicalAddress(entry).split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    try {
      if (bits === undefined) list.addAddress(address, family)
      else list.addSubnet(address, Number(bits), family)
    } catch {
      // An entry that is no address matches nothing.
    }
  }
  return list
}

/** Finds the client's address of a request. */
export type AddressFinder = (socketAddress: string, forwardedFor: string | undefined) => string

export function addressFinder(proxies: readonly string[]): AddressFinder {
  if (proxies.length === 0) return (socketAddress) => canonicalAddress(socketAddress)
  const isProxy = proxyFinder(proxies)
  return (socketAddress, forwardedFor) => {
    let client = canonicalAddress(socketAddress)
    const hops = forwardedFor?.split(',').map(hopAddress) ?? []
    while (isProxy(client)) {
      const hop = hops.pop()
      if (hop === undefined || isIP(hop) === 0) break
      client = hop
    }
    return client
  }
}

/** Whether an address, as it is compared, is that of a configured proxy. */
export function proxyFinder(proxies: readonly string[]): (address: string) => boolean {
  if (proxies.length === 0) return () => false
  const trusted = networkOf(proxies)
  return (address) => isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
