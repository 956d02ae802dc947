/**
 * ccxt at a venue: its class for this interface, every address of it replaced, nothing else changed.
 *
 * Library  `ccxt`, or `ccxt.pro` for its sockets
 */
import type { Key } from './calls.ts'

/** Where a venue is: what `GET /_lab` says of itself. */
export interface Addresses {
  readonly url: string
  readonly ws: {
    readonly v2: { readonly public: string; readonly private: string }
    readonly v3: { readonly public: string; readonly private: string }
  }
}

interface Pointable {
  readonly urls: { api: unknown }
  loadHttpProxyAgent?(): Promise<unknown>
}

/** An exchange of `library` that speaks to the venue with this key; `options` are those of its constructor. */
// oxlint-disable-next-line typescript/no-explicit-any -- the class is the caller's: ccxt is no dependency
export function ccxtAt(library: unknown, venue: Addresses, key: Key, options: object = {}): any {
  const Exchange = (library as { readonly bitget?: new (settings: object) => Pointable } | undefined)?.bitget
  if (typeof Exchange !== 'function')
    throw new TypeError('library: ccxt or ccxt.pro is wanted, as in import ccxt from "ccxt"')
  const { apiKey, secret, passphrase } = key
  return pointAt(new Exchange({ apiKey, secret, password: passphrase, ...options }), venue)
}

/** Replaces every address of an exchange of ccxt. */
export function pointAt<Exchange extends Pointable>(exchange: Exchange, { url, ws }: Addresses): Exchange {
  const sockets: Readonly<Record<string, string>> = {
    public: ws.v2.public,
    private: ws.v2.private,
    utaPublic: ws.v3.public,
    utaPrivate: ws.v3.private,
  }
  const replaced = (addresses: object) =>
    Object.fromEntries(
      Object.entries(addresses).map(([name, address]) => [
        name,
        typeof address === 'string' ? url : { ...(address as object), ...sockets },
      ]),
    )
  exchange.urls.api = replaced(exchange.urls.api as object)
  // For plain ws:// it wants its agent before the first socket.
  void exchange.loadHttpProxyAgent?.()
  return exchange
}
