/**
 * What the reference gives as examples runs as it stands on a demo venue: every read, and every body.
 *
 * Left out  calls that name a thing which somebody has made before (an order, a plan, a sub-account): they have no example
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { startVenue, type Venue } from '../support/venue.ts'

let venue: Venue
let speakers: Readonly<Record<'v2' | 'v3', Person>>

beforeAll(async () => {
  venue = await startVenue({ simulator: true })
  speakers = { v2: venue.as('classic-main'), v3: venue.as('unified-main') }
})

afterAll(async () => {
  await venue?.remove()
})

interface Parameter {
  readonly name: string
  readonly required: boolean
  readonly example?: unknown
}
interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: object } } }
}

async function operations(method: 'get' | 'post'): Promise<(readonly [path: string, operation: Operation])[]> {
  const answer = await fetch(`${venue.url}/api/openapi.json`)
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, { [method]: operation }]) =>
    operation === undefined ? [] : [[path, operation] as const],
  )
}

const speakerOf = (path: string) => {
  if (path.startsWith('/api/v2/broker/')) return venue.as('broker-main')
  const isOfSubAccounts = /sub-?account/.test(path)
  return speakers[path.startsWith('/api/v2/') && !isOfSubAccounts ? 'v2' : 'v3']
}

/** They ask for an order that somebody has placed. */
const afterAnOrder = [
  '/api/v3/trade/order-info',
  '/api/v2/mix/order/detail',
  '/api/v2/mix/order/plan-sub-order',
  '/api/v2/spot/trade/orderInfo',
  '/api/v2/spot/trade/plan-sub-order',
]

test('every read whose parameters have examples answers', async () => {
  const refused: string[] = []
  const bare: string[] = []
  for (const [path, { parameters = [] }] of await operations('get')) {
    if (afterAnOrder.includes(path)) continue
    if (parameters.some(({ required, example }) => required && example === undefined)) {
      bare.push(path)
      continue
    }
    const given = parameters.filter(({ example }) => example !== undefined)
    const query = new URLSearchParams(
      given.map(({ name, example }): [string, string] => [name, String(example)]),
    ).toString()
    const { code, text } = await speakerOf(path).get(`${path}${query === '' ? '' : `?${query}`}`)
    if (code !== '00000') refused.push(`${path}?${query}: ${text}`)
  }
  expect({ refused, bare }).toEqual({ refused: [], bare: [] })
})

/** Where there is a position they close it or turn it round, and else they say that there is none. */
const ofAPosition = [
  '/api/v3/trade/close-positions',
  '/api/v2/mix/order/close-positions',
  '/api/v2/mix/order/click-backhand',
]

test('every body that is given as an example is taken', async () => {
  const refused: string[] = []
  let count = 0
  for (const [path, { requestBody }] of await operations('post')) {
    const example = requestBody?.content['application/json'].example
    if (example === undefined) continue
    count++
    const { code, text } = await speakerOf(path).post(path, example)
    if (code === '22002' && ofAPosition.includes(path)) continue
    if (code !== '00000') refused.push(`${path} ${JSON.stringify(example)}: ${text}`)
  }
  expect(refused).toEqual([])
  expect(count).toBeGreaterThan(15)
})
