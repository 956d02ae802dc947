/** A laboratory in the process of the test: quicker to open than one of its own, and all the same to whoever speaks to it. */
import { readLabSettings } from '../../src/lab/settings.ts'
import { openLab } from '../../src/processes/laboratory.ts'
import { readConfiguration } from '../../src/operator/config/configuration.ts'
import { LabVenue } from './laboratory.ts'

export interface OpenedHere {
  readonly venue: LabVenue
  close(): Promise<void>
}

/** `settings` are those of `tidemark dev`, by name; of those of every venue `simulator`. */
export async function openHere(settings: Readonly<Record<string, string>>): Promise<OpenedHere> {
  const { simulator = 'off', ...ofLab } = settings
  const options = { port: '0', simulator, logLevel: 'silent', noRateLimits: 'true' }
  const { configuration } = readConfiguration({ options, strangers: [], environment: {}, configFile: undefined })
  const lab = await openLab(configuration, readLabSettings({ deterministic: 'true', ...ofLab }, {}, true))
  return { venue: await LabVenue.at(lab.onePort?.url ?? lab.find('main').venue.parts.url), close: () => lab.close() }
}
