/**
 * Whose process is at the other end of a connection from this machine, as Linux tells it (proc(5), /proc/net/tcp).
 *
 * Table   each line has the local address and port, those of the other end, and the user who opened the socket. The other end's
 *         own line has them the other way round. A socket of IPv6 that reached IPv4 stands in tcp6
 * Absent  systems without /proc/net/tcp do not tell
 */
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { endianness } from 'node:os'
import type { ConnectionEnds } from '../http/http.ts'

/** The user's number; 'unknown': no line is of this connection; undefined: the system does not tell. */
export async function peerUser(ends: ConnectionEnds): Promise<number | 'unknown' | undefined> {
  const tables = await Promise.all(['tcp', 'tcp6'].map(tableText))
  if (tables.every((text) => text === undefined)) return undefined
  const own = spelled(ends.localAddress, ends.localPort)
  const other = spelled(ends.remoteAddress, ends.remotePort)
  for (const text of tables) {
    for (const line of other.flatMap((from) => own.map((to) => `${from} ${to} `))) {
      const at = text?.indexOf(line) ?? -1
      // Behind both addresses: state, queues, timer, retransmits, user.
      if (at >= 0)
        return Number(
          text
            ?.slice(at + line.length, at + line.length + 80)
            .trim()
            .split(/\s+/)[4],
        )
    }
  }
  return 'unknown'
}

async function tableText(name: string): Promise<string | undefined> {
  return readFile(`/proc/net/${name}`, 'utf8').catch(() => undefined)
}

/** As the tables have it: an IPv4 address in both. */
function spelled(address = '', port = 0): string[] {
  const at = port.toString(16).toUpperCase().padStart(4, '0')
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address
  if (isIPv4(plain)) {
    const bytes = Buffer.from(plain.split('.').map(Number))
    const mapped = Buffer.concat([Buffer.alloc(10), Buffer.from([0xff, 0xff]), bytes])
    return [`${words(bytes)}:${at}`, `${words(mapped)}:${at}`]
  }
  return address === '::1' ? [`${words(Buffer.concat([Buffer.alloc(15), Buffer.from([1])]))}:${at}`] : []
}

/** Words of four bytes in the order of this machine. */
function words(bytes: Buffer): string {
  const swapped = endianness() === 'LE' ? Buffer.from(bytes).swap32() : bytes
  return swapped.toString('hex').toUpperCase()
}
