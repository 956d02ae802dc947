/**
 * Trading over the wire: orders in words (order-language.ts) as requests, and accounts described the same way, so that a
 * table of cases reads like the rule it checks.
 *
 * Who         is not said in an order: the request is signed by its person
 * Market      is not said either: it goes beside the order, as both versions of the interface name it
 * A position  `long 0.5`, `long 0.5, short 0.2` (hedge mode) or `flat`
 */
import type { Answer, Fields } from './http.ts'
import { type OrderLine, parseOrder } from './order-language.ts'
import type { Person } from './person.ts'

/** What is traded: an instrument as both versions of the interface name it. */
export interface Market {
  readonly category: string
  readonly symbol: string
  readonly marginCoin: string
}

export const btcPerpetual: Market = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', marginCoin: 'USDT' }
export const ethPerpetual: Market = { category: 'USDT-FUTURES', symbol: 'ETHUSDT', marginCoin: 'USDT' }
export const btcUsdc: Market = { category: 'USDC-FUTURES', symbol: 'BTCPERP', marginCoin: 'USDC' }
export const btcInverse: Market = { category: 'COIN-FUTURES', symbol: 'BTCUSD', marginCoin: 'BTC' }
export const btcSpot: Market = { category: 'SPOT', symbol: 'BTCUSDT', marginCoin: '' }
export const ethSpot: Market = { category: 'SPOT', symbol: 'ETHUSDT', marginCoin: '' }
export const btcMargin: Market = { category: 'MARGIN', symbol: 'BTCUSDT', marginCoin: '' }

/** Words that a request over the wire takes from the order, or from what goes beside it. */
function parse(text: string): OrderLine {
  const order = parseOrder(text)
  const { who, market, coin, version, onMargin, loanType, channelCode } = order
  const beside = [who, market, coin, version, onMargin || undefined, loanType, channelCode]
  const other = beside.find((word) => word !== undefined)
  if (other !== undefined) throw new Error(`not said in an order over the wire: ${other} in ${text}`)
  return order
}

/** The body of E3 for an order in words. */
export function singleOrder(order: string, market: Market = btcPerpetual): Record<string, string> {
  const { side, quantity, price, timeInForce, reduceOnly, tradeSide, marginMode, stpMode, clientOid } = parse(order)
  return present({
    symbol: market.symbol,
    productType: market.category,
    marginMode: marginMode === 'isolated' ? 'isolated' : 'crossed',
    marginCoin: market.marginCoin,
    size: quantity,
    price,
    side,
    tradeSide,
    orderType: price === undefined ? 'market' : 'limit',
    force: price === undefined ? undefined : (timeInForce ?? 'gtc'),
    clientOid,
    reduceOnly: reduceOnly ? 'YES' : undefined,
    stpMode,
  })
}

/** One entry of E2 for an order in words. */
export function batchOrder(order: string, market: Market = btcPerpetual): Record<string, string> {
  const { side, quantity, price, timeInForce, reduceOnly, positionSide, stpMode, clientOid } = parse(order)
  return present({
    category: market.category,
    symbol: market.symbol,
    qty: quantity,
    price,
    side,
    orderType: price === undefined ? 'market' : 'limit',
    timeInForce: price === undefined ? undefined : (timeInForce ?? 'gtc'),
    posSide: positionSide,
    clientOid,
    reduceOnly: reduceOnly ? 'yes' : undefined,
    stpMode,
  })
}

