/** The way in: the operator's token. */
import { useState } from 'preact/hooks'
import { TextField } from '../parts/field.tsx'
import { LanguageField } from '../parts/language-field.tsx'
import { isLabDesk, operatorName } from './operator.ts'
import { signIn, signInFault, signingIn } from './session.ts'
import { desk } from '../words/desk.ts'
import { t } from '../words/words.ts'

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
        <h1>{desk.signIn.title}</h1>
        <p class="quiet">
          {isLabDesk ? (
            <>
              {desk.signIn.labBefore}
              <code>--lab-token</code>
              {desk.signIn.labAfter}
            </>
          ) : (
            <>
              {desk.signIn.venueBefore}
              <code>operator-token</code>
              {desk.signIn.venueAfter}
            </>
          )}
        </p>
        {signInFault.value !== '' && (
          <p class="alert" role="alert">
            {signInFault.value}
          </p>
        )}
        <TextField label={desk.signIn.token} name="token" secret autoFocus value={given} onChange={setGiven} />
        <TextField label={desk.signIn.name} name="operator" value={name} onChange={setName} />
        <button type="submit" class="primary wide" disabled={signingIn.value || given.trim() === ''}>
          {signingIn.value ? t.signIn.signingIn : t.common.signIn}
        </button>
        <p class="quiet">{desk.signIn.kept}</p>
        <LanguageField />
      </form>
    </main>
  )
}
