/** Signing in: with one click as a demo account where the venue has them, or with an API key. */
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { demoAccounts, signIn, signInFault, signingIn } from '../store/session.ts'
import { closeDialog } from '../store/view.ts'

/** Said to a person who has to choose. */
const roles: Readonly<Record<string, string>> = {
  'unified-main': 'Unified account, everything in one wallet',
  'unified-peer': 'A second unified account to trade against',
  'classic-main': 'Classic account, a wallet for each market',
  'hybrid-main': 'Hybrid account with classic wallets beside',
  'unified-sub': 'Sub-account of the first',
  'classic-sub': 'Classic sub-account of the first',
  'read-only': 'The first account, with a key that only reads',
}

export function SignIn() {
  const [apiKey, setApiKey] = useState('')
  const [secret, setSecret] = useState('')
  const [passphrase, setPassphrase] = useState('')
  const demos = Object.keys(roles).flatMap((role) => demoAccounts.value.find((demo) => demo.role === role) ?? [])
  const submit = (event: Event) => {
    event.preventDefault()
    void signIn({ apiKey: apiKey.trim(), secret: secret.trim(), passphrase: passphrase.trim() })
  }
  return (
    <Dialog title="Sign in" onClose={closeDialog} wide={demos.length > 0}>
      {signInFault.value.text !== '' && (
        <p class="alert" role="alert">
          {signInFault.value.text}{' '}
          {signInFault.value.code !== '' && <small class="code">{signInFault.value.code}</small>}
        </p>
      )}
      {demos.length > 0 && (
        <div class="demos">
          <h3>Demo accounts of this venue</h3>
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
              <span>{roles[demo.role]}</span>
            </button>
          ))}
        </div>
      )}
      <form class="key-form" onSubmit={submit}>
        {demos.length > 0 && <h3>With an API key</h3>}
        <TextField label="API key" name="apiKey" value={apiKey} onChange={setApiKey} />
        <TextField label="Secret" name="secret" secret value={secret} onChange={setSecret} />
        <TextField label="Passphrase" name="passphrase" secret value={passphrase} onChange={setPassphrase} />
        <p class="quiet">
          Kept in this tab until it closes. The secret signs requests in your browser and is never sent.
        </p>
        <button type="submit" class="primary wide" disabled={signingIn.value || apiKey === '' || secret === ''}>
          {signingIn.value ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
    </Dialog>
  )
}
