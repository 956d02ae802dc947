/**
 * A demo venue on which everything happens that a channel tells of, and what every channel pushed meanwhile.
 *
 * Who    of v2 the classic main account, of v3 the unified one; the peer trades against both
 */
import { type ChannelEntry, subscribed } from '../../src/stream/stream.ts'
import { Laboratory, type LabVenue, type Shown } from '../lab/laboratory.ts'
import type { Person } from '../support/person.ts'
import { type Message, Socket } from '../support/socket.ts'

/** Pushes of an entry with rows in them, oldest first, under each name of its channel. */
type Pushed = ReadonlyMap<ChannelEntry, readonly Message[]>

interface Watched {
  readonly entry: ChannelEntry
  readonly socket: Socket
}

/** Every channel of the entries is subscribed to. */
export class EveryChannel {
  readonly #laboratory: Laboratory
  readonly #sockets: readonly Watched[]

  private constructor(laboratory: Laboratory, sockets: readonly Watched[]) {
    this.#laboratory = laboratory
    this.#sockets = sockets
  }

  static async open(entries: readonly ChannelEntry[]): Promise<EveryChannel> {
    const laboratory = await Laboratory.open('--deterministic')
    const venue = laboratory.main
    await venue.post('/cheats', { price: { coin: 'BTC', price: '60000' } })
    const people = await peopleOf(venue)
    await makeBooks(people)
    const sockets = await Promise.all(
      entries.flatMap((entry) =>
        entry.names.map(async (name) => {
          const path = `/${entry.version}/ws/${entry.scope}` as const
          const who = entry.version === 'v2' ? people.classic : people.unified
          const socket = entry.scope === 'public' ? await Socket.open(venue, path) : await Socket.of(who, path)
          await socket.subscribe(subscribed(entry, name))
          return { entry, socket }
        }),
      ),
    )
    return new EveryChannel(laboratory, sockets)
  }

  /** Everything that channels tell of happens. */
  async play(): Promise<void> {
    const venue = this.#laboratory.main
    const people = await peopleOf(venue)
    await tradeClassic(people)
    await tradeUnified(people)
    for (const uid of ['classic-main', 'unified-main']) {
      const position = { uid, symbol: 'ETHUSDT', side: 'long', size: '2', leverage: 20, marginMode: 'isolated' }
      await venue.post('/cheats', { position })
      await venue.post('/cheats', { adl: { uid, symbol: 'ETHUSDT' } })
    }
    const position = { uid: 'unified-sub', symbol: 'ETHUSDT', side: 'long', size: '1', leverage: 20 }
    await venue.post('/cheats', { position: { ...position, marginMode: 'isolated' } })
    await venue.post('/cheats', { liquidate: { uid: 'unified-sub', symbol: 'ETHUSDT' } })
  }

  get url(): string {
    return this.#laboratory.main.url
  }

  get pushed(): Pushed {
    const pushed = new Map<ChannelEntry, Message[]>()
    for (const { entry, socket } of this.#sockets) {
      const known = pushed.get(entry) ?? []
      known.push(...socket.heard.filter(({ action, data = [] }) => action !== undefined && data.length > 0))
      pushed.set(entry, known)
    }
    return pushed
  }

