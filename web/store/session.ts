/**
 * Who is signed in: one account in view, and others to go over to without signing in again. Keys are kept in the session storage of
 * this tab alone and end with it; secrets go nowhere but into the browser's own signing key.
 */
import { signal } from '@preact/signals'
import type { Account } from '../venue/account.ts'
import { openAccount as openVenueAccount } from '../venue/open-account.ts'
import { toldOf } from '../venue/rest.ts'
import type { Credentials } from '../venue/signing.ts'
import { closeAccount, openAccount } from './account.ts'
import { notify } from './notices.ts'
import { closeDialog } from './view.ts'
import { t } from '../words/words.ts'

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

/** The key of an account that this tab is signed in to. */
export interface Kept extends Credentials {
  readonly role: string
  readonly uid: string
}

const keptAs = 'tidemark.keys'

/** Those of the tab; the one in view first. */
export const keptAccounts = signal<readonly Kept[]>([])

function keep(accounts: readonly Kept[]): void {
  keptAccounts.value = accounts
  if (accounts.length === 0) sessionStorage.removeItem(keptAs)
  else sessionStorage.setItem(keptAs, JSON.stringify(accounts))
}

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

/** The account that was in view before stays signed in. */
export async function signIn(credentials: Credentials, role = ''): Promise<void> {
  signingIn.value = true
  signInFault.value = { text: '', code: '' }
  try {
    const account = await openVenueAccount(credentials)
    closeAccount()
    const { apiKey, secret, passphrase } = credentials
    const { uid } = account
    keep([{ apiKey, secret, passphrase, role, uid }, ...keptAccounts.value.filter((one) => one.apiKey !== apiKey)])
    session.value = { account, role }
    closeDialog()
    openAccount(account, signOutBecause)
  } catch (error) {
    signInFault.value = toldOf(error)
  } finally {
    signingIn.value = false
  }
}

/** One of those that are kept; what refuses it is told. */
export async function goOver({ role, ...credentials }: Kept): Promise<void> {
  await signIn(credentials, role)
  const { text, code } = signInFault.value
  if (text !== '') notify('bad', t.signIn.notSignedIn, text, { code })
}

/** The account in view. Another one of the tab comes into view. */
export function signOut(): void {
  const [, ...others] = keptAccounts.value
  keep(others)
  closeAccount()
  session.value = undefined
  if (others.length > 0) void goOver(others[0])
}

/** After the page was loaded anew in the same tab. */
export async function resumeSession(): Promise<void> {
  void findDemoAccounts()
  const kept = sessionStorage.getItem(keptAs)
  if (kept === null) return
  keptAccounts.value = JSON.parse(kept) as Kept[]
  await goOver(keptAccounts.value[0])
}

function signOutBecause(message: string): void {
  signOut()
  notify('bad', t.signIn.signedOut, message)
}
