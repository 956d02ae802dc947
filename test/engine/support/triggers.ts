/**
 * Trigger orders in the words of the tests.
 *
 * Plan     the order that shall come of it in one line (test/support/order-language.ts), and the price that it waits for: `last 98`
 * TP/SL    `profit 110`, `loss 95 mark`, `loss 95 of 4 @ 94`: what a position's take-profit and stop-loss wait for, by the
 *          last price unless it says mark, for the whole position unless it names a quantity, at market unless at a price
 */
import type { TriggerLeg } from '../../../src/engine/protocol/command.ts'
import type { TriggerRecord } from '../../../src/engine/protocol/event.ts'
import type { Reply } from '../../../src/engine/protocol/reply.ts'
import type { TpslTerms, TriggerKind, TriggerPrice } from '../../../src/engine/vocabulary.ts'
import { type Exchange, instrumentId } from './exchange.ts'
import { coins } from './figures.ts'
import { lotsOf, ticksOf } from './order-commands.ts'

/** Places an order with attached TP/SL: `preset(exchange, 'alice: buy 10 @ 100', 'profit 110', 'loss 95 mark')`. */
export function withPresets(exchange: Exchange, line: string, ...tpsl: readonly string[]): Reply {
  return exchange.must({ ...exchange.order(line), ...attachedTpsl(exchange, tpsl) })
}

function attachedTpsl(exchange: Exchange, tpsl: readonly string[]) {
  const find = (name: string): TpslTerms | undefined => {
    const text = tpsl.find((line) => line.startsWith(name))
    return text === undefined ? undefined : presetOf(exchange, text)
  }
  return { takeProfit: find('profit'), stopLoss: find('loss') }
}

function presetOf(exchange: Exchange, text: string): TpslTerms {
  const { trigger, execute, by } = legOf(exchange, text)
  return { trigger, execute, by }
}

/** Sets a plan and answers what came of it: `placed`, or the refusal. */
export function plan(exchange: Exchange, line: string, waits: string, ...tpsl: readonly string[]): string {
  const order = exchange.order(line)
  const [by, price = ''] = waits.split(' ')
  const { uid, category, instrument, side, quantity, positionSide, tradeSide, reduceOnly, marginMode } = order
  return outcomeOf(
    exchange.apply({
      kind: 'place-trigger',
      uid,
      interface: order.interface,
      category,
      instrument,
      trigger: ticksOf(exchange.instrument(), price),
      by: by as TriggerPrice,
      execute: order.price,
      side,
      quantity,
      positionSide,
      tradeSide,
      reduceOnly,
      marginMode,
      marginCoin: undefined,
      stpMode: order.stpMode,
      clientOid: order.clientOid,
      ...attachedTpsl(exchange, tpsl),
      channelCode: '',
    }),
  )
}

/** Sets the TP/SL of a position; of two sides the one named. */
export function setTpsl(
  exchange: Exchange,
  who: string,
  tpsl: readonly string[],
  side?: 'long' | 'short',
  clientOids: readonly [string, string] = ['', ''],
): string {
  const find = (name: string, clientOid: string): TriggerLeg | undefined => {
    const found = tpsl.find((text) => text.startsWith(name))
    return found === undefined ? undefined : { ...legOf(exchange, found), clientOid }
  }
  return outcomeOf(
    exchange.apply({
      kind: 'place-position-triggers',
      uid: exchange.uid(who),
      interface: exchange.account(who).mode === 'classic' ? 'v2' : 'v3',
      instrument: instrumentId(exchange.market),
      marginCoin: undefined,
      positionSide: side,
      takeProfit: find('profit', clientOids[0]),
      stopLoss: find('loss', clientOids[1]),
      stpMode: undefined,
      channelCode: '',
    }),
  )
}

function legOf(exchange: Exchange, text: string): Omit<TriggerLeg, 'clientOid'> {
  const parts = /^(?:profit|loss) (\S+)( mark)?(?: of (\S+))?(?: @ (\S+))?$/.exec(text)
  if (parts === null) throw new Error(`not a TP/SL: ${text}`)
  const [, trigger = '', mark, quantity, execute] = parts
  const instrument = exchange.instrument()
  return {
    trigger: ticksOf(instrument, trigger),
    execute: execute === undefined ? 0 : ticksOf(instrument, execute),
    by: mark === undefined ? 'last' : 'mark',
    quantity: quantity === undefined ? undefined : { unit: 'lots', lots: lotsOf(instrument, quantity) },
  }
}

export function outcomeOf(reply: Reply): string {
  return reply.kind === 'refused' ? `refused ${reply.refusal.kind}` : reply.kind
}

/** Waiting trigger orders of somebody, oldest first: `stop-loss 10 at 95`, `plan buy 5 at mark 98`. */
export function waiting(exchange: Exchange, who: string, kinds: readonly TriggerKind[] = []): string[] {
  const version = exchange.account(who).mode === 'classic' ? 'v2' : 'v3'
  const ask = { kind: 'triggers', uid: exchange.uid(who), interface: version } as const
  const found = exchange.query({ ...ask, category: undefined, instrument: undefined, kinds })
  return [...found].reverse().map((trigger) => triggerText(exchange, trigger))
}

function triggerText(exchange: Exchange, trigger: TriggerRecord): string {
  const price = `${trigger.by === 'mark' ? 'mark ' : ''}${exchange.price(trigger.price)}`
  const quote = trigger.quoteAmount === 0n ? '' : ` ${coins(trigger.quoteAmount)} USDT`
  const quantity = trigger.quantity === 0 ? quote : ` ${exchange.quantity(trigger.quantity)}`
  return `${trigger.trigger === 'plan' ? `plan ${trigger.bookSide}` : trigger.trigger}${quantity} at ${price}`
}

/** Trigger orders that the last command ended: `stop-loss executed`, `plan failed insufficient-margin`. */
export function endedTriggers(exchange: Exchange): string[] {
  return exchange.lastEvents
    .filter((event) => event.kind === 'trigger-ended')
    .map(({ trigger }) => [trigger.trigger, trigger.status, trigger.failure].filter((word) => word !== '').join(' '))
}
