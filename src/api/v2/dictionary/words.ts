/**
 * The words of v2: how modes, sides, causes and statuses of the engine are spelled on the wire, and back.
 *
 * Labels    `tradeSide`, `orderSource` and `enterPointSource` follow from why an order exists and what it does
 * Statuses  futures say `canceled`, spot and margin `cancelled`
 * Source    interface.md "Futures order"; design.md §4.26, §4.33; wire/client-endpoints.md §3
 */
import type { OrderRecord } from '../../../engine/protocol/event.ts'
import type {
  CancelReason,
  HoldMode,
  MarginMode,
  OrderCause,
  OrderIntent,
  OrderType,
  PositionSide,
  Side,
  TriggerKind,
  TriggerPrice,
  TriggerStatus,
} from '../../../engine/vocabulary.ts'

export const marginModes = { isolated: 'isolated', crossed: 'cross' } as const satisfies Record<string, MarginMode>

export function marginModeWord(mode: MarginMode): string {
  return mode === 'cross' ? 'crossed' : 'isolated'
}

export const triggerTypes = { fill_price: 'last', mark_price: 'mark' } as const satisfies Record<string, TriggerPrice>

export function triggerTypeWord(by: TriggerPrice): string {
  return by === 'mark' ? 'mark_price' : 'fill_price'
}

/** What v2 calls the kinds of trigger orders. */
const planTypes = {
  normal_plan: 'plan',
  profit_plan: 'take-profit',
  loss_plan: 'stop-loss',
  pos_profit: 'position-take-profit',
  pos_loss: 'position-stop-loss',
  track_plan: 'trailing-plan',
  moving_plan: 'trailing-stop',
} as const satisfies Record<string, TriggerKind>

export type PlanType = keyof typeof planTypes

/** A trailing stop is one, whether of a size of the position or of all of it. */
export function planTypeWord(kind: TriggerKind): PlanType {
  if (kind === 'position-trailing-stop') return 'moving_plan'
  return (Object.keys(planTypes) as PlanType[]).find((word) => planTypes[word] === kind) ?? 'normal_plan'
}

/** The orders that come of a kind of trigger order. */
export const causeOfTrigger = {
  plan: 'trigger',
  'take-profit': 'take-profit',
  'stop-loss': 'stop-loss',
  'position-take-profit': 'position-take-profit',
  'position-stop-loss': 'position-stop-loss',
  'trailing-plan': 'trailing-plan',
  'trailing-stop': 'trailing-stop',
  'position-trailing-stop': 'trailing-stop',
} as const satisfies Record<TriggerKind, OrderCause>

export const planStatus = {
  live: 'live',
  executed: 'executed',
  failed: 'fail_execute',
  canceled: 'cancelled',
} as const satisfies Record<TriggerStatus, string>

/** The filter of E13 takes these and no others; what the venue never makes matches nothing. */
export const orderSourceFilters = [
  'normal',
  'market',
  'profit_market',
  'loss_market',
  'Trader_delegate',
  'trader_profit',
  'trader_loss',
  'reverse',
  'trader_reverse',
  'profit_limit',
  'loss_limit',
  'liquidation',
  'delivery_close_long',
  'delivery_close_short',
  'pos_profit_limit',
  'pos_profit_market',
  'pos_loss_limit',
  'pos_loss_market',
] as const

/** The orders that have an order source, as history may be asked for them; undefined where the venue makes none. */
export function orderSourceMade(source: (typeof orderSourceFilters)[number]): OrdersMade | undefined {
  switch (source) {
    case 'normal':
      return { causes: ['user'], orderTypes: ['limit'] }
    case 'market':
      return { causes: ['user'], orderTypes: ['market'] }
    case 'profit_limit':
      return { causes: ['take-profit'], orderTypes: ['limit'] }
    case 'profit_market':
      return { causes: ['take-profit'], orderTypes: ['market'] }
    case 'loss_limit':
      return { causes: ['stop-loss'], orderTypes: ['limit'] }
    case 'loss_market':
      return { causes: ['stop-loss'], orderTypes: ['market'] }
    case 'pos_profit_limit':
      return { causes: ['position-take-profit'], orderTypes: ['limit'] }
    case 'pos_profit_market':
      return { causes: ['position-take-profit'], orderTypes: ['market'] }
    case 'pos_loss_limit':
      return { causes: ['position-stop-loss'], orderTypes: ['limit'] }
    case 'pos_loss_market':
      return { causes: ['position-stop-loss'], orderTypes: ['market'] }
    case 'reverse':
      return { causes: ['reverse'] }
    case 'liquidation':
      return { causes: ['liquidation', 'reduce'] }
    case 'delivery_close_long':
      return { causes: ['delivery'], bookSide: 'sell' }
    case 'delivery_close_short':
      return { causes: ['delivery'], bookSide: 'buy' }
    default:
      return undefined
  }
}

export interface OrdersMade {
  readonly causes: readonly OrderCause[]
  readonly orderTypes?: readonly OrderType[]
  readonly bookSide?: Side
}

/** What decides how an order or a fill is labelled. */
export interface Labelled {
  readonly cause: OrderCause
  readonly orderType: OrderType
  readonly holdMode: HoldMode
  readonly bookSide: Side
  readonly positionSide: PositionSide | 'net'
  readonly effect: OrderIntent
}

