/**
 * What may stand around the calls of a venue: a laboratory puts itself between a client and the venue here. Without one
 * nothing is in the way.
 *
 * Order     a request is read → `request` (or `call`, for an order over a socket) → edge → its commands pass `Inside.core`
 *           → the answer comes back the same way → it leaves (Outgoing.deliver)
 * Beside    pages and unknown paths are told, and nothing stands in their way: they count against their address
 * Inside    what the call asks: whoever stands around it may pass on another core, history or market
 * Cheap     while `isActive` is false no call is turned aside
 * Source    lab.md §4.5 to §4.8, §6
 */
import type { History } from '../history/history.ts'
import type { FaultyRequest, IncomingRequest, Outgoing } from '../http/http.ts'
import type { Market } from '../market/market.ts'
import type { Core } from '../runtime/core.ts'
import type { Endpoint } from './endpoint.ts'
import type { ApiKey } from './keys/keys.ts'

/** As much of a socket as a call has to know. */
interface CallingSocket {
  readonly id: number
  terminate(): void
}

/** Who is asking, where that was found out before. */
export interface Caller {
  readonly key: ApiKey
  readonly ip: string
  /** The socket that it came over. */
  readonly socket?: CallingSocket
  /** Of the broker that the call came through. */
  readonly channelCode?: string
}

/** What a call asks of the venue. */
export interface Inside {
  readonly core: Core
  readonly history: History
  readonly market: Market
  /** Milliseconds that the clocks by which signatures are judged go ahead; absent: none. */
  readonly clockAhead?: number | undefined
}

/** A request to an endpoint, read and not judged yet. */
export interface AskedByRequest {
  readonly endpoint: Endpoint
  readonly request: IncomingRequest
}

/** An order over a socket, from somebody who has logged in. */
export interface AskedBySocket {
  readonly endpoint: Endpoint
  readonly caller: Caller
  readonly input: unknown
}

/** A request that reached no endpoint: for a page, or for what there is not. */
export interface AskedBeside {
  readonly kind: 'page' | 'path-unknown' | 'method-not-allowed'
  /** The path, or the method that there is not. */
  readonly named: string
  readonly request: FaultyRequest
}

export interface Around {
  readonly isActive: boolean
  /** Whether a request wants to be turned aside though nothing is active. */
  isAsked(request: IncomingRequest): boolean
  beside(asked: AskedBeside): void
  request(asked: AskedByRequest, inside: Inside, serve: (inside: Inside) => Promise<Outgoing>): Promise<Outgoing>
  /** Resolves with the data of the answer, or rejects with an ApiError. */
  call(asked: AskedBySocket, inside: Inside, serve: (inside: Inside) => Promise<unknown>): Promise<unknown>
}
