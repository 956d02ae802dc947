/** What stops an account: a freeze, and the end of all that it has open. Both ask first. */
import { ActDialog } from './act-dialog.tsx'
import { act } from './operator.ts'
import type { Account, Holdings } from './records.ts'
import { desk } from '../words/desk.ts'

interface FreezeProps {
  readonly account: Account
  readonly onClose: () => void
}

export function FreezeAccount({ account: { uid, name, frozenByOperator }, onClose }: FreezeProps) {
  const who = name || uid
  const freezes = !frozenByOperator
  const run = async () => {
    const { frozen } = await act<{ frozen: boolean }>('accounts/freeze', { uid, frozen: freezes ? 'yes' : 'no' })
    if (freezes) return desk.accounts.isFrozen(who)
    return frozen ? desk.accounts.stillFrozen(who) : desk.accounts.mayTrade(who)
  }
  return (
    <ActDialog
      title={freezes ? desk.accounts.freezeAsk(who) : desk.accounts.unfreezeAsk(who)}
      verb={freezes ? desk.accounts.freeze : desk.accounts.unfreeze}
      danger={freezes}
      run={run}
      onClose={onClose}
    >
      <p>{freezes ? desk.accounts.freezeMeans : desk.accounts.unfreezeMeans}</p>
    </ActDialog>
  )
}

interface CancelAllProps {
  readonly account: Account
  readonly holdings: Pick<Holdings, 'orders' | 'triggers'>
  readonly onClose: () => void
}

export function CancelAll({ account: { uid, name }, holdings, onClose }: CancelAllProps) {
  const who = name || uid
  const run = async () => {
    const done = await act<{ orders: number; triggers: number }>('accounts/cancel-orders', { uid })
    return desk.accounts.canceled(done.orders, done.triggers, who)
  }
  return (
    <ActDialog title={desk.accounts.cancelAsk(who)} verb={desk.accounts.cancelVerb} danger run={run} onClose={onClose}>
      <p>{desk.accounts.cancelMeans(holdings.orders.length, holdings.triggers.length)}</p>
    </ActDialog>
  )
}
