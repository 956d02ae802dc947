/** The way in: the operator's token. */
import { useState } from 'preact/hooks'
import { TextField } from '../parts/field.tsx'
import { isLabDesk, operatorName } from './operator.ts'
import { signIn, signInFault, signingIn } from './session.ts'

export function SignIn() {
  const [given, setGiven] = useState('')
  const [name, setName] = useState(operatorName.value)
  const submit = (event: Event) => {
    event.preventDefault()
    void signIn(given.trim(), name.trim())
  }
  return (
    <main class="door">
      <form class="panel" onSubmit={submit}>
        <img src="/icon.svg" alt="" width="40" height="40" />
        <h1>Operator’s desk</h1>
        <p class="quiet">
          {isLabDesk ? (
            <>
              It takes the token of the laboratory: what <code>--lab-token</code> was given.
            </>
          ) : (
            <>
              It takes the token of this venue: the content of <code>operator-token</code> in its data directory.
            </>
          )}
        </p>
        {signInFault.value !== '' && (
          <p class="alert" role="alert">
            {signInFault.value}
          </p>
        )}
        <TextField label="Token" name="token" secret autoFocus value={given} onChange={setGiven} />
        <TextField
          label="Your name, for the trail of actions (optional)"
          name="operator"
          value={name}
          onChange={setName}
        />
        <button type="submit" class="primary wide" disabled={signingIn.value || given.trim() === ''}>
          {signingIn.value ? 'Signing in …' : 'Sign in'}
        </button>
        <p class="quiet">The token is kept in this tab until it closes, and nowhere else. Nobody checks the name.</p>
      </form>
    </main>
  )
}
