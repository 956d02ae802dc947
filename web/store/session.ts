/**
 * Who is signed in. The key is kept in the session storage of this tab alone and ends with it; the secret goes nowhere
 * but into the browser's own signing key.
 */
import { signal } from '@preact/signals'
import type { Account } from '../venue/account.ts'
import { openAccount as openVenueAccount } from '../venue/open-account.ts'
import { toldOf } from '../venue/rest.ts'
import type { Credentials } from '../venue/signing.ts'
import { closeAccount, openAccount } from './account.ts'
import { notify } from './notices.ts'
import { closeDialog } from './view.ts'

export interface Session {
  readonly account: Account
  /** The role of a demo account. */
  readonly role: string
}

export interface DemoAccount extends Credentials {
  readonly role: string
  readonly uid: string
  readonly parentUid: string | null
}

interface Kept extends Credentials {
  readonly role?: string
}

const keptAs = 'tidemark.key'

export const session = signal<Session | undefined>(undefined)
export const signingIn = signal(false)
/** Of a refusal its code as well. */
export const signInFault = signal({ text: '', code: '' })
/** Of a demo venue; elsewhere none. */
export const demoAccounts = signal<readonly DemoAccount[]>([])

async function findDemoAccounts(): Promise<void> {
  const response = await fetch('/terminal/demo-accounts', { credentials: 'omit' }).catch(() => undefined)
  if (response?.ok === true) demoAccounts.value = (await response.json()) as DemoAccount[]
}

export async function signIn(credentials: Credentials, role = ''): Promise<void> {
  signingIn.value = true
  signInFault.value = { text: '', code: '' }
  try {
    const account = await openVenueAccount(credentials)
    signOut()
    const { apiKey, secret, passphrase } = credentials
    sessionStorage.setItem(keptAs, JSON.stringify({ apiKey, secret, passphrase, role } satisfies Kept))
    session.value = { account, role }
    closeDialog()
    openAccount(account, signOutBecause)
  } catch (error) {
    signInFault.value = toldOf(error)
  } finally {
    signingIn.value = false
  }
}

export function signOut(): void {
  sessionStorage.removeItem(keptAs)
  closeAccount()
  session.value = undefined
}

/** After the page was loaded anew in the same tab. */
export async function resumeSession(): Promise<void> {
  void findDemoAccounts()
  const kept = sessionStorage.getItem(keptAs)
  if (kept === null) return
  const { role = '', ...credentials } = JSON.parse(kept) as Kept
  await signIn(credentials, role)
  const { text, code } = signInFault.value
  if (session.value === undefined) notify('bad', 'Not signed in', text, { code })
}

function signOutBecause(message: string): void {
  signOut()
  notify('bad', 'Signed out', message)
}
