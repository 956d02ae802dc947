/**
 * Trigger and trailing orders explained: what they wait for, how far the price is, what holds them back, what came of them.
 * Source  risk-engine §18, §23; docs/decisions/0025-trailing-orders.md
 */
import { expect } from 'vitest'
import type { Explained } from '../../src/engine/protocol/explanation.ts'
import { listed } from '../support/text-table.ts'
import { type Exchange, instrumentId } from './support/exchange.ts'
import { traders } from './support/people.ts'
import { scenario, table } from './support/table.ts'
import { trail, trailStop } from './support/trailing.ts'
import { plan, setTpsl } from './support/triggers.ts'

/** Inputs and results by their names. */
function told({ inputs, lines }: Explained): Readonly<Record<string, string>> {
  const results = lines.map(({ name, exact, rounding, result }) => [
    name,
    rounding === 'none' ? result : `${exact} ${rounding} ${result}`,
  ])
  return Object.fromEntries([...inputs.map(({ name, value }) => [name, value]), ...results])
}

/** Alice's only trigger order, as it waits. */
function waitingOf(exchange: Exchange, orderId = numberOf(exchange)): Readonly<Record<string, string>> {
  const subject = { kind: 'waiting-trigger', orderId } as const
  return told(exchange.query({ kind: 'explain', subject }) as Explained)
}

function numberOf(exchange: Exchange): number {
  const ask = { uid: exchange.uid('alice'), interface: 'v2', category: undefined, instrument: undefined } as const
  return exchange.query({ kind: 'triggers', ...ask, kinds: [] })[0]?.orderId ?? 0
}

/** As it ended by the last command. */
function endedOf(exchange: Exchange): Readonly<Record<string, string>> {
  const ended = exchange.lastEvents.find((event) => event.kind === 'trigger-ended')
  if (ended === undefined) throw new Error('a trigger order has ended')
  const subject = { kind: 'ended-trigger', trigger: ended.trigger } as const
  return told(exchange.query({ kind: 'explain', subject }) as Explained)
}

function last(exchange: Exchange, ...prices: readonly string[]): void {
  for (const price of prices) exchange.given(`dave: sell 1 @ ${price}`, `erin: buy 1 ioc @ ${price}`)
}

const place: Readonly<Record<string, (exchange: Exchange) => string>> = {
  'plan at 104': (exchange) => plan(exchange, 'alice: buy 5 @ 103', 'last 104'),
  'plan at mark 97': (exchange) => plan(exchange, 'alice: buy 5', 'mark 97'),
  'stop-loss at 90': (exchange) => setTpsl(exchange, 'alice', ['loss 90']),
  'take-profit at 120': (exchange) => setTpsl(exchange, 'alice', ['profit 120 of 4']),
  'trailing from 110': (exchange) => trail(exchange, 'alice: sell 5', '5% from 110'),
  'trailing 5%': (exchange) => trail(exchange, 'alice: sell 5', '5%'),
  'trailing buy 5%': (exchange) => trail(exchange, 'alice: buy 5', '5%'),
  'trailing stop': (exchange) => trailStop(exchange, 'alice', '3%'),
}

table(
  'what a waiting one waits for, and how far away it is',
  // 5 % below 103 is 97.85, above 98 it is 102.9; 3 % below 103 is 99.91
  `
    order              | prices | waits for                      | distance | trigger price
    plan at 104        | 101    | a rise to its triggerPrice     | 3        | 104
    plan at mark 97    | 101    | a fall to its triggerPrice     | 3        | 97
    stop-loss at 90    | 101    | a fall to its triggerPrice     | 11       | 90
    take-profit at 120 | 101    | a rise to its triggerPrice     | 19       | 120
    trailing from 110  | 101    | a rise to its activationPrice  | 9        | -
    trailing 5%        | 103    | a fall to its triggerPrice     | 6        | 97.85 down 97
    trailing 5%        | 103; 99| a fall to its triggerPrice     | 2        | 97.85 down 97
    trailing buy 5%    | 98     | a rise to its triggerPrice     | 5        | 102.9 up 103
    trailing stop      | 103    | a fall to its triggerPrice     | 4        | 99.91 down 99
  `,
  (exchange, { order, prices, waitsFor, distance, triggerPrice }) => {
    traders(exchange, 'alice', 'bob', 'dave', 'erin')
    exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
    place[order]?.(exchange)
    last(exchange, ...listed(prices))
    const page = waitingOf(exchange)
    expect([page['waits for'], page['distance'], page['triggerPrice'] ?? '']).toEqual([
      waitsFor,
      distance,
      triggerPrice,
    ])
    expect(page).toMatchObject({ status: 'live', uid: String(exchange.uid('alice')), symbol: 'SOLUSDT' })
  },
)