  async close(): Promise<void> {
    for (const { socket } of this.#sockets) socket.close()
    await this.#laboratory.close()
  }
}

interface People {
  readonly classic: Person
  readonly unified: Person
  readonly peer: Person
}

async function peopleOf(venue: LabVenue): Promise<People> {
  const { now } = await venue.get<Shown>('')
  const of = (role: string) => venue.person(role, () => now)
  return { classic: of('classic-main'), unified: of('unified-main'), peer: of('unified-peer') }
}

async function done(person: Person, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await person.post(path, body)
  if (answer.code !== '00000') throw new Error(`${path}: ${answer.text}`)
  return answer.envelope?.['data'] as Readonly<Record<string, unknown>>
}

const spot = { category: 'SPOT', symbol: 'BTCUSDT' }
const future = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
const mix = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed' }

/** Limit orders of the peer, `sell 0.1 @ 60000`. */
async function rest({ peer }: Pick<People, 'peer'>, market: object, line: string): Promise<void> {
  const [side, qty, , price] = line.split(' ')
  await done(peer, '/api/v3/trade/place-order', { ...market, side, qty, price, orderType: 'limit' })
}

/** A trade and a level on each side, of the pair and of the contract. */
async function makeBooks(people: People): Promise<void> {
  for (const market of [spot, future]) {
    await rest(people, market, 'sell 0.03 @ 60000')
    await rest(people, market, 'buy 0.02 @ 59900')
    const order = { ...market, side: 'buy', qty: '0.01', price: '60000', orderType: 'limit' }
    await done(people.unified, '/api/v3/trade/place-order', order)
  }
}

async function tradeClassic({ classic }: People): Promise<void> {
  const post = (path: string, body: object) => done(classic, path, body)
  const onSpot = { symbol: 'BTCUSDT', side: 'buy', force: 'gtc' }
  const rests = { orderType: 'limit', price: '50000' }
  await post('/api/v2/spot/trade/place-order', { ...onSpot, ...rests, size: '0.01', clientOid: 'spot-limit' })
  await post('/api/v2/spot/trade/place-order', {
    ...onSpot,
    orderType: 'market',
    size: '300',
    clientOid: 'spot-market',
  })
  const plan = { symbol: 'BTCUSDT', side: 'buy', triggerPrice: '55000', orderType: 'limit', executePrice: '55000' }
  const { orderId } = await post('/api/v2/spot/trade/place-plan-order', {
    ...plan,
    size: '0.01',
    triggerType: 'mark_price',
  })
  await post('/api/v2/spot/trade/cancel-plan-order', { orderId })
  await post('/api/v2/margin/crossed/account/borrow', { coin: 'USDT', borrowAmount: '100' })
  const onMargin = { ...onSpot, ...rests, baseSize: '0.001', loanType: 'normal' }
  await post('/api/v2/margin/crossed/place-order', onMargin)
  const taken = { ...onSpot, orderType: 'market', quoteSize: '60', loanType: 'normal' }
  await post('/api/v2/margin/crossed/place-order', taken)
  await post('/api/v2/mix/order/place-order', { ...mix, ...rests, side: 'buy', size: '0.01', clientOid: 'limit' })
  await post('/api/v2/mix/order/place-order', { ...mix, side: 'buy', orderType: 'market', size: '0.01' })
  const trigger = { ...mix, side: 'sell', size: '0.01', triggerType: 'mark_price', orderType: 'market' }
  await post('/api/v2/mix/order/place-plan-order', { ...trigger, planType: 'normal_plan', triggerPrice: '70000' })
  const trailing = { ...trigger, planType: 'track_plan', triggerPrice: '70000', callbackRatio: '1' }
  await post('/api/v2/mix/order/place-plan-order', trailing)
  await post('/api/v2/mix/order/place-order', {
    ...mix,
    side: 'sell',
    orderType: 'market',
    size: '0.01',
    reduceOnly: 'YES',
  })
}

async function tradeUnified({ unified }: People): Promise<void> {
  const post = (path: string, body: object) => done(unified, path, body)
  const limit = { side: 'buy', orderType: 'limit', price: '50000', qty: '0.01' }
  await post('/api/v3/trade/place-order', { ...spot, ...limit })
  const { orderId } = await post('/api/v3/trade/place-order', { ...future, ...limit, takeProfit: '70000' })
  await post('/api/v3/trade/modify-order', {
    orderId,
    symbol: 'BTCUSDT',
    category: 'USDT-FUTURES',
    qty: '0.02',
    requestId: '1',
  })
  const close = { ...future, side: 'sell', orderType: 'market', qty: '0.01', reduceOnly: 'yes' }
  const strategy = { ...future, type: 'trigger', side: 'sell', qty: '0.01', triggerPrice: '70000', triggerBy: 'mark' }
  await post('/api/v3/trade/place-strategy-order', { ...strategy, triggerOrderType: 'market' })
  await post('/api/v3/trade/place-strategy-order', { ...strategy, callbackRatio: '1' })
  await post('/api/v3/trade/place-order', close)
}
