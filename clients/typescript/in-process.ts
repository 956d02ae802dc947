/**
 * A laboratory in this very process, for those who step through the venue and their bot in one debugger.
 *
 * Shared   one for each settings, as long as somebody holds it
 * Timers   of a test that makes them fake are the venue's, too, and then it stands: leave them real here
 */
import type { Held, ProcessSettings } from './lab-process.ts'

const open = new Map<
  string,
  { readonly lab: Promise<{ readonly url: string; close(): Promise<void> }>; holders: number }
>()

export async function holdHere(settings: ProcessSettings): Promise<Held> {
  const named = JSON.stringify([settings.deterministic, settings.rateLimits])
  const entry = open.get(named) ?? { lab: openHere(settings), holders: 0 }
  open.set(named, entry)
  entry.holders += 1
  const leave = async () => {
    entry.holders -= 1
    if (entry.holders > 0) return
    open.delete(named)
    await (await entry.lab).close()
  }
  try {
    return { url: (await entry.lab).url, leave }
  } catch (error) {
    open.delete(named)
    throw error
  }
}

async function openHere({ deterministic, rateLimits }: ProcessSettings) {
  const { readConfiguration } = await import('../../src/operator/config/configuration.ts')
  const { readLabSettings } = await import('../../src/lab/settings.ts')
  const { openLab } = await import('../../src/main.ts')
  const options = { port: '0', simulator: 'off', logLevel: 'warn', ...(!rateLimits && { noRateLimits: 'true' }) }
  const { configuration } = readConfiguration({ options, strangers: [], environment: {}, configFile: undefined })
  const lab = await openLab(configuration, readLabSettings({ deterministic: String(deterministic) }, {}, true))
  return { url: lab.find('main').venue.parts.url, close: () => lab.close() }
}
