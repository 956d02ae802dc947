/**
 * Orders of any account, through the trading interface alone.
 *
 * Version   v3, and v2 for a classic account, which v3 turns away (40084) before anything has happened; --interface says which
 * Safe      an order that is sent with --client-oid may be sent again: the second is refused (40786)
 * Source    interface.md E2, E3; design.md §3, §4.6
 */
import type { Command } from 'commander'
import { type Given, onCall, UsageWrong, venueCommand } from './command.ts'
import { InterfaceClient, InterfaceRefused } from './interface-client.ts'
import { show } from './output.ts'
import { type Look, tableText } from './table.ts'
import { categoryOf, type Category, v2Words, v3Words, type OrderAsked } from './order-words.ts'

export function addOrders(program: Command): void {
  const orders = program
    .command('order')
    .description('place, cancel and list orders of any account, through the interface like any client')
  onCall(
    traderCommand(
      orders,
      'place <category> <symbol> <side> <quantity>',
      'place an order: limit with --price, else market',
    ),
    place,
  )
    .option('--price <price>', 'of a limit order')
    .option('--time-in-force <force>', 'gtc (default), ioc, fok or post_only')
    .option('--client-oid <id>', 'makes it safe to send again')
    .option('--reduce-only', 'only less of the position, in one-way mode')
    .option('--position-side <side>', 'long or short: the position, in hedge mode')
    .option('--margin-mode <mode>', 'crossed or isolated, of futures')
    .option('--margin-coin <coin>', 'of v2 futures (default: the one of the contract)')
  onCall(
    traderCommand(orders, 'cancel <category> <symbol> [orderId]', 'cancel an order, by its number or --client-oid'),
    cancel,
  ).option('--client-oid <id>', 'the id that it was placed with')
  onCall(traderCommand(orders, 'list <category> [symbol]', 'open orders, newest first; at most 100'), listOpen)
}

function traderCommand(parent: Command, usage: string, description: string): Command {
  return venueCommand(parent, usage, description)
    .option('--url <url>', 'a venue elsewhere (TIDEMARK_URL), in place of the one in --data')
    .option('--as <role>', 'with the demo key of this role, such as unified-main')
    .option('--api-key <key>', 'with this key (TIDEMARK_API_KEY)')
    .option('--secret <secret>', 'its secret (better: TIDEMARK_SECRET)')
    .option('--private-key <file>', 'in place of a secret: RSA or Ed25519, PEM')
    .option('--passphrase <passphrase>', 'its passphrase (TIDEMARK_PASSPHRASE)')
    .option('--interface <version>', 'v2 or v3 (default: v3, and v2 for classic accounts)')
}

type Words = typeof v3Words

/** Answers what the first version says that serves the account. */
async function ask(given: Given, act: (client: InterfaceClient, words: Words) => Promise<unknown>): Promise<unknown> {
  const { interface: version } = given
  if (version !== undefined && version !== 'v2' && version !== 'v3') {
    throw new UsageWrong(`--interface ${version}: must be v2 or v3`)
  }
  const client = new InterfaceClient(given)
  if (version !== undefined) return act(client, version === 'v2' ? v2Words : v3Words)
  try {
    return await act(client, v3Words)
  } catch (error) {
    if (error instanceof InterfaceRefused && classicAccount.includes(error.code)) return act(client, v2Words)
    throw error
  }
}

/** In either dialect. */
const classicAccount = ['40084', '25245']

async function place([category, symbol, side, quantity]: string[], given: Given): Promise<void> {
  const { price, timeInForce, clientOid, reduceOnly, positionSide, marginMode, marginCoin } = given
  if (side !== 'buy' && side !== 'sell') throw new UsageWrong(`side ${side}: must be buy or sell`)
  if (positionSide !== undefined && positionSide !== 'long' && positionSide !== 'short') {
    throw new UsageWrong(`--position-side ${positionSide}: must be long or short`)
  }
  const order: OrderAsked = {
    category: categoryOf(category),
    symbol: symbol.toUpperCase(),
    side,
    quantity,
    price,
    timeInForce,
    clientOid,
    reduceOnly: reduceOnly !== undefined,
    positionSide,
    marginMode,
    marginCoin,
  }
  const answer = await ask(given, (client, words) =>
    client.post(words.path.place[kindOf(order.category)], words.place(order)),
  )
  show(answer as Placed, given, ({ orderId, clientOid: name }) => {
    return orderId ? `Order ${orderId} is placed.\n` : `The order is placed; its client order id is ${name}.\n`
  })
}

interface Placed {
  readonly orderId: string | null
  readonly clientOid: string
}

async function cancel([category, symbol, orderId]: (string | undefined)[], given: Given): Promise<void> {
  const { clientOid } = given
  if ((orderId === undefined) === (clientOid === undefined)) {
    throw new UsageWrong('which order? Its number, or --client-oid: one of them')
  }
  const named = { category: categoryOf(category ?? ''), symbol: (symbol ?? '').toUpperCase(), orderId, clientOid }
  const answer = await ask(given, (client, words) =>
    client.post(words.path.cancel[kindOf(named.category)], words.cancel(named)),
  )
  show(answer as Placed, given, (canceled) => `Order ${canceled.orderId} is cancelled.\n`)
}

const listedMax = '100'

async function listOpen([category, symbol]: (string | undefined)[], given: Given): Promise<void> {
  const named = { category: categoryOf(category ?? ''), symbol: symbol?.toUpperCase() }
  const answer = await ask(given, async (client, words) => {
    const found = await client.get(words.path.list[kindOf(named.category)], { ...words.list(named), limit: listedMax })
    return words.rows(found)
  })
  show(answer as Record<string, unknown>[], given, ordersText)
}

/** Both versions in the same columns. */
function ordersText(orders: readonly Record<string, unknown>[], look: Look): string {
  const rows = orders.map((order) => ({
    orderId: order['orderId'],
    symbol: order['symbol'],
    side: order['side'],
    type: order['orderType'],
    price: order['price'] ?? order['priceAvg'],
    quantity: order['qty'] ?? order['size'] ?? order['baseSize'],
    filled: order['cumExecQty'] ?? order['baseVolume'],
    status: order['orderStatus'] ?? order['status'],
    clientOid: order['clientOid'],
  }))
  return tableText(rows, look)
}

function kindOf(category: Category): 'spot' | 'margin' | 'futures' {
  return category === 'SPOT' ? 'spot' : category === 'MARGIN' ? 'margin' : 'futures'
}
