/**
 * Orders as v2 wants them: one call for futures, one for spot, one for cross margin, and others for what waits for a price.
 *
 * TP/SL     that of a futures order waits for the mark, of a plan for either price, of a spot order for the last price;
 *           cross margin takes none
 * Hedge     `side` names the direction of the position: closing a long is `buy` and `close`
 * Source    interface.md E3; wire/client-endpoints.md §4; docs/interface.md
 */
import type { OrderCapabilities, OrderDraft, OrderShape, Tpsl } from '../account.ts'
import { type Instrument, isFutures } from '../instruments.ts'

export function capabilitiesOf(
  instrument: Instrument,
  { kind, triggerBy }: OrderShape,
): Omit<OrderCapabilities, 'coinStep'> {
  if (instrument.kind === 'margin') return { kinds: ['limit', 'market'], tpslBy: [] }
  const waits = kind === 'trigger'
  const kinds = ['limit', 'market', 'trigger'] as const
  if (isFutures(instrument)) return { kinds, tpslBy: waits ? ['market', 'mark'] : ['mark'] }
  return { kinds, tpslBy: waits && triggerBy === 'mark' ? [] : ['market'] }
}

export interface OrderRequest {
  readonly path: string
  readonly body: object
}

/** `size` in base coin, as v2 counts. */
export function orderRequest(draft: OrderDraft, size: string): OrderRequest {
  if (isFutures(draft.instrument)) return draft.trigger === undefined ? futuresOrder(draft, size) : plan(draft, size)
  if (draft.instrument.kind === 'margin') return marginOrder(draft)
  return draft.trigger?.by === 'mark' ? spotPlan(draft) : spotOrder(draft)
}

export function contractNamed({ category, symbol, settle }: Instrument) {
  return { productType: category, symbol, marginCoin: settle }
}

/** Of a position in v2's words. */
export function directionOf(posSide: 'long' | 'short'): 'buy' | 'sell' {
  return posSide === 'long' ? 'buy' : 'sell'
}

function orderWords({ side, orderType, price, clientOid, stpMode }: OrderDraft) {
  return {
    side,
    orderType,
    clientOid,
    ...(orderType === 'limit' ? { price } : {}),
    ...(stpMode === undefined ? {} : { stpMode }),
  }
}

function forceOf({ orderType, timeInForce }: OrderDraft) {
  return { force: orderType === 'limit' ? timeInForce : 'gtc' }
}

function contractWords(draft: OrderDraft, size: string) {
  const { posSide, reduces } = draft
  return {
    ...contractNamed(draft.instrument),
    ...orderWords(draft),
    marginMode: draft.marginMode,
    size,
    ...(posSide === undefined
      ? { reduceOnly: reduces ? 'YES' : 'NO' }
      : { side: directionOf(posSide), tradeSide: reduces ? 'close' : 'open' }),
  }
}

/** What is left away is not there; at market there is no execution price. */
function tpslWords(tpsl: Tpsl | undefined, price: string, execution: string): object {
  if (tpsl === undefined) return {}
  return { [price]: tpsl.price, ...(tpsl.limit === '' ? {} : { [execution]: tpsl.limit }) }
}

function futuresOrder(draft: OrderDraft, size: string): OrderRequest {
  return {
    path: '/api/v2/mix/order/place-order',
    body: {
      ...contractWords(draft, size),
      ...forceOf(draft),
      ...tpslWords(draft.takeProfit, 'presetStopSurplusPrice', 'presetStopSurplusExecutePrice'),
      ...tpslWords(draft.stopLoss, 'presetStopLossPrice', 'presetStopLossExecutePrice'),
    },
  }
}

const triggerTypes = { market: 'fill_price', mark: 'mark_price' } as const

function plan(draft: OrderDraft, size: string): OrderRequest {
  const { trigger, takeProfit, stopLoss } = draft
  return {
    path: '/api/v2/mix/order/place-plan-order',
    body: {
      ...contractWords(draft, size),
      ...(trigger?.callback === undefined
        ? { planType: 'normal_plan' }
        : { planType: 'track_plan', callbackRatio: trigger.callback }),
      triggerPrice: trigger?.price,
      triggerType: triggerTypes[trigger?.by ?? 'market'],
      ...tpslWords(takeProfit, 'stopSurplusTriggerPrice', 'stopSurplusExecutePrice'),
      ...(takeProfit && { stopSurplusTriggerType: triggerTypes[takeProfit.by] }),
      ...tpslWords(stopLoss, 'stopLossTriggerPrice', 'stopLossExecutePrice'),
      ...(stopLoss && { stopLossTriggerType: triggerTypes[stopLoss.by] }),
    },
  }
}

/** With a trigger price it waits for the last price. */
function spotOrder(draft: OrderDraft): OrderRequest {
  const { trigger } = draft
  return {
    path: '/api/v2/spot/trade/place-order',
    body: {
      symbol: draft.instrument.symbol,
      ...orderWords(draft),
      ...(trigger === undefined ? forceOf(draft) : { force: 'gtc', tpslType: 'tpsl', triggerPrice: trigger.price }),
      size: draft.quantity,
      ...tpslWords(draft.takeProfit, 'presetTakeProfitPrice', 'executeTakeProfitPrice'),
      ...tpslWords(draft.stopLoss, 'presetStopLossPrice', 'executeStopLossPrice'),
    },
  }
}

/** Waits for the mark, which of a pair is its index. */
function spotPlan(draft: OrderDraft): OrderRequest {
  const { price: _price, ...words } = orderWords(draft)
  const { orderType, side, trigger } = draft
  return {
    path: '/api/v2/spot/trade/place-plan-order',
    body: {
      symbol: draft.instrument.symbol,
      ...words,
      ...(orderType === 'limit' ? { executePrice: draft.price } : {}),
      planType: orderType === 'market' && side === 'buy' ? 'total' : 'amount',
      size: draft.quantity,
      triggerPrice: trigger?.price,
      triggerType: triggerTypes.mark,
    },
  }
}

/** Without a word about loans it borrows what it lacks and repays what comes of it, as everywhere in the terminal. */
function marginOrder(draft: OrderDraft): OrderRequest {
  const quoteSized = draft.orderType === 'market' && draft.side === 'buy'
  return {
    path: '/api/v2/margin/crossed/place-order',
    body: {
      symbol: draft.instrument.symbol,
      ...orderWords(draft),
      ...forceOf(draft),
      ...(quoteSized ? { quoteSize: draft.quantity } : { baseSize: draft.quantity }),
    },
  }
}
