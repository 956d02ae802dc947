/**
 * Replays a recording in this process: the venue that it begins with, the same calls, the same commands; then the comparison.
 *
 * Exact     whatever clock the venue had, and with a simulated market, too: time is the recording's, and what nobody asked for comes
 *           from its journal
 * Source    lab.md §4.8; decisions/0038
 */
import { readConfiguration } from '../../operator/config/configuration.ts'
import type { Configuration } from '../../operator/operator.ts'
import { type LabSettings, readLabSettings } from '../settings.ts'
import type { Lab, VenueAsk } from '../venues.ts'
import type { Difference } from './differences.ts'
import { Player } from './player.ts'
import type { Tide } from './tide-file.ts'

/** Opens a laboratory with the venue that is asked for. */
export type OpenLab = (configuration: Configuration, settings: LabSettings, ask: VenueAsk) => Promise<Lab>

export interface Replayed {
  readonly difference: Difference | undefined
  /** Real milliseconds, without the start of the venue. */
  readonly tookMs: number
  /** The venue as it was left behind the request that was asked for. */
  readonly left?: Lab
}

/** Throws LabRefusal for what this version cannot begin with. */
export async function replay(tide: Tide, open: OpenLab, until?: number): Promise<Replayed> {
  const player = new Player(tide)
  const lab = await openRecorded(tide, open, { frozen: true, player })
  let isLeft = false
  try {
    const startedMs = performance.now()
    const difference = await player.play(lab.find('main'), until)
    const tookMs = performance.now() - startedMs
    isLeft = until !== undefined && difference === undefined
    return { difference, tookMs, ...(isLeft && { left: lab }) }
  } finally {
    if (!isLeft) await lab.close()
  }
}

/** The venue that a recording begins with. A player has time and market in its hands. */
export function openRecorded(
  { head, base }: Tide,
  open: OpenLab,
  ask: Pick<VenueAsk, 'frozen' | 'player'>,
): Promise<Lab> {
  const isPlayed = ask.player instanceof Player
  const options = { port: '0', simulator: !isPlayed && head.simulator ? 'on' : 'off', logLevel: 'error' }
  const { configuration } = readConfiguration({ options, strangers: [], environment: {}, configFile: undefined })
  const settings = readLabSettings({ recording: 'off', ...(isPlayed && { deterministic: 'true' }) }, {}, true)
  // What was to be done by itself is in the journal.
  const played = { ...base, simulator: undefined, agenda: undefined, way: withoutWaiting(base.way) }
  const from = isPlayed ? played : base
  return open({ ...configuration, ...head.options }, settings, { ...ask, from, ...(isPlayed && { simulator: false }) })
}

/** Commands that were waiting when it began: they are in the journal. */
function withoutWaiting(way: Tide['base']['way']): Tide['base']['way'] {
  const faults = way['faults']
  return typeof faults === 'object' ? { ...way, faults: { ...faults, waiting: [] } } : way
}
