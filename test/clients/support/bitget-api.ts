/**
 * bitget-api as anybody would point it at a venue: its clients of both versions, with another base URL.
 */
import { RestClientV2, RestClientV3 } from 'bitget-api'
import { expect } from 'vitest'
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

/** The data of an answer that bitget-api took for a success. */
export async function dataOf<Data>(answer: Promise<{ code: string; data: Data }>): Promise<Data> {
  const { code, data } = await answer
  expect(code).toBe('00000')
  return data
}

/** bitget-api throws an object with the answer in it. */
export async function throwsCode(call: Promise<unknown>, code: string, httpStatus = 400): Promise<void> {
  const refusal = await call.then(
    () => 'an answer',
    (thrown: unknown) => thrown,
  )
  expect(refusal).toMatchObject({ code: httpStatus, body: { code, msg: expect.stringMatching(/./), data: null } })
}
