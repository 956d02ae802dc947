/**
 * The command line's way to a running venue: finds it by its data directory and calls the operator interface.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A call that did not succeed, in one line for whoever typed it. */
export class CallFailed extends Error {
  override name = 'CallFailed'
}

export async function callOperator(data: string, method: string, path: string, sent: object): Promise<unknown> {
  const { operatorUrl, token } = runningVenue(data)
  const url = new URL(path, operatorUrl)
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
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
    throw new CallFailed(`the venue in ${data} does not answer at ${operatorUrl}`, { cause })
  }
  if (answered.ok) return answered.data
  throw new CallFailed(`${answered.error?.code}: ${answered.error?.message}`)
}

function runningVenue(data: string): { readonly operatorUrl: string; readonly token: string } {
  try {
    const { operatorUrl } = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as { operatorUrl: string }
    return { operatorUrl, token: readFileSync(join(data, 'operator-token'), 'utf8').trim() }
  } catch (cause) {
    const absent = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const why = absent ? 'no venue is running there' : cause instanceof Error ? cause.message : String(cause)
    throw new CallFailed(`data directory ${data}: ${why}`, { cause })
  }
}
