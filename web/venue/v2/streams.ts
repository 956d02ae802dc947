/**
 * The private streams of a classic account.
 *
 * Told      orders, fills and positions in full, except what spot orders bring along and fills of cross margin: these are read
 *           when such an order comes, or fills
 * Changed   of wallets and triggers only that something has: a push has not all that is shown of them
 * Source    wire/websocket.md §4; docs/streams.md
 */
import type { AccountEvents } from '../account.ts'
import { isOpen, type OrderStep } from '../account-records.ts'
import { type Argument, VenueSocket } from '../sockets.ts'
import type { Access } from './access.ts'
import * as futures from './futures-records.ts'
import * as pairs from './pair-records.ts'

/** Answers how to end it. */
export function watch(access: Access, events: AccountEvents): () => void {
  const socket = new VenueSocket({
    path: '/v2/ws/private',
    login: () => access.caller.login(),
    onRefused: events.onRefused,
    onState: events.onState,
  })
  const take = (arg: Argument, heard: (rows: readonly unknown[]) => void) =>
    socket.subscribe(arg, ({ data }) => heard(data))
  const all = { instId: 'default' }
  for (const line of access.lines) {
    take({ instType: line, channel: 'orders', ...all }, (rows) =>
      events.onOrders(access.read(line, rows as futures.OrderRecord[], access.orderReader(line))),
    )
    take({ instType: line, channel: 'fill', ...all }, (rows) =>
      events.onFills(
        access.read(line, rows as futures.FillRecord[], (instrument, row) =>
          futures.pushedFillOf(line, instrument, row),
        ),
      ),
    )
    take({ instType: line, channel: 'positions', ...all }, (rows) => {
      access.keepPositions(line, rows as futures.PositionRecord[])
      events.onPositions(access.allPositions())
    })
    take({ instType: line, channel: 'orders-algo', ...all }, events.onTriggers)
    take({ instType: line, channel: 'account', coin: 'default' }, events.onWallets)
  }
  if (access.seesSpot) {
    take({ instType: 'SPOT', channel: 'orders', ...all }, (rows) =>
      takeSpotOrders(access, (rows as pairs.SpotPushRecord[]).map(pairs.spotStepOf), events),
    )
    take({ instType: 'SPOT', channel: 'fill', ...all }, (rows) =>
      events.onFills((rows as pairs.PairFillRecord[]).map((row) => pairs.pairFillOf('SPOT', row.symbol ?? '', row))),
    )
    take({ instType: 'SPOT', channel: 'orders-algo', ...all }, events.onTriggers)
    take({ instType: 'SPOT', channel: 'account', coin: 'default' }, events.onWallets)
  }
  if (access.seesMargin) {
    take({ instType: 'MARGIN', channel: 'orders-crossed', ...all }, (rows) => {
      const steps = (rows as pairs.MarginOrderRecord[]).map(pairs.marginOrderOf)
      events.onOrders(steps)
      for (const { id, symbol, filled } of steps) {
        if (Number(filled) > 0) void access.margin.fillsOf(id, symbol).then(events.onFills, () => {})
      }
    })
    take({ instType: 'MARGIN', channel: 'account-crossed', coin: 'default' }, events.onWallets)
  }
  return () => socket.close()
}

function takeSpotOrders(access: Access, steps: readonly OrderStep[], events: AccountEvents): void {
  events.onOrders(steps)
  for (const step of steps) {
    if (!isOpen(step) || step.createdAt !== step.updatedAt) continue
    const query = { orderId: step.id }
    void access.caller.get<pairs.OpenSpotRecord[]>('/api/v2/spot/trade/unfilled-orders', query).then(
      (found) =>
        events.onOrders(found.map((record) => ({ ...pairs.openSpotOf(record), timeInForce: step.timeInForce }))),
      () => {}, // it is read again with the next connection
    )
  }
}
