/**
 * The laboratory as the drawer shows it: read when it opens, every second while it is open, and after each deed.
 *
 * Repeating  nothing is done twice; what cannot be read is told once and read again a second later
 */
import { effect, signal } from '@preact/signals'
import { isLab, lab, LabRefused, type LabFiring, type LabInfo, type LabRule, type LabSnapshot } from '../venue/lab.ts'
import { notify } from './notices.ts'
import { t } from '../words/words.ts'

const lookEveryMs = 1_000
const firingsMax = 50

export const labOpen = signal(false)
export const labInfo = signal<LabInfo | undefined>(undefined)
export const labSnapshots = signal<readonly LabSnapshot[]>([])
export const labRules = signal<readonly LabRule[]>([])
/** The newest first. */
export const labFirings = signal<readonly LabFiring[]>([])
export const labBusy = signal(false)
/** Why the laboratory cannot be read; empty: it can. */
export const labFault = signal('')
/** It asks for its token. */
export const labWantsToken = signal(false)

/** Whether a recorded market is played, looked at once, and then as long as one is. */
effect(() => {
  if (isLab.value) void lookAtMarket()
})

async function lookAtMarket(): Promise<void> {
  try {
    const info = await lab<LabInfo>('GET', '')
    if (!labOpen.peek()) labInfo.value = info
    if (info.market === null) return
  } catch (error) {
    // Who has not the laboratory's token sees no badge.
    if (error instanceof LabRefused) return
  }
  setTimeout(() => void lookAtMarket(), lookEveryMs)
}

let looking: ReturnType<typeof setInterval> | undefined

export function toggleLab(): void {
  labOpen.value = !labOpen.value
  clearInterval(looking)
  if (!labOpen.value) return
  void readLab()
  looking = setInterval(() => void readLab(), lookEveryMs)
}

export async function readLab(): Promise<void> {
  if (labBusy.value) return
  try {
    const [info, snapshots, rules, firings] = await Promise.all([
      lab<LabInfo>('GET', ''),
      lab<readonly LabSnapshot[]>('GET', '/snapshots'),
      lab<readonly LabRule[]>('GET', '/faults'),
      newFirings(),
    ])
    labInfo.value = info
    labSnapshots.value = snapshots
    labRules.value = rules
    labFirings.value = firings
    labFault.value = ''
    labWantsToken.value = false
  } catch (error) {
    labWantsToken.value = error instanceof LabRefused && error.code === 'token-wrong'
    labFault.value = textOf(error)
  }
}

/** What is known already is not asked for again, unless it is not there any more: the venue has gone back. */
async function newFirings(): Promise<readonly LabFiring[]> {
  const known = labFirings.peek()
  const [last] = known
  if (last !== undefined) {
    const found = await lab<readonly LabFiring[]>('GET', `/firings?after=${last.firing - 1}`)
    const isSame = found[0]?.firing === last.firing && found[0].at === last.at
    if (isSame) return [...found.toReversed(), ...known.slice(1)].slice(0, firingsMax)
  }
  const all = await lab<readonly LabFiring[]>('GET', '/firings?limit=10000')
  return all.slice(-firingsMax).toReversed()
}

/** Does one thing at a time, says what came of it, and reads all anew. */
export async function carryOutInLab(act: () => Promise<string>): Promise<boolean> {
  if (labBusy.value) return false
  labBusy.value = true
  try {
    notify('good', await act())
    return true
  } catch (error) {
    notify('bad', t.lab.notDone, textOf(error))
    return false
  } finally {
    labBusy.value = false
    void readLab()
  }
}

function textOf(error: unknown): string {
  if (error instanceof LabRefused) return error.code === 'network' ? error.message : `${error.message} (${error.code})`
  return error instanceof Error ? error.message : String(error)
}
