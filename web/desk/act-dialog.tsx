/**
 * Asks before something is done: what it will do, fields if it needs any, one button that does it. A refusal stays here in
 * the interface's own words, with its code.
 */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { notify } from '../store/notices.ts'
import { faultText } from './operator.ts'

interface ActDialogProps {
  readonly title: string
  /** What the button says. */
  readonly verb: string
  readonly danger?: boolean
  /** Does it, and says what was done; undefined: it shows that itself. */
  readonly run: () => Promise<string | undefined>
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function ActDialog({ title, verb, danger = false, run, onClose, children }: ActDialogProps) {
  const [fault, setFault] = useState('')
  const [busy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setFault('')
    try {
      const done = await run()
      if (done === undefined) return
      notify('good', done)
      onClose()
    } catch (error) {
      setFault(faultText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {children}
        {fault !== '' && (
          <p class="alert" role="alert">
            {fault}
          </p>
        )}
        <div class="dialog-ends">
          <button type="button" class="quiet-button" onClick={onClose}>
            Leave it
          </button>
          <button type="submit" class={danger ? 'danger' : 'primary'} data-testid="act" disabled={busy}>
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
