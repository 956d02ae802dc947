/**
 * `node venue.ts DATA PORT [ACTIVITY]`: a busy demo venue to be mirrored, until a signal ends it.
 */
import pino from 'pino'
import { startVenue } from '../../src/main.ts'
import { defaults } from '../../src/operator/config/settings.ts'

const [data, port, activity = '40'] = process.argv.slice(2)
const venue = await startVenue(
  { ...defaults, data, port: Number(port), operatorPort: 0, durability: 'os', noRateLimits: true },
  {
    log: pino({ level: 'error' }),
    onFatal: (error) => {
      throw error
    },
    onMarket: (simulator) => simulator.setActivity(Number(activity)),
  },
)
process.stdout.write(`ready ${venue.url}\n`)
process.once('SIGTERM', () => void venue.stop().then(() => process.exit(0)))
