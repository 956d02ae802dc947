/**
 * What a classic account does with orders and positions.
 *
 * Changed   an order with a new price or quantity is a new order for what is left of it
 * Batches   answer each entry for itself: the first failure is the failure
 * Source    interface.md E3, E7; wire/client-endpoints.md §4; docs/interface.md
 */
import { units, unitsText } from '../../numbers/decimal.ts'
import type { Account, OrderChange, OrderDraft, TriggerChange } from '../account.ts'
import type { Order, Position, Trigger } from '../account-records.ts'
import { type Category, futuresLines, isFuturesLine } from '../categories.ts'
import type { Instrument } from '../instruments.ts'
import { loadTickers } from '../market-records.ts'
import { VenueError } from '../rest.ts'
import type { Access } from './access.ts'
import { contractNamed, directionOf, orderRequest } from './order-requests.ts'

/** Of one batch of cancels (E7). */
const batchMax = 50

interface Failures {
  readonly failureList: readonly { readonly errorMsg: string; readonly errorCode?: string }[]
}

type Orders = Pick<
  Account,
  | 'place'
  | 'placeAll'
  | 'cancel'
  | 'cancelTrigger'
  | 'cancelAll'
  | 'change'
  | 'changeTrigger'
  | 'close'
  | 'reverse'
  | 'changeMargin'
  | 'setTpsl'
>

