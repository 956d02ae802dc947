/** The laboratory of in-process.ts, in its thread: says where it is, and closes when it is told anything. */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { readLabSettings } from '../../src/lab/settings.ts'
import { openLab } from '../../src/processes/laboratory.ts'
import { readConfiguration } from '../../src/operator/config/configuration.ts'
import type { ProcessSettings } from './lab-process.ts'

const { deterministic, rateLimits } = workerData as ProcessSettings
const options = { port: '0', simulator: 'off', logLevel: 'warn', ...(!rateLimits && { noRateLimits: 'true' }) }
const { configuration } = readConfiguration({ options, strangers: [], environment: {}, configFile: undefined })
const lab = await openLab(configuration, readLabSettings({ deterministic: String(deterministic) }, {}, true))
parentPort?.postMessage(lab.find('main').venue.parts.url)
if (parentPort !== null) await once(parentPort, 'message')
await lab.close()
