/** Signing in: with one click as a demo account where the venue has them, or with an API key. */
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { demoAccounts, signIn, signInFault, signingIn } from '../store/session.ts'
import { closeDialog } from '../store/view.ts'
import { named, t } from '../words/words.ts'

export function SignIn() {
  const [apiKey, setApiKey] = useState('')
  const [secret, setSecret] = useState('')
  const [passphrase, setPassphrase] = useState('')
  const demos = Object.keys(t.signIn.roles).flatMap(
    (role) => demoAccounts.value.find((demo) => demo.role === role) ?? [],
  )
  const submit = (event: Event) => {
    event.preventDefault()
    void signIn({ apiKey: apiKey.trim(), secret: secret.trim(), passphrase: passphrase.trim() })
  }
  return (
    <Dialog title={t.common.signIn} onClose={closeDialog} wide={demos.length > 0}>
      {signInFault.value.text !== '' && (
        <p class="alert" role="alert">
          {signInFault.value.text}{' '}
          {signInFault.value.code !== '' && <small class="code">{signInFault.value.code}</small>}
        </p>
      )}
      {demos.length > 0 && (
        <div class="demos">
          <h3>{t.signIn.demos}</h3>
          {demos.map((demo) => (
            <button
              key={demo.role}
              type="button"
              class="demo"
              data-role={demo.role}
              disabled={signingIn.value}
              onClick={() => void signIn(demo, demo.role)}
            >
              <strong>{demo.role}</strong>
              <span>{named(t.signIn.roles, demo.role)}</span>
            </button>
          ))}
        </div>
      )}
      <form class="key-form" onSubmit={submit}>
        {demos.length > 0 && <h3>{t.signIn.withKey}</h3>}
        <TextField label={t.signIn.apiKey} name="apiKey" value={apiKey} onChange={setApiKey} />
        <TextField label={t.signIn.secret} name="secret" secret value={secret} onChange={setSecret} />
        <TextField label={t.signIn.passphrase} name="passphrase" secret value={passphrase} onChange={setPassphrase} />
        <p class="quiet">{t.signIn.kept}</p>
        <button type="submit" class="primary wide" disabled={signingIn.value || apiKey === '' || secret === ''}>
          {signingIn.value ? t.signIn.signingIn : t.common.signIn}
        </button>
      </form>
    </Dialog>
  )
}
