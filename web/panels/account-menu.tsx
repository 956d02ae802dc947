/** Who is signed in, and what can be done about it. */
import type { Session } from '../store/session.ts'
import { dialog } from '../store/view.ts'

export function Account({ session, onSignOut }: { session: Session; onSignOut: () => void }) {
  const { account, role } = session
  return (
    <div class="account-menu">
      <button
        type="button"
        class="quiet-button"
        data-testid="account"
        aria-label={`Account ${account.uid}, settings`}
        onClick={() => (dialog.value = 'settings')}
      >
        <span class="uid">{role === '' ? account.uid : role}</span>
        {account.readOnly && <span class="badge">read only</span>}
      </button>
      <button type="button" class="quiet-button" onClick={onSignOut}>
        Sign out
      </button>
    </div>
  )
}
