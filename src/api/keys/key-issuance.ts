/**
 * Making, changing and revoking keys, for owners and for the operator alike.
 *
 * Recorded   in the journal, without secrets: a key's making and change before they work, its revocation after. Where every gateway
 *            hears the journal and reads keys by itself, rows are written ahead, and a revocation counts when it is recorded
 * At most    10 live keys of an account, however many are asked for at once
 * Source     design.md §4.1; wire/auth.md §5
 */
import type { RecordKeyChange } from '../../engine/protocol/command.ts'
import { OutcomeUnknown } from '../../runtime/core.ts'
import type { ApiKey, DraftKey, KeyChange, KeyIssuer, NewKey } from './keys.ts'

export interface KeyPorts {
  readonly keys: KeyIssuer
  /** Submits the command; throws what the caller is to be told when it is not done. */
  readonly record: (command: RecordKeyChange) => Promise<unknown>
}

/** The key, which works from now on; undefined: the account has all that it may have. */
export async function issueKey({ keys, record }: KeyPorts, asked: NewKey): Promise<DraftKey | undefined> {
  const { uid } = asked
  if (!(await keys.reserve(uid))) return undefined
  let apiKey: string | undefined
  try {
    const draft = await keys.draft(asked)
    apiKey = draft.key.apiKey
    const takeBack = await keys.ahead?.keep(draft)
    await recorded(record({ kind: 'record-key-change', uid, apiKey, change: 'created' }), takeBack)
    await keys.keep(draft)
    return draft
  } finally {
    keys.release(uid, apiKey)
  }
}

/** The key as it is from now on. */
export async function changeKey({ keys, record }: KeyPorts, key: ApiKey, change: KeyChange): Promise<ApiKey> {
  const { uid, apiKey } = key
  const takeBack = await keys.ahead?.change(apiKey, change)
  await recorded(record({ kind: 'record-key-change', uid, apiKey, change: 'changed' }), takeBack)
  return keys.change(apiKey, change)
}

export async function revokeKey({ keys, record }: KeyPorts, { uid, apiKey, revokedAt }: ApiKey): Promise<void> {
  const isLater = keys.ahead !== undefined
  if (!isLater) await keys.revoke(apiKey)
  if (revokedAt === undefined) await record({ kind: 'record-key-change', uid, apiKey, change: 'revoked' })
  if (isLater) await keys.revoke(apiKey)
}

/** What was written ahead stays where nobody knows whether it was recorded. */
async function recorded(recording: Promise<unknown>, takeBack: (() => Promise<void>) | undefined): Promise<void> {
  try {
    await recording
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) await takeBack?.().catch(() => undefined)
    throw error
  }
}
