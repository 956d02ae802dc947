/**
 * What a request is once its bytes are read, and what an answer is before it is written. No more is known here: who asks,
 * what for, and in which words it is answered is for those above.
 */

import type { Socket } from 'node:net'

export interface RequestHeaders {
  readonly [name: string]: string | string[] | undefined
}

/** As much of a request as there is before its body. */
export interface IncomingHead {
  readonly method: string
  /** Path and query as received. */
  readonly target: string
  readonly headers: RequestHeaders
  /** Of the connection that it came on; absent where it was a plain request. */
  readonly ends?: ConnectionEnds
}

/** Both ends of a connection. */
export interface ConnectionEnds {
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
}

export interface IncomingRequest extends IncomingHead {
  readonly body: Buffer | undefined
  readonly socketAddress: string
  /** Which connection it came over (connection-numbers.ts). */
  readonly connection: number
  /** What the client named its request, or we did; the answer repeats it. */
  readonly requestId: string
  /** Others came before it on its connection. */
  readonly isLater: boolean
}

export interface Outgoing {
  readonly httpStatus: number
  /** `content-type` where it is not JSON. */
  readonly headers: Readonly<Record<string, string>>
  /** Bytes are sent as they are, and never copied: many readers may share them. */
  readonly body: string | Buffer
  /**
   * Sends the answer in place of the server, all of it or what it likes: `bytes` is what the server would have sent, head and
   * body. It may end the connection; else the next request is read when it resolves.
   */
  readonly deliver?: (socket: Socket, bytes: Buffer) => Promise<void>
}

/** A method and a path, spelled as requests have to spell it. */
export interface HttpRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** HEAD is its GET without a body; else it is another method, which there is not. */
  readonly hasHead?: boolean
  /** It asks for headers that a plain request does not keep: it goes through node:http. */
  readonly needsWholeHead?: boolean | undefined
}

/** What is asked of those above. */
export interface Answering<R extends HttpRoute> {
  readonly routes: readonly R[]
  /** The answer to what there is no time for, before anything of it but its head was looked at; undefined: there is. */
  readonly refuse: (head: IncomingHead) => Outgoing | undefined
  /** Whether this request may wait for all others (turn-share.ts); the route where it was found already. */
  readonly mayWait: (head: IncomingHead, route?: R) => boolean
  readonly answer: (route: R, request: IncomingRequest) => Promise<Outgoing>
  readonly onTrouble: (trouble: unknown, route: R | undefined, requestId: string) => void
}

export const bodyBytesMax = 1024 * 1024
export const contentType = 'application/json; charset=utf-8'
/** How long a connection is kept on which nothing is asked. */
export const keepAliveMs = 72_000

/** The value of a header that is there once. */
export function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function pathOf(target: string): string {
  const mark = target.indexOf('?')
  return mark < 0 ? target : target.slice(0, mark)
}
