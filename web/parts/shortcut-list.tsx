/** What the keys do. */
import type { ComponentChildren } from 'preact'
import type { Shortcut } from '../store/shortcuts.ts'
import { Dialog } from './dialog.tsx'
import { t } from '../words/words.ts'

interface ShortcutListProps {
  readonly shortcuts: readonly Shortcut[]
  readonly onClose: () => void
  /** What else there is to know. */
  readonly children: ComponentChildren
}

export function ShortcutList({ shortcuts, onClose, children }: ShortcutListProps) {
  return (
    <Dialog title={t.page.keyboard} onClose={onClose}>
      <dl class="keys">
        {shortcuts.map(({ key, does }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{children}</p>
    </Dialog>
  )
}
