/**
 * A main account and its sub-accounts, as both versions of the interface rule them.
 *
 * Own       somebody else's sub-account and one that does not exist are the same to the caller (40028), and so are
 *           somebody else's key and one that does not exist (40037)
 * Names     1 to 20 lower-case letters, different among the sub-accounts of one main account
 * Keys      what a key may do is what it was given, and no more than the sub-account may (`permissions` of the account)
 * Source    wire/v3-endpoints.md §5; wire/client-endpoints.md §4; wire/auth.md §5
 */
import type { SetSubAccount } from '../engine/protocol/command.ts'
import type { AccountView } from '../engine/protocol/query.ts'
import type { Uid } from '../engine/vocabulary.ts'
import type { PrivateContext } from './endpoint.ts'
import { ApiError, refusalError, type Version } from './errors/errors.ts'
import { changeKey, issueKey, type KeyPorts, revokeKey } from './keys/key-issuance.ts'
import { type ApiKey, type DraftKey, type KeyChange, liveKeysMax, type NewKey } from './keys/keys.ts'
import * as field from './parsing/fields.ts'

export const usernamePattern = /^[a-z]{1,20}$/

export const username = () => field.matching(usernamePattern.source, 'should have 1 to 20 lower-case letters')
export const addresses = () => field.list(field.ipv4(), 0, 30)

export function ownSub({ account, core }: PrivateContext, uid: Uid): AccountView {
  const found = core.query({ kind: 'account', uid })
  if (found === undefined || found.parentUid !== account.uid) throw new ApiError('40028')
  return found
}

/** The caller, or the sub-account of its own that is named. */
export function ownOrSub(context: PrivateContext, subUid: Uid | undefined): Uid {
  const { uid } = context.account
  return subUid === undefined || subUid === uid ? uid : ownSub(context, subUid).uid
}

export interface NewSub {
  readonly name: string
  readonly note: string
  readonly mode: 'unified' | 'classic'
}

export async function createSub(
  { account, core }: PrivateContext,
  { name, note, mode }: NewSub,
  version: Version,
): Promise<AccountView> {
  const reply = await core.submit({ kind: 'create-sub-account', parentUid: account.uid, mode, name, note })
  if (reply.kind === 'refused') throw refusalError(reply.refusal, version === 'v3' ? 'v3' : 'spot')
  if (reply.kind !== 'account-created') throw new Error(`a new sub-account was answered with ${reply.kind}`)
  const created = core.query({ kind: 'account', uid: reply.uid })
  if (created === undefined) throw new Error('a new sub-account is not there')
  return created
}

export async function changeSub(
  { account, core, keys }: PrivateContext,
  change: Pick<SetSubAccount, 'uid' | 'frozen' | 'permissions'>,
): Promise<void> {
  const reply = await core.submit({ kind: 'set-sub-account', actorUid: account.uid, ...change })
  if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
  keys.limited(change.uid)
}

/** Live keys of a sub-account of the caller, oldest first, each with its place among all that it ever had. */
export function keysOfSub(
  context: PrivateContext,
  uid: Uid,
): readonly { readonly place: number; readonly key: ApiKey }[] {
  const sub = ownSub(context, uid)
  return context.keys
    .of(sub.uid)
    .map((key, index) => ({ place: index + 1, key }))
    .filter(({ key }) => key.revokedAt === undefined)
}

function keyPorts({ core, keys }: PrivateContext): KeyPorts {
  return {
    keys,
    record: async (command) => {
      const reply = await core.submit(command)
      if (reply.kind === 'refused') throw refusalError(reply.refusal, 'v3')
    },
  }
}

export async function issueSubKey(context: PrivateContext, asked: NewKey): Promise<DraftKey> {
  const { uid } = ownSub(context, asked.uid)
  const draft = await issueKey(keyPorts(context), { ...asked, uid })
  if (draft === undefined) throw new ApiError('40063', [`an account has at most ${liveKeysMax} keys`])
  return draft
}

/** A live key of a sub-account of the caller; `of` names the sub-account where the request does. */
export function keyOfOwnSub({ account, core, keys }: PrivateContext, apiKey: string, of?: Uid): ApiKey {
  const key = keys.find(apiKey)
  const owner = key === undefined ? undefined : core.query({ kind: 'account', uid: key.uid })
  const isOwn = owner !== undefined && owner.parentUid === account.uid && (of === undefined || of === owner.uid)
  if (key === undefined || !isOwn || key.revokedAt !== undefined) throw new ApiError('40037')
  return key
}

/** The passphrase proves that the key is meant; it stays what it is. */
export async function changeSubKey(
  context: PrivateContext,
  { key, passphrase, ...change }: { readonly key: ApiKey; readonly passphrase: string } & KeyChange,
): Promise<ApiKey> {
  if (passphrase !== key.passphrase) throw new ApiError('40036')
  return changeKey(keyPorts(context), key, change)
}

export async function deleteSubKey(context: PrivateContext, key: ApiKey): Promise<void> {
  await revokeKey(keyPorts(context), key)
}
