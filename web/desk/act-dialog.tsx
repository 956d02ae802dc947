/**
 * Asks before something is done: what it will do, fields if it needs any, one button that does it. A refusal stays here in
 * the interface's own words, with its code; what it says of a field is at the field, too, and the first of those has the focus.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { FieldFaults } from '../parts/field.tsx'
import { notify } from '../store/notices.ts'
import { faultText, fieldFaults } from './operator.ts'
import { desk } from '../words/desk.ts'

interface ActDialogProps {
  readonly title: string
  /** What the button says. */
  readonly verb: string
  readonly danger?: boolean
  readonly wide?: boolean
  /** Does it, and says what was done; undefined: it shows that itself. */
  readonly run: () => Promise<string | undefined>
  readonly onClose: () => void
  readonly children: ComponentChildren
}

const none: ReadonlyMap<string, string> = new Map()

export function ActDialog({ title, verb, danger = false, wide = false, run, onClose, children }: ActDialogProps) {
  const [fault, setFault] = useState('')
  const [faults, setFaults] = useState(none)
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (faults.size > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [faults])
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setFault('')
    setFaults(none)
    try {
      const done = await run()
      if (done === undefined) return
      notify('good', done)
      onClose()
    } catch (error) {
      setFault(faultText(error))
      setFaults(fieldFaults(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} wide={wide} onClose={onClose}>
      <form ref={form} onSubmit={(event) => void submit(event)}>
        <FieldFaults.Provider value={faults}>{children}</FieldFaults.Provider>
        {fault !== '' && (
          <p class="alert" role="alert">
            {fault}
          </p>
        )}
        <div class="dialog-ends">
          <button type="button" class="quiet-button" onClick={onClose}>
            {desk.page.leave}
          </button>
          <button type="submit" class={danger ? 'danger' : 'primary'} data-testid="act" disabled={busy}>
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
