/**
 * bitget-api as anybody would point it at a venue: its clients of both versions, with another base URL.
 */
import { RestClientV2, RestClientV3 } from 'bitget-api'
import type { Key } from '../../support/person.ts'
import type { Venue } from '../../support/venue.ts'

function options(venue: Venue, key?: Key) {
  const credentials = key && { apiKey: key.apiKey, apiSecret: key.secret, apiPass: key.passphrase }
  return { baseUrl: venue.url, ...credentials }
}

export function clientV2(venue: Venue, key?: Key): RestClientV2 {
  return new RestClientV2(options(venue, key))
}

export function clientV3(venue: Venue, key?: Key): RestClientV3 {
  return new RestClientV3(options(venue, key))
}
