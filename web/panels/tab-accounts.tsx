/** The accounts that this tab is signed in to: one is in view, a press goes over to another. */
import { goOver, type Kept, keptAccounts, session, signingIn } from '../store/session.ts'
import { dialog } from '../store/view.ts'
import { t } from '../words/words.ts'

export function TabAccounts() {
  if (session.value === undefined) return null
  const [inView, ...others] = keptAccounts.value
  return (
    <section aria-label={t.signIn.accounts}>
      <h3>{t.signIn.accounts}</h3>
      <ul class="tab-accounts">
        <li>
          <strong>{nameOf(inView)}</strong> <span class="badge">{t.signIn.inView}</span>
        </li>
        {others.map((kept) => (
          <li key={kept.apiKey}>
            <button
              type="button"
              class="quiet-button"
              data-testid="go-over"
              disabled={signingIn.value}
              onClick={() => void goOver(kept)}
            >
              {t.signIn.goOver(nameOf(kept))}
            </button>
          </li>
        ))}
        <li>
          <button type="button" class="link" onClick={() => (dialog.value = 'sign-in')}>
            {t.signIn.another}
          </button>
        </li>
      </ul>
    </section>
  )
}

function nameOf({ role, uid }: Kept): string {
  return role === '' ? uid : role
}