export function ordersOf(access: Access): Orders {
  return {
    async place(draft: OrderDraft): Promise<boolean> {
      const { instrument, price, trigger, posSide, reduces, side } = draft
      const closes = posSide ?? (side === 'sell' ? 'long' : 'short')
      const entry = reduces ? access.entryPrice(instrument.category, instrument.symbol, closes) : undefined
      const at = units(entry ?? (price || trigger?.price || (await markPrice(instrument))))
      const { path, body } = orderRequest(draft, access.size(instrument, draft.quantity, at))
      const { orderId } = await access.caller.post<{ readonly orderId?: string }>(path, body)
      return orderId === undefined
    },

    async placeAll(drafts: readonly OrderDraft[]): Promise<readonly VenueError[]> {
      const bodies = drafts.map((draft) => {
        const { instrument, price, quantity, posSide, reduces, side } = draft
        const closes = posSide ?? (side === 'sell' ? 'long' : 'short')
        const entry = reduces ? access.entryPrice(instrument.category, instrument.symbol, closes) : undefined
        return orderRequest(draft, access.size(instrument, quantity, units(entry ?? price))).body
      })
      const [first] = drafts
      if (first === undefined) return []
      const { category, symbol } = first.instrument
      const shared = isFuturesLine(category)
        ? { ...contractNamed(first.instrument), marginMode: first.marginMode }
        : { symbol }
      const path = isFuturesLine(category)
        ? '/api/v2/mix/order/batch-place-order'
        : category === 'SPOT'
          ? '/api/v2/spot/trade/batch-orders'
          : '/api/v2/margin/crossed/batch-place-order'
      const { failureList } = await access.caller.post<Failures>(path, { ...shared, orderList: bodies })
      return failureList.map(({ errorCode = '', errorMsg }) => new VenueError(errorCode, errorMsg))
    },

    async cancel({ id: orderId, category, symbol }: Order): Promise<void> {
      const path = isFuturesLine(category)
        ? '/api/v2/mix/order/cancel-order'
        : category === 'SPOT'
          ? '/api/v2/spot/trade/cancel-order'
          : '/api/v2/margin/crossed/cancel-order'
      await access.caller.post(path, { orderId, symbol, ...(isFuturesLine(category) ? { productType: category } : {}) })
    },

    async cancelTrigger({ id: orderId, category, symbol }: Trigger): Promise<void> {
      if (!isFuturesLine(category)) {
        await access.caller.post('/api/v2/spot/trade/cancel-plan-order', { orderId })
        return
      }
      const body = { productType: category, symbol, orderIdList: [{ orderId }] }
      check(await access.caller.post<Failures>('/api/v2/mix/order/cancel-plan-order', body))
    },

    async cancelAll(orders: readonly Order[], triggers: readonly Trigger[], symbol?: string): Promise<void> {
      const ofSymbol = symbol === undefined ? {} : { symbol }
      const of = (list: readonly { category: Category }[], category: Category) =>
        list.some((row) => row.category === category)
      const cancel = async (path: string, body: object) => check(await access.caller.post<Failures>(path, body))
      await Promise.all([
        ...futuresLines.flatMap((productType) => [
          ...(of(orders, productType)
            ? [cancel('/api/v2/mix/order/batch-cancel-orders', { productType, ...ofSymbol })]
            : []),
          ...(of(triggers, productType)
            ? [cancel('/api/v2/mix/order/cancel-plan-order', { productType, ...ofSymbol })]
            : []),
        ]),
        ...(of(triggers, 'SPOT')
          ? [cancel('/api/v2/spot/trade/batch-cancel-plan-order', symbol === undefined ? {} : { symbolList: [symbol] })]
          : []),
        ...batches(orders.filter(({ category }) => category === 'SPOT')).map((batch) =>
          cancel('/api/v2/spot/trade/batch-cancel-order', {
            batchMode: 'multiple',
            orderList: batch.map((order) => ({ orderId: order.id, symbol: order.symbol })),
          }),
        ),
        ...[
          ...Map.groupBy(
            orders.filter(({ category }) => category === 'MARGIN'),
            (order) => order.symbol,
          ),
        ].flatMap(([pair, found]) =>
          batches(found).map((batch) =>
            cancel('/api/v2/margin/crossed/batch-cancel-order', {
              symbol: pair,
              orderIdList: batch.map(({ id: orderId }) => ({ orderId })),
            }),
          ),
        ),
      ])
    },

    /** A new price or quantity is a new order for what is left. */
    async change(order: Order, { price, quantity, takeProfit, stopLoss }: OrderChange): Promise<void> {
      const { id: orderId, category, symbol } = order
      const left = unitsText(units(quantity ?? order.quantity) - units(order.filled))
      const newClientOid = `${order.clientOid.slice(0, 20)}-${Date.now().toString(36)}`
      if (!isFuturesLine(category)) {
        await access.caller.post('/api/v2/spot/trade/cancel-replace-order', {
          orderId,
          symbol,
          price: price ?? order.price,
          size: left,
          newClientOid,
          ...(takeProfit === undefined ? {} : { presetTakeProfitPrice: takeProfit }),
          ...(stopLoss === undefined ? {} : { presetStopLossPrice: stopLoss }),
        })
        return
      }
      const instrument = access.instrument(category, symbol)
      const at = units(closedEntry(access, order) ?? price ?? order.price)
      const replaces = price !== undefined || quantity !== undefined
      await access.caller.post('/api/v2/mix/order/modify-order', {
        orderId,
        symbol,
        productType: category,
        ...(replaces ? { newClientOid } : {}),
        ...(price === undefined ? {} : { newPrice: price }),
        ...(quantity === undefined ? {} : { newSize: access.size(instrument, left, at) }),
        ...(takeProfit === undefined ? {} : { newPresetStopSurplusPrice: takeProfit }),
        ...(stopLoss === undefined ? {} : { newPresetStopLossPrice: stopLoss }),
      })
    },

    async changeTrigger(trigger: Trigger, change: TriggerChange): Promise<void> {
      const { id: orderId, category, symbol, kind } = trigger
      const { triggerPrice, limitPrice, quantity, takeProfit, stopLoss } = { ...trigger, ...change }
      if (!isFuturesLine(category)) {
        await access.caller.post('/api/v2/spot/trade/modify-plan-order', {
          orderId,
          triggerPrice,
          orderType: limitPrice === '' ? 'market' : 'limit',
          ...(limitPrice === '' ? {} : { executePrice: limitPrice }),
          size: quantity,
        })
        return
      }
      const instrument = access.instrument(category, symbol)
      if (trigger.trailing?.stopsPosition === true) {
        const at = units(access.entryPrice(category, symbol, trigger.posSide))
        await access.caller.post('/api/v2/mix/order/modify-tpsl-order', {
          ...contractNamed(instrument),
          orderId,
          ...(change.triggerPrice === undefined ? {} : { triggerPrice }),
          ...(change.callback === undefined ? {} : { rangeRate: change.callback }),
          ...(change.quantity === undefined ? {} : { size: access.size(instrument, change.quantity, at) }),
        })
        return
      }
      if (kind === 'tpsl') {
        const at = units(access.entryPrice(category, symbol, trigger.posSide))
        await access.caller.post('/api/v2/mix/order/modify-tpsl-order', {
          ...contractNamed(instrument),
          orderId,
          triggerPrice: takeProfit || stopLoss,
          ...(change.quantity === undefined ? {} : { size: access.size(instrument, change.quantity, at) }),
        })
        return
      }
      const at = units(limitPrice || triggerPrice)
      await access.caller.post('/api/v2/mix/order/modify-plan-order', {
        orderId,
        productType: category,
        ...(change.triggerPrice === undefined ? {} : { newTriggerPrice: triggerPrice }),
        ...(change.callback === undefined ? {} : { newCallbackRatio: change.callback }),
        ...(change.limitPrice === undefined ? {} : { newPrice: limitPrice }),
        ...(change.quantity === undefined ? {} : { newSize: access.size(instrument, quantity, at) }),
        ...(change.takeProfit === undefined ? {} : { newStopSurplusTriggerPrice: takeProfit || '0' }),
        ...(change.stopLoss === undefined ? {} : { newStopLossTriggerPrice: stopLoss || '0' }),
      })
    },

    async close({ category, symbol, side, hedge }: Position): Promise<void> {
      const body = { productType: category, symbol, ...(hedge ? { holdSide: side } : {}) }
      check(await access.caller.post<Failures>('/api/v2/mix/order/close-positions', body))
    },

    /** In one-way mode `side` is the order's, in hedge mode the direction of the position that is closed. */
    async reverse({ category, symbol, side, hedge }: Position, clientOid: () => string): Promise<void> {
      const away = side === 'long' ? 'sell' : 'buy'
      await access.caller.post('/api/v2/mix/order/click-backhand', {
        ...contractNamed(access.instrument(category, symbol)),
        ...(hedge ? { side: directionOf(side), tradeSide: 'close' } : { side: away }),
        clientOid: clientOid(),
      })
    },

    async changeMargin(
      { category, symbol, side, hedge }: Position,
      operation: 'add' | 'remove',
      amount: string,
    ): Promise<void> {
      await access.caller.post('/api/v2/mix/account/set-margin', {
        ...contractNamed(access.instrument(category, symbol)),
        ...(hedge ? { holdSide: side } : {}),
        amount: operation === 'add' ? amount : `-${amount}`,
      })
    },

    async setTpsl(
      { category, symbol, side }: Position,
      { takeProfit, stopLoss }: { readonly takeProfit: string; readonly stopLoss: string },
    ): Promise<void> {
      await access.caller.post('/api/v2/mix/order/place-pos-tpsl', {
        ...contractNamed(access.instrument(category, symbol)),
        holdSide: side,
        ...(takeProfit === '' ? {} : { stopSurplusTriggerPrice: takeProfit }),
        ...(stopLoss === '' ? {} : { stopLossTriggerPrice: stopLoss }),
      })
    },
  }
}

/** Of the position that an order closes. */
function closedEntry(access: Access, { category, symbol, side, posSide, reduceOnly }: Order): string | undefined {
  const closes = side === 'sell' ? 'long' : 'short'
  return reduceOnly || posSide === closes ? access.entryPrice(category, symbol, closes) : undefined
}

/** Of a coin-margined contract; nothing else is turned at a price. */
async function markPrice({ kind, category, key }: Instrument): Promise<string> {
  if (kind !== 'inverse') return '0'
  return new Map(await loadTickers(category)).get(key)?.mark ?? '0'
}

function batches<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / batchMax)
  return Array.from({ length: count }, (_, index) => rows.slice(index * batchMax, (index + 1) * batchMax))
}

/** The first failure of a batch is the failure. */
function check({ failureList }: Failures): void {
  const [first] = failureList
  if (first !== undefined) throw new VenueError(first.errorCode ?? '', first.errorMsg)
}
