/**
 * One order in the words of each version of the interface: paths, bodies, and where the rows of an answer are.
 *
 * Holds     what is not given is not sent: the venue's own defaults count
 * Source    interface.md E2, E3; wire/v3-endpoints.md §2; wire/client-endpoints.md §4
 */
import { UsageWrong } from './command.ts'

const categories = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
export type Category = (typeof categories)[number]

export function categoryOf(text: string): Category {
  const found = categories.find((category) => category === text.toUpperCase())
  if (found === undefined) throw new UsageWrong(`category ${text}: must be one of ${categories.join(', ')}`)
  return found
}

export interface OrderAsked {
  readonly category: Category
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  readonly quantity: string
  /** Absent: a market order. */
  readonly price: string | undefined
  readonly timeInForce: string | undefined
  readonly clientOid: string | undefined
  readonly reduceOnly: boolean
  readonly positionSide: string | undefined
  readonly marginMode: string | undefined
  readonly marginCoin: string | undefined
}

interface OrderNamed {
  readonly category: Category
  readonly symbol: string
  readonly orderId: string | undefined
  readonly clientOid: string | undefined
}

type Kind = 'spot' | 'margin' | 'futures'
type Paths = Readonly<Record<'place' | 'cancel' | 'list', Readonly<Record<Kind, string>>>>
type Query = Readonly<Record<string, string | undefined>>

interface Words {
  readonly path: Paths
  readonly place: (order: OrderAsked) => object
  readonly cancel: (order: OrderNamed) => object
  readonly list: (of: { readonly category: Category; readonly symbol: string | undefined }) => Query
  readonly rows: (answer: unknown) => readonly object[]
}

const everyKind = (path: string) => ({ spot: path, margin: path, futures: path })

export const v3Words: Words = {
  path: {
    place: everyKind('/api/v3/trade/place-order'),
    cancel: everyKind('/api/v3/trade/cancel-order'),
    list: everyKind('/api/v3/trade/unfilled-orders'),
  },
  place: ({
    category,
    symbol,
    side,
    quantity,
    price,
    timeInForce,
    clientOid,
    reduceOnly,
    positionSide,
    marginMode,
  }) => ({
    category,
    symbol,
    side,
    qty: quantity,
    orderType: price === undefined ? 'market' : 'limit',
    price,
    timeInForce,
    clientOid,
    reduceOnly: reduceOnly ? 'yes' : undefined,
    posSide: positionSide,
    marginMode,
  }),
  cancel: ({ category, symbol, orderId, clientOid }) => ({ category, symbol, orderId, clientOid }),
  list: ({ category, symbol }) => ({ category, symbol }),
  rows: (answer) => (answer as { list: object[] }).list,
}

export const v2Words: Words = {
  path: {
    place: {
      spot: '/api/v2/spot/trade/place-order',
      margin: '/api/v2/margin/crossed/place-order',
      futures: '/api/v2/mix/order/place-order',
    },
    cancel: {
      spot: '/api/v2/spot/trade/cancel-order',
      margin: '/api/v2/margin/crossed/cancel-order',
      futures: '/api/v2/mix/order/cancel-order',
    },
    list: {
      spot: '/api/v2/spot/trade/unfilled-orders',
      margin: '/api/v2/margin/crossed/open-orders',
      futures: '/api/v2/mix/order/orders-pending',
    },
  },
  place(order) {
    const { category, symbol, side, quantity, price, timeInForce: force, clientOid } = order
    const shared = { symbol, side, orderType: price === undefined ? 'market' : 'limit', price, force, clientOid }
    if (category === 'SPOT') return { ...shared, size: quantity }
    if (category === 'MARGIN') {
      const spends = side === 'buy' && price === undefined
      return { ...shared, ...(spends ? { quoteSize: quantity } : { baseSize: quantity }) }
    }
    return {
      ...shared,
      ...hedgeWords(order),
      productType: category,
      size: quantity,
      marginMode: order.marginMode ?? 'crossed',
      marginCoin: order.marginCoin ?? marginCoinOf(category, symbol),
      reduceOnly: order.reduceOnly ? 'YES' : undefined,
    }
  },
  cancel: ({ category, symbol, orderId, clientOid }) => ({
    ...(isFutures(category) ? { productType: category } : {}),
    symbol,
    orderId,
    clientOid,
  }),
  list: ({ category, symbol }) => ({
    ...(isFutures(category) ? { productType: category } : {}),
    symbol,
    // Of margin the interface wants a pair and a time; what rests may be as old as it likes.
    ...(category === 'MARGIN' ? { startTime: '0' } : {}),
  }),
  rows(answer) {
    if (Array.isArray(answer)) return answer as object[]
    const { entrustedList, orderList } = answer as { entrustedList?: object[] | null; orderList?: object[] }
    return entrustedList ?? orderList ?? []
  },
}

/** In hedge mode v2 names the direction of the position with `side`, and says whether it opens or closes (design §4.11). */
function hedgeWords({ side, positionSide }: OrderAsked): object {
  if (positionSide === undefined) return {}
  const held = positionSide === 'long' ? 'buy' : 'sell'
  return { side: held, tradeSide: held === side ? 'open' : 'close' }
}

function marginCoinOf(category: Category, symbol: string): string {
  if (category === 'USDT-FUTURES') return 'USDT'
  return category === 'USDC-FUTURES' ? 'USDC' : symbol.replace(/USD$/, '')
}

function isFutures(category: Category): boolean {
  return category !== 'SPOT' && category !== 'MARGIN'
}
