/** The keyboard: one key each, as long as nobody is typing and no dialog is open. */
export interface Shortcut {
  readonly key: string
  readonly does: string
  readonly run: () => void
}

/** What lies under a dialog is not acted upon. */
export function isInDialog(): boolean {
  return document.querySelector('dialog[open]') !== null
}

export function listenFor(shortcuts: readonly Shortcut[]): void {
  addEventListener('keydown', (event) => {
    const place = event.target instanceof Element ? event.target : document.body
    const typing = place.closest('input:not([type="radio"]):not([type="checkbox"]), select, textarea') !== null
    const inDialog = isInDialog()
    if (event.key === 'Escape' && typing && place instanceof HTMLElement && !inDialog) place.blur()
    if (typing || inDialog || event.ctrlKey || event.metaKey || event.altKey) return
    const found = shortcuts.find(({ key }) => key === event.key)
    if (found === undefined) return
    event.preventDefault()
    found.run()
  })
}
