/**
 * Who may: the token of the operator's interface, kept in the session storage of this tab alone, which ends with it. The name
 * that the operator gives is kept there, too.
 */
import { effect, signal } from '@preact/signals'
import { keepLabToken } from '../venue/lab.ts'
import { faultText, isLabDesk, isUnreachable, operatorName, read, token } from './operator.ts'
import type { Status } from './records.ts'

const keptAs = 'tidemark.operator-token'
const nameKeptAs = 'tidemark.operator-name'

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

export async function signIn(given: string, name: string): Promise<void> {
  signingIn.value = true
  signInFault.value = ''
  token.value = given
  operatorName.value = name
  try {
    await read<Status>('status')
    sessionStorage.setItem(keptAs, given)
    sessionStorage.setItem(nameKeptAs, name)
    if (isLabDesk) keepLabToken(given)
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

/** The token of a laboratory that was told none. */
const labToken = 'dev'

/** After the page was loaded anew in the same tab. A laboratory's desk tries the token that it has unless told otherwise. */
export async function resume(): Promise<void> {
  const kept = sessionStorage.getItem(keptAs)
  const given = kept ?? (isLabDesk ? labToken : null)
  const name = sessionStorage.getItem(nameKeptAs) ?? ''
  if (given !== null) await signIn(given, name)
  if (kept === null) signInFault.value = ''
}
