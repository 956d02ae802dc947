/**
 * A laboratory with a session to record: bots over REST and sockets, drawn from a seed, on a clock that runs with a simulated
 * market or one that stands and is moved.
 */
import { readLabSettings } from '../../../src/lab/settings.ts'
import type { LabShelves } from '../../../src/lab/venues.ts'
import { openLab } from '../../../src/processes/laboratory.ts'
import { readConfiguration } from '../../../src/operator/config/configuration.ts'
import { Random } from '../../../src/simulator/random.ts'
import { Socket } from '../../support/socket.ts'
import { LabVenue } from '../laboratory.ts'

export interface Session {
  readonly main: LabShelves
  readonly venue: LabVenue
  /** Its clock runs, and simulated traders trade. */
  readonly lives: boolean
  close(): Promise<void>
}

export async function openSession(lives: boolean, settings: Readonly<Record<string, string>> = {}): Promise<Session> {
  const options = { port: '0', simulator: lives ? 'on' : 'off', logLevel: 'silent' }
  const { configuration } = readConfiguration({ options, strangers: [], environment: {}, configFile: undefined })
  const lab = await openLab(configuration, readLabSettings({ deterministic: String(!lives), ...settings }, {}, true))
  const main = lab.find('main')
  return { main, venue: await LabVenue.at(main.venue.parts.url), lives, close: () => lab.close() }
}

const category = 'USDT-FUTURES'

/** So many calls of each of three bots at once: two over REST, one over a socket. */
export async function trade({ main, venue }: Session, seed: number, calls: number, step = 0): Promise<void> {
  const random = new Random(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.share() * list.length)]
  const now = () => Math.floor(main.venue.parts.runtime.now())
  const orders = ['0']
  const order = () => ({
    symbol: pick(['BTCUSDT', 'ETHUSDT']),
    orderType: 'limit',
    timeInForce: 'gtc',
    side: pick(['buy', 'sell']),
    price: String(59_900 + Math.floor(random.share() * 200)),
    qty: '0.05',
  })
  const overRest = async (role: string) => {
    const person = venue.person(role, now)
    for (let call = 0; call < calls; call += 1) {
      const drawn = random.share()
      if (drawn < 0.6) {
        // A fault may have taken the answer away.
        const answer = await person.post('/api/v3/trade/place-order', { category, ...order() }).catch(() => undefined)
        const placed = (answer?.data as { orderId?: string } | null | undefined)?.orderId
        if (placed !== undefined) orders.push(placed)
      } else if (drawn < 0.7) {
        await person.post('/api/v3/trade/cancel-order', { orderId: pick(orders) }).catch(() => undefined)
      } else if (drawn < 0.75) {
        await venue.exchange({ method: 'GET', target: pick(['/health', '/api/v9/nothing']), headers: {} })
      } else {
        const path = pick(['trade/unfilled-orders', 'trade/fills', 'account/assets', 'position/current-position'])
        await person.get(`/api/v3/${path}`, { category, limit: 100 })
      }
      if (step > 0 && drawn > 0.97) await venue.post('/clock', { step })
    }
  }
  const overSocket = async (role: string) => {
    const socket = await Socket.of(
      { venue: { url: venue.url, now, exchange: (asked) => venue.exchange(asked) }, key: venue.person(role, now).key },
      '/v3/ws/private',
    )
    await socket.subscribe({ instType: 'UTA', topic: 'order' })
    for (let call = 0; call < Math.min(8, calls); call += 1) {
      const id = `s${call}`
      socket.send({ op: 'trade', id, topic: 'place-order', category, args: [order()] })
      // A fault may have closed it.
      const answered = await socket.next((message) => message['id'] === id).catch(() => undefined)
      if (answered === undefined) return
    }
    socket.close()
  }
  await Promise.all([overRest('unified-main'), overRest('unified-peer'), overSocket('unified-sub')])
}
