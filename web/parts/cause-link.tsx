/** The name of what happened without being asked for; a press on it says how that goes. */
import type { Explained } from '../store/explanations.ts'
import { dialog, explained } from '../store/view.ts'
import { t } from '../words/words.ts'

export function CauseLink({ cause }: { cause: Explained | undefined }) {
  if (cause === undefined) return null
  const explain = () => {
    explained.value = cause
    dialog.value = 'cause'
  }
  return (
    <button type="button" class="link" data-cause={cause} onClick={explain}>
      {t.causes[cause].name}
    </button>
  )
}
