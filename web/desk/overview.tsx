/** How the venue is, at a glance: what wants attention, its pulse, how long things take, what it keeps, whether coins add up. */
import { Attention } from './attention.tsx'
import { ConservationPanel } from './conservation.tsx'
import { LabFirings } from './lab-firings.tsx'
import { isLabDesk } from './operator.ts'
import { JournalPanel, LatencyPanel, ProcessPanel } from './health-panels.tsx'
import { Pulse } from './pulse.tsx'

export function Overview() {
  return (
    <div class="overview">
      <Attention />
      <Pulse />
      {isLabDesk && <LabFirings />}
      <div class="trio">
        <LatencyPanel />
        <JournalPanel />
        <ProcessPanel />
      </div>
      <ConservationPanel />
    </div>
  )
}
