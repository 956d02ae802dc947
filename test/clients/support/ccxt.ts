/**
 * ccxt as anybody would point it at a venue: class bitget, every address of it replaced, nothing else.
 *
 * Modes    `classic` speaks v2, `uta` speaks v3; without a key one has to say which
 */
import ccxt, { type bitget } from 'ccxt'
import type { Key } from '../../support/person.ts'
import type { Venue } from '../../support/venue.ts'

export const ccxtModes = ['classic', 'uta'] as const

export function ccxtAt(venue: Venue, mode: (typeof ccxtModes)[number], key?: Key): bitget {
  const credentials = key && { apiKey: key.apiKey, secret: key.secret, password: key.passphrase }
  const exchange = new ccxt.bitget({ ...credentials, options: { uta: mode === 'uta' } })
  const addresses = exchange.urls['api'] as Record<string, unknown>
  for (const [name, address] of Object.entries(addresses)) {
    if (typeof address === 'string') addresses[name] = venue.url
  }
  return exchange
}
