/** Who is signed in, and what can be done about it. */
import type { Session } from '../store/session.ts'
import { dialog } from '../store/view.ts'

export function Account({ session, onSignOut }: { session: Session; onSignOut: () => void }) {
  return (
    <div class="account-menu">
      <button
        type="button"
        class="quiet-button"
        data-testid="account"
        aria-label={`Account ${session.uid}, settings`}
        onClick={() => (dialog.value = 'settings')}
      >
        <span class="uid">{session.role === '' ? session.uid : session.role}</span>
        {session.readOnly && <span class="badge">read only</span>}
      </button>
      <button type="button" class="quiet-button" onClick={onSignOut}>
        Sign out
      </button>
    </div>
  )
}
