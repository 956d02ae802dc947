/** What the keys do. */
import { Dialog } from '../parts/dialog.tsx'
import { shortcuts } from '../store/keys.ts'
import { closeDialog } from '../store/view.ts'

export function Keyboard() {
  return (
    <Dialog title="Keyboard" onClose={closeDialog}>
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
      <p class="quiet">
        In number fields ↑ and ↓ go by one step, with Shift by ten. Escape leaves a field or a dialog.
      </p>
    </Dialog>
  )
}