function present(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

export const paths = {
  fills: '/api/v3/trade/fills',
  placeBatch: '/api/v3/trade/place-batch',
  placeOrder: '/api/v2/mix/order/place-order',
  subAssets: '/api/v2/broker/account/subaccount-future-assets',
  position: '/api/v2/mix/position/single-position',
  settings: '/api/v3/account/settings',
  batchCancel: '/api/v2/spot/trade/batch-cancel-order',
  publicFills: '/api/v3/market/fills',
  subTransfer: '/api/v3/account/sub-transfer',
  fundingHistory: '/api/v3/market/history-fund-rate',
  repay: '/api/v2/margin/crossed/account/repay',
  allLeverage: '/api/v2/mix/account/set-all-leverage',
  orderHistory: '/api/v2/mix/order/orders-history',
} as const

/** E3. */
export function place(person: Person, order: string, market: Market = btcPerpetual): Promise<Answer> {
  return person.post(paths.placeOrder, singleOrder(order, market))
}

/** E2, with every order in the same market. */
export function placeBatch(person: Person, orders: readonly string[], market: Market): Promise<Answer> {
  return person.post(
    paths.placeBatch,
    orders.map((order) => batchOrder(order, market)),
  )
}

/** Sends one order by E3 (futures of v2) or E2, and insists that it was taken. Answers its acknowledgement. */
export async function taken(person: Person, order: string, market: Market = btcPerpetual): Promise<Fields> {
  return accepted(await place(person, order, market), order)
}

/** As `taken`, by E2. */
export async function takenInBatch(person: Person, order: string, market: Market): Promise<Fields> {
  const answer = await placeBatch(person, [order], market)
  const [entry] = answer.code === '00000' ? answer.list() : []
  if (entry === undefined || entry['code'] !== undefined) throw new Error(`${person.name}: ${order}: ${answer.text}`)
  return entry
}

function accepted(answer: Answer, what: string): Fields {
  if (answer.code !== '00000') throw new Error(`${what}: ${answer.status} ${answer.text}`)
  return answer.fields
}

/** The positions of E5, one per side. */
export async function positions(person: Person, market: Market = btcPerpetual): Promise<Fields[]> {
  const query = { productType: market.category, symbol: market.symbol, marginCoin: market.marginCoin }
  const answer = await person.get(paths.position, query)
  accepted(answer, 'E5')
  return answer.list()
}

/** The positions of a person in words. */
export async function position(person: Person, market: Market = btcPerpetual): Promise<string> {
  const found = await positions(person, market)
  const words = found.map((row) => `${row['holdSide']} ${row['total']}`).sort(byText)
  return words.length === 0 ? 'flat' : words.join(', ')
}

/** The one position of a person in a market. */
export async function onePosition(person: Person, market: Market = btcPerpetual): Promise<Fields> {
  const found = await positions(person, market)
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} positions where one was expected`)
  return found[0]
}

/** Open futures orders, oldest first: `sell 0.8 @ 60100`, with what is left to fill. */
export async function openOrders(person: Person, market: Market = btcPerpetual): Promise<string[]> {
  const query = { productType: market.category, symbol: market.symbol }
  const answer = await person.get('/api/v2/mix/order/orders-pending', query)
  accepted(answer, 'orders-pending')
  const orders = answer.list('entrustedList') ?? []
  return [...orders].sort(byNumber('orderId')).map((order) => `${order['side']} ${order['size']} @ ${order['price']}`)
}

/** Open orders of the unified account in one category, oldest first. */
export async function openUnifiedOrders(person: Person, market: Market): Promise<string[]> {
  const answer = await person.get('/api/v3/trade/unfilled-orders', { category: market.category, symbol: market.symbol })
  accepted(answer, 'unfilled-orders')
  return [...answer.list('list')]
    .sort(byNumber('orderId'))
    .map((order) => `${order['side']} ${order['qty']} @ ${order['price']}`)
}

/** The record of a futures order, open or ended, by client order id or number. */
export async function orderRecord(
  person: Person,
  which: { readonly clientOid: string } | { readonly orderId: string },
  market: Market = btcPerpetual,
): Promise<Fields> {
  const query = { productType: market.category, symbol: market.symbol, ...which }
  return accepted(await person.get('/api/v2/mix/order/detail', query), 'order detail')
}

/** The record of an order of the unified account. */
export async function unifiedOrder(
  person: Person,
  which: { readonly clientOid: string } | { readonly orderId: string },
): Promise<Fields> {
  return accepted(await person.get('/api/v3/trade/order-info', which), 'order info')
}

/** What became of an order in words: `filled 0.5`, `canceled 0.2 of 0.5`, `live 0 of 0.5`. */
export async function outcome(person: Person, acknowledged: Fields, market: Market = btcPerpetual): Promise<string> {
  const which = acknowledged['orderId']
    ? { orderId: acknowledged['orderId'] }
    : { clientOid: acknowledged['clientOid'] ?? '' }
  const record = await orderRecord(person, which, market)
  const status = record['status'] ?? record['state'] ?? ''
  const filled = plain(record['baseVolume'])
  return status === 'filled' ? `filled ${filled}` : `${status} ${filled} of ${plain(record['size'])}`
}

/** The same of an order of the unified account. */
export async function unifiedOutcome(person: Person, acknowledged: Fields): Promise<string> {
  const which = acknowledged['orderId']
    ? { orderId: acknowledged['orderId'] }
    : { clientOid: acknowledged['clientOid'] ?? '' }
  const record = await unifiedOrder(person, which)
  const filled = plain(record['cumExecQty'])
  const status = (record['orderStatus'] ?? '').replace('cancelled', 'canceled').replace('new', 'live')
  return status === 'filled' ? `filled ${filled}` : `${status} ${filled} of ${plain(record['qty'])}`
}

function plain(decimal: string | undefined): string {
  return decimal === undefined || decimal === '' ? '0' : decimal
}

/** All private fills of a person (E1), oldest first. */
export async function fills(person: Person, query: Readonly<Record<string, string>> = {}): Promise<Fields[]> {
  const answer = await person.get(paths.fills, query)
  accepted(answer, 'E1')
  return [...answer.list('list')].reverse()
}

/** Balance of one coin in the unified wallet. */
export async function unifiedAsset(person: Person, coin: string): Promise<Fields> {
  const answer = await person.get('/api/v3/account/assets')
  accepted(answer, 'assets')
  const assets = (answer.data as { readonly assets: readonly Fields[] }).assets
  return (
    assets.find((asset) => asset['coin'] === coin) ?? {
      coin,
      equity: '0',
      balance: '0',
      available: '0',
      locked: '0',
      debt: '0',
    }
  )
}

/** Balance of one coin in the spot wallet. */
export async function spotAsset(person: Person, coin: string): Promise<Fields> {
  const answer = await person.get('/api/v2/spot/account/assets', { coin })
  accepted(answer, 'spot assets')
  return answer.list().find((asset) => asset['coin'] === coin) ?? { coin, available: '0', frozen: '0', locked: '0' }
}

/** The classic futures account of one product line. */
export async function futuresAccount(person: Person, market: Market = btcPerpetual): Promise<Fields> {
  const answer = await person.get('/api/v2/mix/account/accounts', { productType: market.category })
  accepted(answer, 'futures account')
  const found = answer.list().find((account) => account['marginCoin'] === market.marginCoin)
  if (found === undefined) throw new Error(`no ${market.marginCoin} in ${answer.text}`)
  return found
}

export async function setLeverage(person: Person, leverage: number, market: Market = btcPerpetual): Promise<void> {
  const { symbol, category: productType, marginCoin } = market
  const body = { symbol, productType, marginCoin, leverage: String(leverage) }
  accepted(await person.post('/api/v2/mix/account/set-leverage', body), 'set-leverage')
}

export async function setHoldMode(person: Person, posMode: string, market: Market = btcPerpetual): Promise<void> {
  const body = { productType: market.category, posMode }
  accepted(await person.post('/api/v2/mix/account/set-position-mode', body), 'set-position-mode')
}

export async function setMarginMode(person: Person, marginMode: string, market: Market = btcPerpetual): Promise<void> {
  const { symbol, category: productType, marginCoin } = market
  const body = { symbol, productType, marginCoin, marginMode }
  accepted(await person.post('/api/v2/mix/account/set-margin-mode', body), 'set-margin-mode')
}

function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function byNumber(field: string): (left: Fields, right: Fields) => number {
  return (left, right) => Number(BigInt(left[field] ?? '0') - BigInt(right[field] ?? '0'))
}
