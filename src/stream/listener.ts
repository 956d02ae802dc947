/**
 * Sockets on the venue's own HTTP port: who may open one, and on which paths.
 *
 * Paths     /v2/ws/public, /v2/ws/private, /v3/ws/public, /v3/ws/private; either word serves everything
 * Bounds    so many sockets of one address at a time; 300 openings of an address in five minutes, unless limits are off
 * Refused   with the envelope before anything is kept, a handshake that is none too
 * Source    wire/websocket.md §1, §7
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { ApiError, refuseSocket, type Version } from '../api/api.ts'
import type { StreamCounts } from './counts.ts'

const messageBytesMax = 65_536
const openingsMax = 300
const openingsMs = 300_000

export interface ListenerOptions {
  readonly clientAddress: (socketAddress: string, forwardedFor: string | undefined) => string
  readonly connectionsPerAddressMax: number
  readonly limited: boolean
  readonly counts: StreamCounts
  readonly now: () => number
  /** Milliseconds by which openings are counted; it may go back: they are counted anew then. */
  readonly clock: () => number
  /** False: no socket may be opened on this path. Silent: nobody is told so. */
  readonly mayOpen?: ((path: string) => boolean | 'silent') | undefined
  readonly onOpen: (socket: WebSocket, from: { readonly version: Version; readonly ip: string }) => void
}

/** Whether a path is one of those that sockets are opened on. */
export function isStreamPath(path: string): boolean {
  return versionOf(path) !== undefined
}

function versionOf(path: string): Version | undefined {
  const found = /^\/(v[23])\/ws\/(?:public|private)$/.exec(path)
  return found === null ? undefined : (found[1] as Version)
}

/** Openings of each address since a moment: plain data. */
export interface SavedOpenings {
  readonly openings: ReadonlyMap<string, number>
  readonly sinceMs: number
}

export class Listener {
  readonly #server: WebSocketServer
  readonly #options: ListenerOptions
  readonly #open = new Map<string, number>()
  #openings = new Map<string, number>()
  #openingsSinceMs: number
  #closed = false

  constructor(http: Server, options: ListenerOptions) {
    this.#options = options
    this.#openingsSinceMs = options.clock()
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      // The connection answers pings itself.
      autoPong: false,
      maxPayload: messageBytesMax,
    })
    this.#server.on('wsClientError', ({ message }, socket, request) => {
      this.#refuse(socket, handshakeFault(request, message), { 'sec-websocket-version': '13, 8' })
    })
    http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => this.#upgrade(request, socket, head))
  }

  /** Sockets that are open now are no part of it. */
  save(): SavedOpenings {
    return { openings: new Map(this.#openings), sinceMs: this.#openingsSinceMs }
  }

  restore({ openings, sinceMs }: SavedOpenings): void {
    this.#openings = new Map(openings)
    this.#openingsSinceMs = sinceMs
  }

  close(): void {
    this.#closed = true
    this.#server.close()
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    const version = versionOf((request.url ?? '').split('?', 1)[0] ?? '')
    if (version === undefined) return this.#refuse(socket, new ApiError('40404', [], 404))
    const mayOpen = this.#options.mayOpen?.(request.url ?? '') ?? true
    if (!this.#closed && mayOpen === 'silent') return
    if (this.#closed || mayOpen === false) return this.#refuse(socket, new ApiError('40015', [], 503))
    const forwardedFor = request.headers['x-forwarded-for']
    const { clientAddress, counts, onOpen } = this.#options
    const ip = clientAddress(
      request.socket.remoteAddress ?? '',
      typeof forwardedFor === 'string' ? forwardedFor : undefined,
    )
    if (!this.#mayOpen(ip)) {
      counts.connectionsRefused += 1
      return this.#refuse(socket, new ApiError('429', [], 429))
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      this.#count(ip, 1)
      counts.connectionsOpened += 1
      opened.on('close', () => this.#count(ip, -1))
      onOpen(opened, { version, ip })
    })
  }

  #refuse(socket: Duplex, error: ApiError, headers: Readonly<Record<string, string>> = {}): void {
    refuseSocket(socket, error, this.#options.now(), headers)
  }

  #mayOpen(ip: string): boolean {
    const { connectionsPerAddressMax, limited, clock } = this.#options
    if ((this.#open.get(ip) ?? 0) >= connectionsPerAddressMax) return false
    if (!limited) return true
    const now = clock()
    if (now - this.#openingsSinceMs >= openingsMs || now < this.#openingsSinceMs) {
      this.#openings = new Map()
      this.#openingsSinceMs = now
    }
    const openings = (this.#openings.get(ip) ?? 0) + 1
    this.#openings.set(ip, openings)
    return openings <= openingsMax
  }

  #count(ip: string, change: 1 | -1): void {
    const open = (this.#open.get(ip) ?? 0) + change
    if (open === 0) this.#open.delete(ip)
    else this.#open.set(ip, open)
    this.#options.counts.connections += change
  }
}

function handshakeFault({ method = '' }: IncomingMessage, message: string): ApiError {
  return method === 'GET' ? new ApiError('40017', [message]) : new ApiError('40404', [`for ${method}`], 405)
}
