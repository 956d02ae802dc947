/**
 * How an act is carried out: for the account that is signed in, once, and how it ended is told in a notice.
 *
 * Repeating  nothing is repeated by itself
 * Names      every order has a `clientOid` of its own, so that nothing can be placed twice by one press
 * Once       a browser sends anew what a connection lost. A name that is used once and is there already was taken the first time
 * Unknown    where nobody knows what came of it, the notice says so
 */
import { notify } from '../store/notices.ts'
import { session } from '../store/session.ts'
import type { Account } from '../venue/account.ts'
import { toldOf, VenueError } from '../venue/rest.ts'
import { t } from '../words/words.ts'

/** Letters and digits, at most 32, never twice. */
export function newName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return `web-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Sends what has a name of its own; undefined: it had come through before, and its first answer was lost. */
export async function sentOnce<T>(send: () => Promise<T>): Promise<T | undefined> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof VenueError && error.isRepeated) return undefined
    throw error
  }
}

/** Runs it for whoever is signed in; true when it went well. */
export async function carryOut(
  failed: string,
  run: (account: Account) => Promise<string | undefined>,
): Promise<boolean> {
  const account = session.value?.account
  if (account === undefined) return false
  try {
    const said = await run(account)
    if (said !== undefined) notify('good', said)
    return true
  } catch (error) {
    notifyFailure(failed, error)
    return false
  }
}

/** What the venue refused and what to do about it; where nobody knows, the title does not say that it did. */
function notifyFailure(failed: string, error: unknown): void {
  const { text, code } = toldOf(error)
  const isUnknown = error instanceof VenueError && error.isUnknown
  const title = isUnknown ? t.told.perhaps(failed) : failed
  const advice = isUnknown ? t.told.unknown : ''
  notify('bad', title, text + advice, { code })
}
