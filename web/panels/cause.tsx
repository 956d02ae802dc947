/** How something goes that happened without being asked for: a liquidation, a delivery, a trigger. */
import { Dialog } from '../parts/dialog.tsx'
import { explanations } from '../store/explanations.ts'
import { closeDialog, explained } from '../store/view.ts'

export function CauseDialog() {
  const { title, lines, chapter } = explanations[explained.value]
  return (
    <Dialog title={title} onClose={closeDialog}>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <p class="quiet">In full, with formulas and examples: docs/risk.md, “{chapter}”.</p>
    </Dialog>
  )
}