scenario('its terms: quantity, price of the order to come, rate, partner', (exchange) => {
  traders(exchange, 'alice', 'bob', 'dave', 'erin')
  exchange.given('bob: sell 10 @ 100', 'alice: buy 10 @ 100')
  place['plan at 104']?.(exchange)
  const first = numberOf(exchange)
  expect(waitingOf(exchange)).toMatchObject({
    kind: 'plan',
    quantity: '5',
    'executes at': '103',
    'goes by': 'lastPrice',
  })
  setTpsl(exchange, 'alice', ['profit 110 mark', 'loss 90'])
  const [stopLoss, takeProfit] = exchange.query({
    kind: 'triggers',
    uid: exchange.uid('alice'),
    interface: 'v2',
    category: undefined,
    instrument: undefined,
    kinds: [],
  })
  expect(waitingOf(exchange, stopLoss?.orderId)).toMatchObject({
    quantity: 'all of the position',
    executes: 'at market',
    'set together with': String(takeProfit?.orderId),
  })
  trail(exchange, 'alice: sell 5', '2.5% from 110')
  expect(waitingOf(exchange)).toMatchObject({ 'callback rate': '0.025', activationPrice: '110', kind: 'trailing-plan' })
  expect(waitingOf(exchange, first)['callback rate']).toBeUndefined()
  expect(exchange.query({ kind: 'explain', subject: { kind: 'waiting-trigger', orderId: 7 } })).toBeUndefined()
})

scenario('before the first trade it waits for that; while the instrument is halted it is held back', (exchange) => {
  traders(exchange, 'alice', 'dave', 'erin')
  place['trailing 5%']?.(exchange)
  expect(waitingOf(exchange)['waits for']).toBe('the first trade')
  last(exchange, '103')
  expect(waitingOf(exchange)['held back']).toBeUndefined()
  const none = {
    tiers: undefined,
    makerFeeRate: undefined,
    takerFeeRate: undefined,
    limitBand: undefined,
    marketBand: undefined,
  }
  exchange.must({ kind: 'set-instrument', instrument: instrumentId('SOLUSDT'), ...none, status: 'halted' })
  expect(waitingOf(exchange)).toMatchObject({ 'held back': 'the instrument is halted', 'best price since': '103' })
})

scenario('what came of it: the order that it became, why that was refused, or neither', (exchange) => {
  traders(exchange, 'alice', 'carol', 'dave', 'erin').join('poor', { funds: { usdt_futures: '10 USDT' } })
  exchange.given('carol: buy 20 @ 90')
  place['trailing 5%']?.(exchange)
  last(exchange, '103', '97')
  const order = exchange.ended().find(({ cause }) => cause === 'trailing-plan')
  expect(endedOf(exchange)).toMatchObject({
    status: 'executed',
    'became order': String(order?.orderId),
    triggerPrice: '97.85 down 97',
  })
  plan(exchange, 'poor: buy 100 @ 104', 'last 104')
  last(exchange, '104')
  expect(endedOf(exchange)).toMatchObject({ status: 'failed', 'its order was refused': 'insufficient-margin' })
  plan(exchange, 'alice: buy 1 @ 90', 'last 110')
  const cancel = { uid: exchange.uid('alice'), interface: 'v2', category: 'USDT-FUTURES', kinds: [] } as const
  exchange.must({ kind: 'cancel-triggers', ...cancel, instrument: undefined })
  const canceled = endedOf(exchange)
  expect(canceled).toMatchObject({ status: 'canceled', triggerPrice: '110' })
  expect(Object.keys(canceled)).not.toContain('became order')
})
