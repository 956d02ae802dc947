/**
 * Who may: the token of the operator's interface, kept in the session storage of this tab alone, which ends with it.
 */
import { effect, signal } from '@preact/signals'
import { faultText, isUnreachable, read, token } from './operator.ts'
import type { Status } from './records.ts'

const keptAs = 'tidemark.operator-token'

export const signInFault = signal('')
export const signingIn = signal(false)
/** The token was right. */
export const signedIn = signal(false)

/** Given back, or refused since: nothing of it stays. */
effect(() => {
  if (token.value !== '' || !signedIn.peek()) return
  signedIn.value = false
  sessionStorage.removeItem(keptAs)
})

export async function signIn(given: string): Promise<void> {
  signingIn.value = true
  signInFault.value = ''
  token.value = given
  try {
    await read<Status>('status')
    sessionStorage.setItem(keptAs, given)
    signedIn.value = true
  } catch (error) {
    token.value = ''
    signInFault.value = faultText(error)
    if (!isUnreachable(error)) sessionStorage.removeItem(keptAs)
  } finally {
    signingIn.value = false
  }
}

export function signOut(): void {
  token.value = ''
}

/** After the page was loaded anew in the same tab. */
export async function resume(): Promise<void> {
  const kept = sessionStorage.getItem(keptAs)
  if (kept !== null) await signIn(kept)
}
