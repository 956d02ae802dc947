/** Who is signed in, and what can be done about it. */
import type { Session } from '../store/session.ts'
import { dialog } from '../store/view.ts'
import { t } from '../words/words.ts'

export function Account({ session, onSignOut }: { session: Session; onSignOut: () => void }) {
  const { account, role } = session
  const name = role === '' ? account.uid : role
  return (
    <div class="account-menu">
      <button
        type="button"
        class="quiet-button"
        data-testid="account"
        aria-label={t.page.accountLabel(account.readOnly ? `${name} ${t.page.readOnly}` : name, account.uid)}
        onClick={() => (dialog.value = 'settings')}
      >
        <span class="uid">{name}</span>
        {account.readOnly && <span class="badge">{t.page.readOnly}</span>}
      </button>
      <button type="button" class="quiet-button" onClick={onSignOut}>
        {t.common.signOut}
      </button>
    </div>
  )
}
