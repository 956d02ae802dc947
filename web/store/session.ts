/**
 * Who is signed in. The key is kept in the session storage of this tab alone and ends with it; the secret goes nowhere
 * but into the browser's own signing key.
 */
import { signal } from '@preact/signals'
import { Account, VenueError } from '../venue/rest.ts'
import type { Settings } from '../venue/account-records.ts'
import type { Credentials } from '../venue/signing.ts'
import { closeAccount, openAccount } from './account.ts'
import { notify } from './notices.ts'
import { closeDialog } from './view.ts'

export interface Session {
  readonly account: Account
  readonly uid: string
  readonly parentUid: string
  /** `unified` or `hybrid`. */
  readonly mode: string
  readonly readOnly: boolean
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
export const signInFault = signal('')
/** Of a demo venue; elsewhere none. */
export const demoAccounts = signal<readonly DemoAccount[]>([])

async function findDemoAccounts(): Promise<void> {
  const response = await fetch('/terminal/demo-accounts', { credentials: 'omit' }).catch(() => undefined)
  if (response?.ok === true) demoAccounts.value = (await response.json()) as DemoAccount[]
}

export async function signIn(credentials: Credentials, role = ''): Promise<void> {
  signingIn.value = true
  signInFault.value = ''
  try {
    const account = await Account.open(credentials)
    const [settings, info] = await Promise.all([
      account.get<Settings>('/api/v3/account/settings'),
      account.get<{ parentId: string; permType: string }>('/api/v3/account/info'),
    ])
    signOut()
    const { apiKey, secret, passphrase } = credentials
    sessionStorage.setItem(keptAs, JSON.stringify({ apiKey, secret, passphrase, role } satisfies Kept))
    session.value = {
      account,
      uid: settings.uid,
      parentUid: info.parentId,
      mode: settings.accountMode,
      readOnly: info.permType === 'read-only',
      role,
    }
    closeDialog()
    await openAccount(account, settings, signOutBecause)
  } catch (error) {
    signInFault.value = faultText(error)
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
  if (session.value === undefined) notify('bad', 'Not signed in', signInFault.value)
}

function signOutBecause(message: string): void {
  signOut()
  notify('bad', 'Signed out', message)
}

function faultText(error: unknown): string {
  if (!(error instanceof VenueError)) return error instanceof Error ? error.message : String(error)
  if (error.code === '40084') {
    return 'This is a classic account. The terminal trades for unified and hybrid accounts; a classic one trades over the v2 interface.'
  }
  return error.code === 'network' ? error.message : `${error.message} (${error.code})`
}
