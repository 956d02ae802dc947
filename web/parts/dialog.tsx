/**
 * A modal dialog: the browser's own, so that focus stays inside and Escape closes it. Focus begins at its first field, and
 * goes back to where it was, or near it.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { focusNear, focusPlace } from './focus.ts'
import { t } from '../words/words.ts'

const firstField = '.dialog-body :is(input:checked, input:not([type="radio"]), select, button)'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly wide?: boolean
}

export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const before = document.activeElement
    const place = focusPlace()
    const shown = dialog.current
    shown?.showModal()
    const first = shown?.querySelector<HTMLElement>('[autofocus]') ?? shown?.querySelector<HTMLElement>(firstField)
    first?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
      else focusNear(place)
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <header class="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button type="button" class="icon" aria-label={t.common.close} onClick={onClose}>
          ×
        </button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}
