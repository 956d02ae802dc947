/** The venue as it was: kept, gone back to as often as one likes, dropped. */
import { useState } from 'preact/hooks'
import { TextField } from '../parts/field.tsx'
import { carryOutInLab, labBusy, labSnapshots } from '../store/lab.ts'
import { lab, type LabSnapshot } from '../venue/lab.ts'
import { shownTime } from './clock.tsx'
import { t } from '../words/words.ts'

export function SnapshotsSection() {
  const [name, setName] = useState('')
  const take = (event: Event) => {
    event.preventDefault()
    void carryOutInLab(async () => {
      const { snapshot } = await lab<LabSnapshot>('POST', '/snapshots', name === '' ? {} : { name })
      setName('')
      return t.lab.keptAs(snapshot)
    })
  }
  const reset = () =>
    void carryOutInLab(async () => {
      await lab('POST', '/reset', {})
      return t.lab.asItBegan
    })
  return (
    <section aria-label={t.lab.snapshots}>
      <h3>{t.lab.snapshots}</h3>
      <form class="lab-row" onSubmit={take}>
        <TextField label={t.lab.name} value={name} onChange={setName} name="lab-snapshot" />
        <button type="submit" class="primary" disabled={labBusy.value} data-testid="lab-keep">
          {t.lab.keep}
        </button>
      </form>
      <ul class="lab-list">
        {labSnapshots.value.map((one) => (
          <Snapshot key={one.snapshot} {...one} />
        ))}
      </ul>
      <button type="button" class="wide" disabled={labBusy.value} onClick={reset} data-testid="lab-reset">
        {t.lab.reset}
      </button>
    </section>
  )
}

function Snapshot({ snapshot, name, now, sequence }: LabSnapshot) {
  const called = name ?? snapshot
  const goBack = () =>
    void carryOutInLab(async () => {
      await lab('POST', '/revert', { snapshot })
      return t.lab.backAt(called)
    })
  const drop = () =>
    void carryOutInLab(async () => {
      await lab('DELETE', `/snapshots/${encodeURIComponent(snapshot)}`)
      return t.lab.dropped(called)
    })
  return (
    <li>
      <span>
        <strong>{called}</strong>
        <br />
        <span class="quiet">{t.lab.command(shownTime(now), sequence)}</span>
      </span>
      <span class="lab-ends">
        <button type="button" disabled={labBusy.value} aria-label={t.lab.backTo(called)} onClick={goBack}>
          {t.lab.back}
        </button>
        <button type="button" class="icon" disabled={labBusy.value} aria-label={t.lab.drop(called)} onClick={drop}>
          ×
        </button>
      </span>
    </li>
  )
}
