/**
 * What the words of a v2 request name: contracts, pairs, coins, orders, wallets and windows of time.
 *
 * Holds     a name that the venue does not know is refused with the field and the name in the message
 * Wallets   a unified account has all of v2 served from its `uta` wallet, the others from the classic ones; while the
 *           mode changes, reads see the mode that is being left (design §3). What is over stays in the histories
 *           whatever mode it was placed in; only a hybrid account, whose modes live side by side, keeps them apart
 * Windows   history of the last 90 days; times are inclusive (design §4.17, §4.32)
 */
import Type from 'typebox'
import type {
  Coin,
  FuturesInstrument,
  InstrumentId,
  ProductLine,
  SpotInstrument,
} from '../../engine/catalog/catalog.ts'
import type { OrderReference } from '../../engine/protocol/command.ts'
import type { AccountView } from '../../engine/protocol/query.ts'
import { lineWallets, modeRead, type WalletType } from '../../engine/vocabulary.ts'
import type { Context, PrivateContext } from '../endpoint.ts'
import { ApiError, unknownCoin, unknownSymbol } from '../errors/errors.ts'
import { dayMs, historyDays, timeWindow, type TimeWindow } from '../parsing/time-window.ts'

export function contractNamed(context: Context, productType: ProductLine, symbol: string): FuturesInstrument {
  const found = context.catalog.find(productType, symbol)
  if (found === undefined) throw unknownSymbol(symbol)
  return found
}

export function pairNamed(context: Context, category: 'SPOT' | 'MARGIN', symbol: string): SpotInstrument {
  const found = context.catalog.find(category, symbol)
  if (found === undefined) throw unknownSymbol(symbol)
  return found
}

export function coinNamed(context: Context, name: string): Coin {
  const found = context.catalog.coinNamed(name)
  if (found === undefined) throw unknownCoin(name)
  return found
}

/** A futures request names its margin coin; it has to be the contract's. */
export function checkMarginCoin(context: Context, contract: FuturesInstrument, marginCoin: string): void {
  if (context.catalog.coinName(contract.settle) !== marginCoin) {
    throw new ApiError('40778', [contract.symbol, marginCoin])
  }
}

/**
 * Of which contracts a request means all orders: of one, of those that are settled in a coin, or of the whole line (undefined).
 * A coin that settles none of them is refused.
 */
export function contractsMeant(
  context: Context,
  line: ProductLine,
  { symbol, marginCoin }: { readonly symbol?: string | undefined; readonly marginCoin?: string | undefined },
): readonly (InstrumentId | undefined)[] {
  const contract = symbol === undefined ? undefined : contractNamed(context, line, symbol)
  if (marginCoin === undefined) return [contract?.id]
  if (contract !== undefined) {
    checkMarginCoin(context, contract, marginCoin)
    return [contract.id]
  }
  const settled = context.catalog.list(line).filter(({ settle }) => context.catalog.coinName(settle) === marginCoin)
  if (settled.length === 0) throw new ApiError('40778', [line, marginCoin])
  return settled.map(({ id }) => id)
}

/** An order number inside a batch, kept as sent so that a failed entry can repeat it. */
export function orderIdText() {
  return Type.Optional(Type.String({ pattern: '^[0-9]{1,20}$', 'x-rule': 'should be a number of at most 20 digits' }))
}

/** The order that a request names: the number wins when both are given; one of the two has to be. */
export function orderReference(named: {
  readonly orderId?: number | string
  readonly clientOid?: string
}): OrderReference {
  const { orderId, clientOid = '' } = named
  if (orderId === undefined && clientOid === '') throw new ApiError('40924')
  // Longer numbers than any order has are well formed and unknown.
  const number = orderId === undefined ? undefined : Math.min(Number(orderId), Number.MAX_SAFE_INTEGER)
  return { orderId: number, clientOid }
}

/** The wallet that v2 trades from. */
export function walletOf(account: AccountView, category: 'SPOT' | 'MARGIN' | ProductLine): WalletType {
  if (modeRead(account) === 'unified') return 'uta'
  if (category === 'SPOT') return 'spot'
  return category === 'MARGIN' ? 'crossed_margin' : lineWallets[category]
}

/**
 * The wallets that a history list of v2 tells of; undefined: all. A mode that changes takes no order out of its history
 * (interface E13), but what a hybrid account trades from `uta` is v3's.
 */
export function recordedWallets(
  account: AccountView,
  ...categories: readonly ('SPOT' | 'MARGIN' | ProductLine)[]
): readonly WalletType[] | undefined {
  return modeRead(account) === 'hybrid' ? categories.map((category) => walletOf(account, category)) : undefined
}

type Times = Parameters<typeof timeWindow>[0]

/** The window of a history list: any part of the last 90 days. */
export function historyWindow(now: number, times: Times): TimeWindow {
  return timeWindow(times, { now })
}

/** The same of orders (E13): for a managed sub-account it begins no earlier than its binding. */
export function boundWindow({ now, account }: PrivateContext, times: Times): TimeWindow {
  const { boundAt = 0 } = account
  if (times.startTime !== undefined && times.startTime < boundAt) {
    throw new ApiError('40020', [`startTime should not be earlier than the binding time ${boundAt}:`])
  }
  const window = historyWindow(now, times)
  return { ...window, from: Math.max(window.from, boundAt) }
}

/** As historyWindow, but cut to 90 days: clients of the margin lists always ask from 90 days before their own clock. */
export function historyWindowCut(now: number, { startTime, endTime }: Times): TimeWindow {
  const oldest = now - historyDays * dayMs
  return historyWindow(now, { startTime: Math.max(startTime ?? oldest, oldest), endTime })
}
