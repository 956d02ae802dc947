/** Messages that come and go; said by screen readers when they come. */
import { dismiss, notices } from '../store/notices.ts'
import { CauseLink } from './cause-link.tsx'
import { t } from '../words/words.ts'

export function Notices() {
  return (
    <div class="notices" aria-live="polite">
      {notices.value.map(({ id, kind, title, text, about, code }) => (
        <div key={id} class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
          <div>
            <strong>{title}</strong>
            {text !== '' && <p>{text}</p>}
            {code !== '' && <small class="code">{code}</small>}
            <CauseLink cause={about} />
          </div>
          <button type="button" class="icon" aria-label={t.common.dismiss} onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  )
}
