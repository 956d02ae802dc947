/** The venue as it was: kept, gone back to as often as one likes, dropped. */
import { useState } from 'preact/hooks'
import { TextField } from '../parts/field.tsx'
import { carryOutInLab, labBusy, labSnapshots } from '../store/lab.ts'
import { lab, type LabSnapshot } from '../venue/lab.ts'
import { shownTime } from './clock.tsx'

export function SnapshotsSection() {
  const [name, setName] = useState('')
  const take = (event: Event) => {
    event.preventDefault()
    void carryOutInLab(async () => {
      const { snapshot } = await lab<LabSnapshot>('POST', '/snapshots', name === '' ? {} : { name })
      setName('')
      return `Kept as ${snapshot}`
    })
  }
  const reset = () =>
    void carryOutInLab(async () => {
      await lab('POST', '/reset', {})
      return 'The venue is as it began'
    })
  return (
    <section aria-label="Snapshots">
      <h3>Snapshots</h3>
      <form class="lab-row" onSubmit={take}>
        <TextField label="Name, if you like" value={name} onChange={setName} name="lab-snapshot" />
        <button type="submit" class="primary" disabled={labBusy.value} data-testid="lab-keep">
          Keep
        </button>
      </form>
      <ul class="lab-list">
        {labSnapshots.value.map((one) => (
          <Snapshot key={one.snapshot} {...one} />
        ))}
      </ul>
      <button type="button" class="wide" disabled={labBusy.value} onClick={reset} data-testid="lab-reset">
        Reset to the beginning
      </button>
    </section>
  )
}

function Snapshot({ snapshot, name, now, sequence }: LabSnapshot) {
  const called = name ?? snapshot
  const goBack = () =>
    void carryOutInLab(async () => {
      await lab('POST', '/revert', { snapshot })
      return `Back at ${called}`
    })
  const drop = () =>
    void carryOutInLab(async () => {
      await lab('DELETE', `/snapshots/${encodeURIComponent(snapshot)}`)
      return `${called} is dropped`
    })
  return (
    <li>
      <span>
        <strong>{called}</strong>
        <br />
        <span class="quiet">
          {shownTime(now)}, command {sequence}
        </span>
      </span>
      <span class="lab-ends">
        <button type="button" disabled={labBusy.value} aria-label={`Back to ${called}`} onClick={goBack}>
          Back
        </button>
        <button
          type="button"
          class="icon"
          disabled={labBusy.value}
          aria-label={`Drop the snapshot ${called}`}
          onClick={drop}
        >
          ×
        </button>
      </span>
    </li>
  )
}
