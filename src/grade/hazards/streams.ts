/**
 * H23 to H35: sockets and reads that do not tell what is.
 */
import { type Hazard, second } from './hazard.ts'

const group = 'streams'
const reads = 'reads'
const pushes = { endpoint: 'ws:private' } as const
/** Long enough for some orders. */
const shuffleMs = (ms: (unscaled: number) => number) => Math.max(4_000, ms(20 * second))
const pushFirstMsMin = 3_000
const openOrders = 'GET /api/v3/trade/unfilled-orders'
const books = { endpoint: 'ws:public' } as const

export const streamHazards: readonly Hazard[] = [
  {
    id: 'H23',
    group,
    name: 'cut while filling',
    says: 'The sockets are cut at the moment at which an order is filled.',
    reached: 'an order was filled while the sockets were cut',
    async act(scene) {
      const order = await scene.takes(1, async () => {
        scene.strike('cuts the sockets and fills an order')
        await scene.fault({ fault: 'ws-cut' })
      })
      return order !== undefined
    },
  },
  {
    id: 'H24',
    group,
    name: 'all cut 30 s',
    says: 'All sockets are cut, and none can be opened for half a minute.',
    reached: 'a socket was asked for meanwhile',
    async act(scene) {
      if (!(await scene.listens())) return false
      scene.strike('cuts all sockets, and opens none')
      await scene.fault({ fault: 'ws-cut', with: { for: scene.ms(30 * second) } })
      return scene.sees('handshake', scene.ms(30 * second))
    },
    isOutage: true,
  },
  {
    id: 'H25',
    group,
    name: 'open and silent',
    says: 'The sockets stay open, and nothing comes over them for a minute.',
    reached: 'the bot has a private socket, and an order came in meanwhile',
    async act(scene) {
      if (!(await scene.listens())) return false
      scene.strike('falls silent')
      await scene.fault({ fault: 'ws-stall', with: { for: scene.ms(60 * second) } })
      return scene.sees('order', scene.ms(60 * second))
    },
  },
  {
    id: 'H26',
    group,
    name: 'fill twice',
    says: 'What is pushed of orders and fills comes twice.',
    reached: 'a private push came twice',
    rules: ({ role }) => [{ fault: 'ws-duplicate', on: { ...pushes, role }, when: { first: 20 }, times: 20 }],
    lasts: 20 * second,
  },
  {
    id: 'H27',
    group,
    name: 'filled before live',
    says: 'Private pushes come in another order for twenty seconds: filled before live.',
    reached: 'the bot has a private socket, and an order came in meanwhile',
    async act(scene) {
      const { role, ms } = scene
      if (!(await scene.listens())) return false
      scene.strike('shuffles private pushes')
      await scene.fault({ fault: 'ws-reorder', on: { ...pushes, role }, with: { span: 4, for: shuffleMs(ms) } })
      return scene.sees('order', shuffleMs(ms))
    },
  },
  {
    id: 'H28',
    group,
    name: 'delta lost',
    says: 'A push of the book is lost: what follows does not fit.',
    reached: 'a public push was lost',
    rules: () => [{ fault: 'ws-drop', on: books, when: { first: 3 }, times: 3 }],
    lasts: 5 * second,
  },
  {
    id: 'H29',
    group,
    name: 'push before answer',
    says: 'The push of an order comes before the answer to its request, for ten seconds.',
    reached: 'an order was answered late while pushes went at once',
    async act(scene) {
      const { role, ms } = scene
      scene.strike('keeps answers back for 300 ms')
      await scene.latency([{ leg: 'ack', on: { endpoint: 'orders', role }, constant: 300 }])
      const isMet = await scene.sees('order', Math.max(pushFirstMsMin, ms(10 * second)))
      await scene.latency([])
      return isMet
    },
  },
  {
    id: 'H30',
    group,
    name: '5 s behind',
    says: 'Private pushes come five seconds late, for half a minute.',
    reached: 'the bot has a private socket, and an order came in meanwhile',
    async act(scene) {
      const { role, ms } = scene
      if (!(await scene.listens())) return false
      scene.strike('lets private pushes wait for five seconds')
      await scene.latency([{ leg: 'private', on: { ...pushes, role }, constant: ms(5 * second) }])
      const isMet = await scene.sees('order', ms(30 * second))
      await scene.latency([])
      await scene.wait(ms(5 * second))
      return isMet
    },
  },
  {
    id: 'H31',
    group,
    name: 'login refused once',
    says: 'The sockets are cut, and the first login after that is refused.',
    reached: 'a login was refused',
    async act(scene) {
      scene.strike('cuts the sockets')
      await scene.fault({ fault: 'ws-refuse-login', when: { nth: 1 } }, { fault: 'ws-cut' })
      return (await scene.fired(({ fault }) => fault === 'ws-refuse-login')) !== undefined
    },
  },
  {
    id: 'H32',
    group,
    name: 'subscription lost after reconnect',
    says: 'The sockets are cut. The new ones have subscribed, and then nothing is pushed any more.',
    reached: 'the bot subscribed anew, and an order came in after that',
    async act(scene) {
      if (!(await scene.listens())) return false
      scene.strike('cuts the sockets')
      await scene.fault({ fault: 'ws-cut' })
      if (!(await scene.subscribes())) return false
      scene.note('loses the subscriptions')
      await scene.fault({ fault: 'ws-lose-subscription', on: { endpoint: 'ws:private' } })
      return scene.sees('order', shuffleMs(scene.ms))
    },
  },
  {
    id: 'H33',
    group: reads,
    name: 'order not found for 3 s',
    says: 'Reads are three seconds behind: the order that was just placed is not found.',
    reached: 'a read was answered as of before',
    rules: ({ role, ms }) => [
      { fault: 'stale-reads', on: { endpoint: 'account', role }, with: { ms: ms(3 * second), for: ms(20 * second) } },
    ],
    lasts: 20 * second,
  },
  {
    id: 'H34',
    group: reads,
    name: 'rows shift while paging',
    says: 'While the bot goes through pages of a list, a row of the first page goes.',
    reached: 'the bot asked for a further page after a row had gone',
    async act(scene) {
      const { role } = scene
      const order = await scene.resting()
      if (order === undefined) return false
      const slow = { fault: 'late-ack', when: { nth: 1 }, with: { ms: 400 } } as const
      await scene.fault({ ...slow, on: { endpoint: openOrders, role } })
      if ((await scene.fired()) === undefined) return false
      const page = scene.sees('page', 2_000)
      scene.strike('fills an order between two pages')
      return (await scene.takes(1)) !== undefined && (await page)
    },
  },
  {
    id: 'H35',
    group: reads,
    name: 'prices stand 60 s',
    says: 'Tickers, mark and candles stand still; the engine goes on.',
    reached: 'an order came in meanwhile',
    async act(scene) {
      const { symbol, ms } = scene
      scene.strike('lets prices stand')
      await scene.fault({ fault: 'stale-prices', with: { symbol, for: ms(60 * second) } })
      return scene.sees('order', ms(60 * second))
    },
  },
]
