/**
 * The command line's way to a running venue: finds it by its data directory and calls the operator interface.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CallFailed, exchangeJson, NoVenue } from './venue-address.ts'

export async function callOperator(data: string, method: string, path: string, sent: object): Promise<unknown> {
  const { operatorUrl, certificate } = runningVenue(data)
  const headers: Record<string, string> = { authorization: `Bearer ${operatorToken(data)}` }
  const operator = process.env['TIDEMARK_OPERATOR']
  if (operator) headers['x-operator'] = encodeURIComponent(operator)
  const query = new URLSearchParams()
  let body: string | undefined
  if (method === 'GET') {
    for (const [name, value] of Object.entries(sent)) if (value !== undefined) query.set(name, String(value))
  } else {
    headers['content-type'] = 'application/json'
    body = JSON.stringify(sent)
  }
  const target = query.size === 0 ? path : `${path}?${query.toString()}`
  const answered = (await exchangeJson(
    { url: operatorUrl, certificate },
    { method, target, headers, body },
    `the venue in ${data} does not answer at ${operatorUrl}`,
  )) as { ok: boolean; data?: unknown; error?: { code: string; message: string } }
  if (answered.ok) return answered.data
  throw new CallFailed(`${answered.error?.code}: ${answered.error?.message}`)
}

export interface RunningVenue {
  readonly url: string
  readonly operatorUrl: string
  /** PEM of what its https addresses show. */
  readonly certificate?: string
}

/** Where the venue of a directory listens. */
export function runningVenue(data: string): RunningVenue {
  const text = venueFile(data, 'server.json')
  try {
    return JSON.parse(text) as RunningVenue
  } catch (cause) {
    throw new CallFailed(`data directory ${data}: server.json: ${cause instanceof Error ? cause.message : ''}`, {
      cause,
    })
  }
}

function operatorToken(data: string): string {
  return venueFile(data, 'operator-token').trim()
}

function venueFile(data: string, name: string): string {
  try {
    return readFileSync(join(data, name), 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new NoVenue(`data directory ${data}: no venue is running there`, { cause })
    }
    throw new CallFailed(`data directory ${data}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
