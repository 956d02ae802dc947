/** What the account has and had, a tab each. */
import { orders, positions, triggers } from '../store/account.ts'
import { session } from '../store/session.ts'
import { accountTab, accountTabs, dialog } from '../store/view.ts'
import { Tabs } from '../parts/tabs.tsx'
import { Bills } from './bills.tsx'
import { ClosedPositions, FillHistory, OrderHistory } from './histories.tsx'
import { Funding } from './funding.tsx'
import { OpenOrders } from './open-orders.tsx'
import { Positions } from './positions.tsx'
import { Wallets } from './wallets.tsx'
import { t } from '../words/words.ts'

const panels = {
  positions: Positions,
  orders: OpenOrders,
  history: OrderHistory,
  fills: FillHistory,
  closed: ClosedPositions,
  funding: Funding,
  bills: Bills,
  wallets: Wallets,
} as const

export function AccountPanel() {
  const Chosen = panels[accountTab.value]
  const counts = { positions: positions.value.length, orders: orders.value.size + triggers.value.length }
  const tabs = accountTabs.map((name) => {
    const count = name in counts ? counts[name as keyof typeof counts] : 0
    return [name, count === 0 ? t.account[name] : `${t.account[name]} (${count})`] as const
  })
  return (
    <section class="panel account" data-tab={accountTab.value} aria-label={t.account.label}>
      <div class="panel-title">
        <Tabs
          label={t.account.label}
          name="account"
          chosen={accountTab.value}
          tabs={tabs}
          onChoose={(name) => (accountTab.value = name)}
        />
        {counts.positions > 0 && accountTab.value === 'positions' && (
          <button type="button" class="quiet-button" aria-keyshortcuts="c" onClick={() => (dialog.value = 'close-all')}>
            {t.account.closeAll}
          </button>
        )}
        {counts.orders > 0 && (
          <button
            type="button"
            class="quiet-button cancel-all"
            aria-keyshortcuts="x"
            onClick={() => (dialog.value = 'cancel-all')}
          >
            {t.account.cancelAll}
          </button>
        )}
      </div>
      <div class="account-body" role="tabpanel" id="account-panel" tabIndex={0}>
        {session.value === undefined ? <SignedOut /> : <Chosen />}
      </div>
    </section>
  )
}

function SignedOut() {
  return (
    <p class="empty">
      <button type="button" class="link" onClick={() => (dialog.value = 'sign-in')}>
        {t.common.signIn}
      </button>{' '}
      {t.account.signInAfter}
    </p>
  )
}
