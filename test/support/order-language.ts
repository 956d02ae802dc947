/**
 * The order language: orders as a trader says them, for the tests of the engine, of the wire and of the reference model.
 *
 *   alice: buy 3 @ 100
 *   alice: sell 15 SOLUSDT reduce-only stp:cancel-maker oid:mine @ 99
 *
 * An order   [WHO: ]SIDE QUANTITY[ WORD ...][ @ PRICE]      without a price it is a market order
 * A list     ORDER[; ORDER ...]      who is left out is the one before; an empty text is no order at all
 * Who        a name
 * Side       buy · sell
 * Figures    decimals without sign and exponent
 * Words      in any order, of each line below at most one
 *   market   SOLUSDT, SOL/USDT: six capital letters or more, or a slash between
 *   coin     USDT: three to five capital letters; the quantity is in this coin
 *   version  v2 · v3
 *   lasts    gtc · ioc · fok · post-only
 *   reduces  reduce-only
 *   trade    open · close      in hedge mode, v2
 *   position long · short      in hedge mode, v3
 *   margin   isolated · cross
 *   loans    on-margin
 *   tagged   stp:none · stp:cancel-taker · stp:cancel-maker · stp:cancel-both
 *            loan:normal · loan:autoLoan · loan:autoRepay · loan:autoLoanAndRepay
 *            oid:CLIENT-ORDER-ID · channel:CODE
 * Defaults   none here: a word that is not said is undefined, and whoever makes a command of it has their own
 */
import type { Interface, LoanType, MarginMode, StpMode, TimeInForce } from '../../src/engine/vocabulary.ts'

export interface OrderLine {
  readonly who: string | undefined
  readonly side: 'buy' | 'sell'
  readonly quantity: string
  readonly price: string | undefined
  readonly market: string | undefined
  readonly coin: string | undefined
  readonly version: Interface | undefined
  readonly timeInForce: TimeInForce | undefined
  readonly reduceOnly: boolean
  readonly tradeSide: 'open' | 'close' | undefined
  readonly positionSide: 'long' | 'short' | undefined
  readonly marginMode: MarginMode | undefined
  readonly onMargin: boolean
  readonly stpMode: StpMode | undefined
  readonly loanType: LoanType | undefined
  readonly clientOid: string | undefined
  readonly channelCode: string | undefined
}

const decimal = String.raw`\d+(?:\.\d+)?`
const orderPattern = new RegExp(
  `^(?:(?<who>\\w+): )?(?<side>buy|sell) (?<quantity>${decimal})(?<words>(?: [^\\s@]+)*)(?: @ (?<price>${decimal}))?$`,
)

/** What kind of word a word is; the first pattern that fits. Tags leave their tag away. */
const wordKinds = {
  version: /^v[23]$/,
  timeInForce: /^(?:gtc|ioc|fok|post-only)$/,
  reduceOnly: /^reduce-only$/,
  tradeSide: /^(?:open|close)$/,
  positionSide: /^(?:long|short)$/,
  marginMode: /^(?:isolated|cross)$/,
  onMargin: /^on-margin$/,
  stpMode: /^stp:(?<value>none|cancel-(?:taker|maker|both))$/,
  loanType: /^loan:(?<value>normal|autoLoan|autoRepay|autoLoanAndRepay)$/,
  clientOid: /^oid:(?<value>\S+)$/,
  channelCode: /^channel:(?<value>\S+)$/,
  coin: /^[A-Z]{3,5}$/,
  market: /^(?:[A-Z]{6,}|[A-Z]{3,5}\/[A-Z]{3,5})$/,
} as const satisfies Partial<Record<keyof OrderLine, RegExp>>
type WordKind = keyof typeof wordKinds

/** One order. */
export function parseOrder(text: string): OrderLine {
  const groups = orderPattern.exec(text)?.groups
  if (groups === undefined) throw new Error(`not an order: ${text}`)
  const words = wordsOf(text, groups['words'] ?? '')
  return {
    who: groups['who'],
    side: groups['side'] as OrderLine['side'],
    quantity: groups['quantity'] ?? '',
    price: groups['price'],
    market: words.get('market'),
    coin: words.get('coin'),
    version: words.get('version') as Interface | undefined,
    timeInForce: words.get('timeInForce')?.replace('-', '_') as TimeInForce | undefined,
    reduceOnly: words.has('reduceOnly'),
    tradeSide: words.get('tradeSide') as OrderLine['tradeSide'],
    positionSide: words.get('positionSide') as OrderLine['positionSide'],
    marginMode: words.get('marginMode') as MarginMode | undefined,
    onMargin: words.has('onMargin'),
    stpMode: words.get('stpMode')?.replace('-', '_') as StpMode | undefined,
    loanType: words.get('loanType') as LoanType | undefined,
    clientOid: words.get('clientOid'),
    channelCode: words.get('channelCode'),
  }
}

/** A list of orders, each with who gives it, as texts of one order each. */
export function orderLines(list: string): string[] {
  let who = ''
  return list === ''
    ? []
    : list.split('; ').map((text) => {
        const named = /^\w+: /.exec(text)
        who = named?.[0] ?? who
        return named === null ? who + text : text
      })
}

/** An order as text, its words in the order of the grammar. */
export function orderText(order: OrderLine): string {
  const words = [
    order.market,
    order.coin,
    order.version,
    order.timeInForce?.replace('_', '-'),
    order.reduceOnly ? 'reduce-only' : undefined,
    order.tradeSide,
    order.positionSide,
    order.marginMode,
    order.onMargin ? 'on-margin' : undefined,
    tagged('stp', order.stpMode?.replace('_', '-')),
    tagged('loan', order.loanType),
    tagged('oid', order.clientOid),
    tagged('channel', order.channelCode),
    order.price === undefined ? undefined : `@ ${order.price}`,
  ]
  const who = order.who === undefined ? '' : `${order.who}: `
  return [`${who}${order.side} ${order.quantity}`, ...words.filter((word) => word !== undefined)].join(' ')
}

/** An order with other words. */
export function withWords(order: string, words: Partial<OrderLine>): string {
  return orderText({ ...parseOrder(order), ...words })
}

/** The plain order that takes the other side of another one, at its price. */
export function opposite(order: string): string {
  const { side, quantity, price } = parseOrder(order)
  const other = side === 'buy' ? 'sell' : 'buy'
  return price === undefined ? `${other} ${quantity}` : `${other} ${quantity} @ ${price}`
}

function wordsOf(text: string, list: string): Map<WordKind, string> {
  const words = new Map<WordKind, string>()
  for (const word of list.split(' ').slice(1)) {
    const kind = (Object.keys(wordKinds) as WordKind[]).find((name) => wordKinds[name].test(word))
    if (kind === undefined) throw new Error(`${text}: what is ${word}?`)
    if (words.has(kind)) throw new Error(`${text}: ${word} after ${words.get(kind)}`)
    words.set(kind, wordKinds[kind].exec(word)?.groups?.['value'] ?? word)
  }
  return words
}

function tagged(tag: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${tag}:${value}`
}
