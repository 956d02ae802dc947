/** A part of the page whose script is loaded when it is first shown. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../words/words.ts'

export function Later({ load }: { load: () => Promise<ComponentType> }) {
  const [Part, setPart] = useState<ComponentType | 'failed' | undefined>(undefined)
  const read = () =>
    load()
      .then((found) => setPart(() => found))
      .catch(() => setPart('failed'))
  useEffect(() => void read(), [load])
  if (Part === undefined) return <p class="empty">{t.common.reading}</p>
  if (Part === 'failed') {
    return (
      <p class="empty">
        {t.common.notLoaded}{' '}
        <button type="button" class="link" onClick={() => void read()}>
          {t.common.tryAgain}
        </button>
      </p>
    )
  }
  return <Part />
}
