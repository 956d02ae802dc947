/**
 * Events are complete: nothing changes without one. Whoever shows books, orders and accounts knows from events and book
 * sequences alone when to look again. After each command of the random traders (support/random-traders.ts) what has
 * changed is compared with the events.
 */
import { expect, test } from 'vitest'
import { productLines } from '../../src/engine/catalog/catalog.ts'
import type { Event } from '../../src/engine/protocol/event.ts'
import { walletTypes } from '../../src/engine/vocabulary.ts'
import { tries } from '../support/depth.ts'
import { admitRandomTraders, RandomTraders } from './support/random-traders.ts'
import { Exchange, instrumentId } from './support/exchange.ts'
import { type MarketName, markets } from './support/listings.ts'
import { traders } from './support/people.ts'
import { scenario } from './support/table.ts'

const versions = ['v2', 'v3'] as const
const marketNames = Object.keys(markets) as MarketName[]

function sequenceOf(exchange: Exchange, market: MarketName): number {
  return exchange.query({ kind: 'book-sequence', instrument: instrumentId(market) })
}

scenario('a book names the command that last changed it', (exchange) => {
  traders(exchange, 'alice', 'bob')
  const changedBy = () => {
    const sequence = sequenceOf(exchange, 'SOLUSDT')
    return exchange.applied[sequence - 1]?.command.kind
  }
  expect(sequenceOf(exchange, 'SOLUSDT')).toBe(0)
  exchange.given('alice: sell 5 oid:ask @ 100')
  expect(changedBy()).toBe('place-order')
  const resting = sequenceOf(exchange, 'SOLUSDT')
  exchange.given('alice: sell 1 BTCUSDT @ 61000', 'bob: buy 1 ioc @ 99')
  expect(sequenceOf(exchange, 'SOLUSDT'), 'another book, and an order that found nothing').toBe(resting)
  exchange.given('bob: buy 2 @ 100')
  expect(sequenceOf(exchange, 'SOLUSDT')).toBe(exchange.applied.length)
  exchange.cancel('alice', 'ask')
  expect(changedBy()).toBe('cancel-order')
})

/** Ids of what waits, by events alone. */
class Waiting {
  readonly orders = new Set<number>()
  readonly triggers = new Set<number>()

  apply(events: readonly Event[]): void {
    for (const event of events) {
      if (event.kind === 'order-accepted') this.orders.add(event.orderId)
      if (event.kind === 'order-ended') this.orders.delete(event.order.orderId)
      if (event.kind === 'trigger-accepted') this.triggers.add(event.orderId)
      if (event.kind === 'trigger-ended') this.triggers.delete(event.trigger.orderId)
    }
  }
}

function concerns(event: Event, uid: number): boolean {
  if (event.kind === 'order-ended') return event.order.uid === uid
  if (event.kind === 'trigger-ended') return event.trigger.uid === uid
  if (event.kind === 'transfer') return event.fromUid === uid || event.toUid === uid
  if (event.kind === 'rebate') return event.brokerUid === uid
  return 'uid' in event && event.uid === uid
}

/** What an account has, but for what follows from prices and the time. */
function possessions(exchange: Exchange, uid: number): string {
  const balances = walletTypes.flatMap((wallet) =>
    exchange
      .query({ kind: 'balances', uid, wallet })
      .map(({ balance, held, principal }) => `${balance} ${held} ${principal}`),
  )
  const positions = versions.flatMap((version) =>
    productLines.flatMap((line) =>
      exchange
        .query({ kind: 'positions', uid, interface: version, line, instrument: undefined })
        .map(({ instrument, side, quantity, leverage, marginMode, autoMargin, realizedPnl, locked }) =>
          [instrument, side, quantity, leverage, marginMode, autoMargin, realizedPnl, locked].join(' '),
        ),
    ),
  )
  return [...balances, ...positions].join('\n')
}

test.each([1, 2, 3].slice(0, tries(3)))(
  'nothing changes without an event: seed %i',
  (seed) => {
    const exchange = new Exchange()
    const waits = new Waiting()
    admitRandomTraders(exchange)
    for (const { events } of exchange.applied) waits.apply(events)
    const randomTraders = new RandomTraders(exchange, seed)
    const uids = exchange.query({ kind: 'accounts' }).map(({ uid }) => uid)
    const owned = new Map(uids.map((uid) => [uid, possessions(exchange, uid)]))
    const depths = new Map(marketNames.map((market) => [market, exchange.depth(market)]))
    for (let count = 0; count < 400; count++) {
      exchange.apply(randomTraders.next())
      const { command, events } = exchange.applied.at(-1) ?? { events: [] }
      const what = `${count}: ${command?.kind}`
      waits.apply(events)
      for (const market of marketNames) {
        const depth = exchange.depth(market)
        if (depth !== depths.get(market)) expect(sequenceOf(exchange, market), what).toBe(exchange.applied.length)
        depths.set(market, depth)
      }
      for (const uid of uids) {
        const owns = possessions(exchange, uid)
        if (owns !== owned.get(uid))
          expect(
            events.some((event) => concerns(event, uid)),
            `${what} of ${uid}`,
          ).toBe(true)
        owned.set(uid, owns)
      }
      const everything = { category: undefined, instrument: undefined }
      const open = uids.flatMap((uid) =>
        versions.flatMap((version) => exchange.query({ kind: 'open-orders', uid, interface: version, ...everything })),
      )
      expect(new Set(open.map(({ orderId }) => orderId)), what).toEqual(waits.orders)
      const waiting = uids.flatMap((uid) =>
        versions.flatMap((version) =>
          exchange.query({ kind: 'triggers', uid, interface: version, ...everything, kinds: [] }),
        ),
      )
      expect(new Set(waiting.map(({ orderId }) => orderId)), what).toEqual(waits.triggers)
    }
  },
  60_000,
)
