/**
 * Orders in words (test/support/order-language.ts) as commands of the model, and commands as the words that say them.
 *
 * Needed     who, and the market
 * Defaults   gtc; no self-trade prevention; autoLoan, of margin orders
 */
import { orderText, parseOrder, type OrderLine } from '../support/order-language.ts'
import type { OrderAmount, Place } from './commands.ts'
import { type Fraction, fraction } from './rational.ts'

export function placeOrder(line: string, id: string): Place {
  const order = parseOrder(line)
  const { who, market, price } = order
  if (who === undefined || market === undefined) throw new Error(`who, and in which market? ${line}`)
  return {
    kind: 'place',
    id,
    owner: who,
    market,
    margin: order.onMargin,
    loanType: order.loanType ?? 'autoLoan',
    side: order.side,
    price: price === undefined ? undefined : fraction(price),
    amount: amountOf(order, market),
    timeInForce: order.timeInForce ?? 'gtc',
    hold: order.positionSide,
    trade: order.tradeSide,
    reduceOnly: order.reduceOnly,
    marginMode: order.marginMode,
    stp: order.stpMode ?? 'none',
    attached: undefined,
  }
}

/** The order that a command places, its id among the words. */
export function placeText(command: Place): string {
  const { owner, market, margin, price, hold, trade, stp, id } = command
  return orderText({
    who: owner,
    side: command.side,
    ...quantityOf(command),
    price: price === undefined ? undefined : decimal(price),
    market,
    version: undefined,
    timeInForce: command.timeInForce === 'gtc' ? undefined : command.timeInForce,
    reduceOnly: command.reduceOnly,
    tradeSide: trade,
    positionSide: hold,
    marginMode: command.marginMode,
    onMargin: margin,
    stpMode: stp === 'none' ? undefined : stp,
    loanType: margin && command.loanType !== 'autoLoan' ? command.loanType : undefined,
    clientOid: id,
    channelCode: undefined,
  })
}

function amountOf({ quantity, coin }: OrderLine, market: string): OrderAmount {
  if (coin === undefined) return { of: 'quantity', quantity: fraction(quantity) }
  return market.includes('/') ? { of: 'quote', budget: fraction(quantity) } : { of: 'base', size: fraction(quantity) }
}

function quantityOf({ amount, market }: Place): Pick<OrderLine, 'quantity' | 'coin'> {
  switch (amount.of) {
    case 'quantity':
      return { quantity: decimal(amount.quantity), coin: undefined }
    case 'quote':
      return { quantity: decimal(amount.budget), coin: market.split('/')[1] }
    case 'base':
      return { quantity: decimal(amount.size), coin: market.replace(/USD$/, '') }
  }
}

/** With no more decimals than it needs. */
function decimal(figure: Fraction): string {
  return figure.toString().replace(/\.?0+$/, '')
}
