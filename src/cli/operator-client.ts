/**
 * The command line's way to a running venue: finds it by its data directory and calls the operator interface.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A call that did not succeed, in one line for whoever typed it. */
export class CallFailed extends Error {
  override name = 'CallFailed'
}

/** Nobody is there to be called. */
export class NoVenue extends CallFailed {
  override name = 'NoVenue'
}

export async function callOperator(data: string, method: string, path: string, sent: object): Promise<unknown> {
  const { operatorUrl } = runningVenue(data)
  const url = new URL(path, operatorUrl)
  const headers: Record<string, string> = { authorization: `Bearer ${operatorToken(data)}` }
  let body: string | undefined
  if (method === 'GET') {
    for (const [name, value] of Object.entries(sent)) if (value !== undefined) url.searchParams.set(name, String(value))
  } else {
    headers['content-type'] = 'application/json'
    body = JSON.stringify(sent)
  }
  let answered: { ok: boolean; data?: unknown; error?: { code: string; message: string } }
  try {
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
    answered = (await response.json()) as typeof answered
  } catch (cause) {
    throw new NoVenue(`the venue in ${data} does not answer at ${operatorUrl}`, { cause })
  }
  if (answered.ok) return answered.data
  throw new CallFailed(`${answered.error?.code}: ${answered.error?.message}`)
}

/** Where the venue of a directory listens. */
export function runningVenue(data: string): { readonly url: string; readonly operatorUrl: string } {
  const text = venueFile(data, 'server.json')
  try {
    return JSON.parse(text) as { url: string; operatorUrl: string }
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
