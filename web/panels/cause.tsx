/** How something goes that happened without being asked for: a liquidation, a delivery, a trigger; and where the guide says all of it. */
import { ChapterLink } from '../parts/chapter-link.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { chapters } from '../store/explanations.ts'
import { closeDialog, explained } from '../store/view.ts'
import { t } from '../words/words.ts'

export function CauseDialog() {
  const { title, lines } = t.causes[explained.value]
  const chapter = chapters[explained.value]
  return (
    <Dialog title={title} onClose={closeDialog}>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <p class="quiet">
        {t.inFull}
        <ChapterLink page="risk" chapter={chapter}>
          {chapter}
        </ChapterLink>
      </p>
    </Dialog>
  )
}
