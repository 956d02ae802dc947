/** What stops an account: a freeze, and the end of all that it has open. Both ask first. */
import { ActDialog } from './act-dialog.tsx'
import { act } from './operator.ts'
import type { Account, Holdings } from './records.ts'

interface FreezeProps {
  readonly account: Account
  readonly onClose: () => void
}

export function FreezeAccount({ account: { uid, name, frozenByOperator }, onClose }: FreezeProps) {
  const who = name || uid
  const freezes = !frozenByOperator
  const run = async () => {
    const { frozen } = await act<{ frozen: boolean }>('accounts/freeze', { uid, frozen: freezes ? 'yes' : 'no' })
    if (freezes) return `${who} is frozen`
    return frozen ? `${who} is still frozen by its main account` : `${who} may trade again`
  }
  return (
    <ActDialog
      title={freezes ? `Freeze ${who}?` : `Let ${who} trade again?`}
      verb={freezes ? 'Freeze' : 'Unfreeze'}
      danger={freezes}
      run={run}
      onClose={onClose}
    >
      {freezes ? (
        <p>
          Its keys only read from now on: no orders, no transfers, no withdrawals. What is open goes on: orders are
          filled, trigger orders fire, positions are liquidated.
        </p>
      ) : (
        <p>Its keys may do again what they could. A freeze by its main account stays.</p>
      )}
    </ActDialog>
  )
}

interface CancelAllProps {
  readonly account: Account
  readonly holdings: Pick<Holdings, 'orders' | 'triggers'>
  readonly onClose: () => void
}

export function CancelAll({ account: { uid, name }, holdings, onClose }: CancelAllProps) {
  const run = async () => {
    const done = await act<{ orders: number; triggers: number }>('accounts/cancel-orders', { uid })
    return `${told(done.orders, done.triggers)} of ${name || uid} canceled`
  }
  return (
    <ActDialog title={`Cancel all orders of ${name || uid}?`} verb="Cancel all" danger run={run} onClose={onClose}>
      <p>
        It has {told(holdings.orders.length, holdings.triggers.length)} open now. All that is there when you confirm is
        canceled. Its positions stay.
      </p>
    </ActDialog>
  )
}

function told(orders: number, triggers: number): string {
  return `${counted(orders, 'order')} and ${counted(triggers, 'trigger order')}`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
