/**
 * Whose records a main account may look at: its own, and those of its sub-accounts.
 */
import type { PrivateContext } from './endpoint.ts'
import { ApiError } from './errors.ts'

/** The caller, or the sub-account of its own that is named; anybody else's answers like one that does not exist. */
export function ownOrSub({ account, core }: PrivateContext, subUid: number | undefined): number {
  if (subUid === undefined || subUid === account.uid) return account.uid
  if (core.query({ kind: 'account', uid: subUid })?.parentUid !== account.uid) throw new ApiError('40028')
  return subUid
}
