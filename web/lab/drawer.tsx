/**
 * The drawer of the laboratory, on a venue of `tidemark dev`: its clock, snapshots, faults and the market's scenarios, by the
 * calls that a test makes.
 *
 * Beside    the page, not over it: whoever moves time or puts a fault in goes on trading and sees what comes of it
 */
import { useState } from 'preact/hooks'
import { TextField } from '../parts/field.tsx'
import { labFault, labInfo, labOpen, labWantsToken, readLab, toggleLab } from '../store/lab.ts'
import { keepLabToken } from '../venue/lab.ts'
import { ClockSection } from './clock.tsx'
import { FaultsSection } from './faults.tsx'
import { MarketSection } from './market.tsx'
import { SnapshotsSection } from './snapshots.tsx'
import { t } from '../words/words.ts'

export function LabDrawer() {
  if (!labOpen.value) return null
  return (
    <aside class="lab panel" aria-label={t.lab.title} data-testid="lab">
      <header class="panel-title">
        <h2>{t.lab.title}</h2>
        <a href="/_lab/desk" target="_blank" rel="noopener">
          {t.lab.desk}
        </a>
        <button type="button" class="icon" aria-label={t.lab.close} onClick={toggleLab}>
          ×
        </button>
      </header>
      <div class="lab-body">
        {labFault.value !== '' && (
          <p class="alert" role="alert">
            {labFault.value}
          </p>
        )}
        {labWantsToken.value && <Token />}
        {labInfo.value !== undefined && (
          <>
            <ClockSection info={labInfo.value} />
            <SnapshotsSection />
            <FaultsSection />
            <MarketSection />
          </>
        )}
      </div>
    </aside>
  )
}

function Token() {
  const [token, setToken] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    keepLabToken(token)
    void readLab()
  }
  return (
    <form class="lab-row" onSubmit={submit}>
      <TextField label={t.lab.token} value={token} onChange={setToken} secret name="lab-token" />
      <button type="submit" class="primary" disabled={token === ''}>
        {t.lab.enter}
      </button>
    </form>
  )
}