/** One-way mode, by cause; offsetting needs both sides and so exists in hedge mode alone. */
const singleTradeSide = {
  user: { buy: 'buy_single', sell: 'sell_single' },
  'take-profit': { buy: 'buy_single', sell: 'sell_single' },
  'stop-loss': { buy: 'buy_single', sell: 'sell_single' },
  'position-take-profit': { buy: 'buy_single', sell: 'sell_single' },
  'position-stop-loss': { buy: 'buy_single', sell: 'sell_single' },
  trigger: { buy: 'buy_single', sell: 'sell_single' },
  replace: { buy: 'buy_single', sell: 'sell_single' },
  reverse: { buy: 'buy_single', sell: 'sell_single' },
  move: { buy: 'buy_single', sell: 'sell_single' },
  'trailing-plan': { buy: 'buy_single', sell: 'sell_single' },
  'trailing-stop': { buy: 'buy_single', sell: 'sell_single' },
  reduce: { buy: 'reduce_buy_single', sell: 'reduce_sell_single' },
  offset: { buy: 'reduce_buy_single', sell: 'reduce_sell_single' },
  liquidation: { buy: 'burst_buy_single', sell: 'burst_sell_single' },
  delivery: { buy: 'delivery_buy_single', sell: 'delivery_sell_single' },
  adl: { buy: 'dte_sys_adl_buy_in_single_side_mode', sell: 'dte_sys_adl_sell_in_single_side_mode' },
} as const satisfies Record<OrderCause, Record<Side, string>>

/** Hedge mode, by cause, for a closing of the side named; opening is always `open`. */
const hedgeCloseTradeSide = {
  user: { long: 'close', short: 'close' },
  'take-profit': { long: 'close', short: 'close' },
  'stop-loss': { long: 'close', short: 'close' },
  'position-take-profit': { long: 'close', short: 'close' },
  'position-stop-loss': { long: 'close', short: 'close' },
  trigger: { long: 'close', short: 'close' },
  replace: { long: 'close', short: 'close' },
  reverse: { long: 'close', short: 'close' },
  move: { long: 'close', short: 'close' },
  'trailing-plan': { long: 'close', short: 'close' },
  'trailing-stop': { long: 'close', short: 'close' },
  reduce: { long: 'reduce_close_long', short: 'reduce_close_short' },
  offset: { long: 'offset_close_long', short: 'offset_close_short' },
  liquidation: { long: 'burst_close_long', short: 'burst_close_short' },
  delivery: { long: 'delivery_close_long', short: 'delivery_close_short' },
  adl: { long: 'dte_sys_adl_close_long', short: 'dte_sys_adl_close_short' },
} as const satisfies Record<OrderCause, Record<PositionSide, string>>

export function tradeSideWord(labelled: Labelled): string {
  if (labelled.holdMode === 'one_way_mode') return singleTradeSide[labelled.cause][labelled.bookSide]
  return labelled.effect === 'open' ? 'open' : hedgeCloseTradeSide[labelled.cause][positionClosed(labelled)]
}

/** The position that a closing order closes: in one-way mode a sell closes a long. */
function positionClosed(labelled: Labelled): PositionSide {
  if (labelled.positionSide !== 'net') return labelled.positionSide
  return labelled.bookSide === 'sell' ? 'long' : 'short'
}

export function orderSourceWord(labelled: Labelled): string {
  switch (labelled.cause) {
    case 'user':
      return labelled.orderType === 'limit' ? 'normal' : 'market'
    case 'take-profit':
      return labelled.orderType === 'limit' ? 'profit_limit' : 'profit_market'
    case 'stop-loss':
      return labelled.orderType === 'limit' ? 'loss_limit' : 'loss_market'
    case 'position-take-profit':
      return labelled.orderType === 'limit' ? 'pos_profit_limit' : 'pos_profit_market'
    case 'position-stop-loss':
      return labelled.orderType === 'limit' ? 'pos_loss_limit' : 'pos_loss_market'
    case 'trigger':
      return labelled.orderType === 'limit' ? 'plan_limit' : 'plan_market'
    case 'replace':
      return 'modify_order_limit'
    case 'reverse':
      return 'reverse'
    case 'move':
      return 'move_limit'
    case 'trailing-plan':
      return labelled.orderType === 'limit' ? 'tracking_limit' : 'tracking_market'
    case 'trailing-stop':
      return labelled.orderType === 'limit' ? 'move_limit' : 'move_market'
    case 'liquidation':
    case 'reduce':
      return 'liquidation'
    case 'offset':
      return 'reduce_offset'
    case 'adl':
      return 'market_risk'
    case 'delivery':
      return positionClosed(labelled) === 'long' ? 'delivery_close_long' : 'delivery_close_short'
  }
}

const forcedCauses: ReadonlySet<OrderCause> = new Set(['reduce', 'liquidation', 'offset', 'adl', 'delivery'])

export function enterPointSourceWord(cause: OrderCause): 'API' | 'SYS' {
  return forcedCauses.has(cause) ? 'SYS' : 'API'
}

export const enterPointSources = ['WEB', 'API', 'SYS', 'ANDROID', 'IOS'] as const

/** The orders that came in that way; of the ways that the venue does not have there are none. */
export function causesEntered(source: (typeof enterPointSources)[number]): readonly OrderCause[] {
  return (Object.keys(singleTradeSide) as OrderCause[]).filter((cause) => enterPointSourceWord(cause) === source)
}

export function cancelReasonWord(reason: CancelReason): string {
  if (reason === '') return ''
  return reason === 'self-trade' ? 'stp_cancel' : 'normal_cancel'
}

export const spotStatus = {
  live: 'live',
  partially_filled: 'partially_filled',
  filled: 'filled',
  canceled: 'cancelled',
} as const satisfies Record<OrderRecord['status'], string>

export const symbolStatus = {
  contract: { online: 'normal', cancel_only: 'restrictedAPI', halted: 'maintain' },
  spot: { online: 'online', cancel_only: 'halt', halted: 'halt' },
} as const
