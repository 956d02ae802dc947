/**
 * ccxt as anybody would point it at a venue: class bitget, every address of it replaced, nothing else.
 *
 * Modes    `classic` speaks v2, `uta` speaks v3; without a key one has to say which
 */
import ccxt, { type bitget } from 'ccxt'
import type { Key } from '../../support/person.ts'
import type { Venue } from '../../support/venue.ts'

export const ccxtModes = ['classic', 'uta'] as const

type Mode = (typeof ccxtModes)[number]

export function ccxtAt(venue: Venue, mode: Mode, key?: Key): bitget {
  return pointed(new ccxt.bitget({ ...credentials(key), options: { uta: mode === 'uta' } }), venue)
}

interface Watching {
  readonly mode: Mode
  readonly defaultType: 'spot' | 'swap'
  readonly key?: Key | undefined
  /** Has loaded the markets already. */
  readonly marketsOf?: bitget
}

/** The same with its sockets (ccxt.pro), for one type of market; ready to watch. */
export async function ccxtWatching(venue: Venue, watching: Watching): Promise<bitget> {
  const { mode, defaultType, key, marketsOf } = watching
  const options = { uta: mode === 'uta', defaultType }
  const exchange = pointed(new ccxt.pro.bitget({ ...credentials(key), options }), venue)
  const address = venue.url.replace('http', 'ws')
  const sockets = {
    public: `${address}/v2/ws/public`,
    private: `${address}/v2/ws/private`,
    utaPublic: `${address}/v3/ws/public`,
    utaPrivate: `${address}/v3/ws/private`,
  }
  Object.assign(exchange.urls['api'] as object, { ws: sockets })
  await exchange.loadHttpProxyAgent() // what plain ws:// takes
  if (marketsOf === undefined) await exchange.loadMarkets()
  else exchange.setMarketsFromExchange(marketsOf)
  return exchange
}

function credentials(key: Key | undefined) {
  return key && { apiKey: key.apiKey, secret: key.secret, password: key.passphrase }
}

function pointed(exchange: bitget, venue: Venue): bitget {
  const addresses = exchange.urls['api'] as Record<string, unknown>
  for (const [name, address] of Object.entries(addresses)) {
    if (typeof address === 'string') addresses[name] = venue.url
  }
  return exchange
}
