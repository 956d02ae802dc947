/**
 * Ports of loopback that are free, for servers that have to be told theirs before they start.
 *
 * Where     below the ports that systems give to outgoing connections and to who asks for any: nobody takes one between its
 *           choice and its use, nor while a server that is to come back there is away
 * Workers   each begins elsewhere, and none takes a port twice before it has had all of them
 */
import { once } from 'node:events'
import { createServer } from 'node:net'

const [first, count] = [10_000, 20_000]
/** A prime: the identifiers of workers are neighbours, and their places are not. */
let next = (process.pid * 7_919) % count

export async function freePorts(wanted: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < wanted) {
    const port = first + next
    next = (next + 1) % count
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}
