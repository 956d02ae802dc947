/**
 * Presets of spot and margin orders: the TP/SL of what an order has received.
 * Source  wire/client-endpoints §4; wire/v3-endpoints §2; design §4.18
 */
import { expect } from 'vitest'
import { listed } from '../support/text-table.ts'
import type { Exchange } from './support/exchange.ts'
import { traders, unifieds } from './support/people.ts'
import { scenario, table } from './support/table.ts'
import { endedTriggers, outcomeOf, waiting, withPresets } from './support/triggers.ts'
import { lotsOf, ticksOf } from './support/order-commands.ts'

/** Alice with what her order needs and no more; Bob, Carol and Dave with plenty. */
function stage(exchange: Exchange, funds: string): void {
  traders(exchange, 'bob', 'carol', 'dave').join('alice', { funds: { spot: funds } }).market = 'BTC/USDT'
}

/** Two others trade at a price: it is the last price. The liquidity that a TP/SL will find stands behind. */
function last(exchange: Exchange, price: string, mark = price): void {
  if (mark !== '60000') exchange.leap({ BTC: mark })
  exchange.given(
    `carol: buy 10 oid:below @ ${Number(price) - 100}`,
    `carol: sell 10 oid:above @ ${Number(price) + 100}`,
  )
  exchange.given(`dave: sell 0.01 @ ${price}`, `bob: buy 0.01 ioc @ ${price}`)
}

table(
  'the TP/SL are as large as what came in less the fee, of base coin in whole lots',
  `
    order                            | against               | tpsl
    alice: buy 0.5 @ 60000           | bob: sell 0.5 @ 60000 | take-profit 0.4995 at 66000; stop-loss 0.4995 at 54000
    alice: buy 30000 USDT            | bob: sell 0.5 @ 60000 | take-profit 0.4995 at 66000; stop-loss 0.4995 at 54000
    // 0.0123 less 0.0000123: whole lots of 0.000001
    alice: buy 0.0123 @ 60000        | bob: sell 1 @ 60000   | take-profit 0.012287 at 66000; stop-loss 0.012287 at 54000
    alice: sell 0.5 @ 60000          | bob: buy 0.5 @ 60000  | take-profit 29970 USDT at 54000; stop-loss 29970 USDT at 66000
    alice: sell 0.5                  | bob: buy 0.2 @ 60000  | take-profit 11988 USDT at 54000; stop-loss 11988 USDT at 66000
    alice: buy 0.000001 @ 60000      | bob: sell 1 @ 60000   | -
    alice: buy 0.5 post-only @ 60000 | bob: sell 1 @ 60000   | -
  `,
  (exchange, { order, against, tpsl }) => {
    stage(exchange, '100000 USDT, 1 BTC')
    exchange.given(against)
    const [profit, loss] = order.includes('buy') ? ['66000', '54000'] : ['54000', '66000']
    withPresets(exchange, order, `profit ${profit}`, `loss ${loss}`)
    expect(waiting(exchange, 'alice')).toEqual(listed(tpsl))
  },
)

scenario('they grow with each fill; what is less than a lot joins the next', (exchange) => {
  stage(exchange, '100000 USDT')
  withPresets(exchange, 'alice: buy 0.000009 oid:mine @ 60000', 'loss 54000')
  exchange.given('bob: sell 0.000003 @ 60000') // 0.00000299 come in
  expect(waiting(exchange, 'alice')).toEqual(['stop-loss 0.000002 at 54000'])
  exchange.given('bob: sell 0.000003 @ 60000') // 0.00000598 in all
  expect(waiting(exchange, 'alice')).toEqual(['stop-loss 0.000005 at 54000'])
  expect(exchange.lastEvents).toContainEqual(expect.objectContaining({ kind: 'trigger-accepted' }))
  exchange.cancel('alice', 'mine')
  expect(waiting(exchange, 'alice')).toEqual(['stop-loss 0.000005 at 54000'])
})

table(
  'one fires and takes the other along',
  // order, TP/SL, price, fired, BTC and USDT after
  `
    side | tpsl                             | price       | fired                                    | btc             | usdt
    buy  | profit 66000; loss 54000         | 65999       | -                                        | 0.4995          | 0
    buy  | profit 66000; loss 54000         | 66000       | take-profit executed; stop-loss canceled | 0               | 32884.13295
    buy  | profit 66000; loss 54000         | 54000       | stop-loss executed; take-profit canceled | 0               | 26896.12695
    buy  | profit 66000 mark; loss 54000    | 66000 alone | -                                        | 0.4995          | 0
    // The index stands at 60,000: no one within the protection band
    buy  | profit 66000; loss 54000         | 54000 alone | stop-loss executed                       | 0.4995          | 0
    // Rests at its limit, and has taken the other along all the same
    buy  | profit 66000 @ 67000; loss 54000 | 66000       | take-profit executed; stop-loss canceled | 0 + 0.4995 held | 0
    sell | profit 54000; loss 66000         | 54000       | take-profit executed; stop-loss canceled | 0.55342002      | 0.0066
    sell | profit 54000; loss 66000         | 66000       | stop-loss executed; take-profit canceled | 0.45294959      | 0.0617
    // At a limit of 55,000: 29,970 pay for 0.544909, which cost 54,100 each
    sell | profit 54000 @ 55000; loss 66000 | 54000       | take-profit executed; stop-loss canceled | 0.54436409      | 490.4231
  `,
  (exchange, { side, tpsl, price, fired, btc, usdt }) => {
    stage(exchange, side === 'buy' ? '30000 USDT' : '0.5 BTC')
    exchange.given(`bob: ${side === 'buy' ? 'sell' : 'buy'} 0.5 @ 60000`)
    withPresets(exchange, `alice: ${side} 0.5 @ 60000`, ...listed(tpsl))
    const [at = '', alone] = price.split(' ')
    last(exchange, at, alone === undefined ? at : '60000')
    expect(endedTriggers(exchange)).toEqual(listed(fired))
    expect(exchange.wallet('alice', 'spot', 'BTC')).toBe(btc)
    expect(exchange.wallet('alice', 'spot', 'USDT')).toBe(usdt)
  },
)

scenario('a TP/SL holds nothing: it fails when what it covers was spent meanwhile', (exchange) => {
  stage(exchange, '30000 USDT')
  exchange.given('bob: sell 0.5 @ 60000')
  withPresets(exchange, 'alice: buy 0.5 @ 60000', 'loss 54000')
  exchange.given('bob: buy 0.1 @ 59000', 'alice: sell 0.1 @ 59000')
  last(exchange, '54000')
  expect(endedTriggers(exchange)).toEqual(['stop-loss failed insufficient-available'])
  expect(exchange.wallet('alice', 'spot', 'BTC')).toBe('0.3995')
})

scenario('TP/SL are as small as what they cover: no minimum holds them up', (exchange) => {
  stage(exchange, '30000 USDT')
  exchange.given('bob: sell 0.000002 @ 60000')
  withPresets(exchange, 'alice: buy 0.000002 @ 60000', 'loss 54000')
  expect(waiting(exchange, 'alice')).toEqual(['stop-loss 0.000001 at 54000'])
  last(exchange, '54000')
  expect(endedTriggers(exchange)).toEqual(['stop-loss executed'])
})

scenario('what fills after a TP/SL fired is covered anew', (exchange) => {
  stage(exchange, '60000 USDT')
  withPresets(exchange, 'alice: buy 1 oid:mine @ 60000', 'profit 66000')
  exchange.given('bob: sell 0.5 @ 60000')
  last(exchange, '66000')
  expect(endedTriggers(exchange)).toEqual(['take-profit executed'])
  exchange.cancel('carol', 'below')
  exchange.given('bob: sell 0.1 @ 60000')
  expect(waiting(exchange, 'alice')).toEqual(['take-profit 0.0999 at 66000'])
})

scenario('new presets of an order hold for what it receives from then on', (exchange) => {
  stage(exchange, '60000 USDT')
  exchange.given('alice: buy 1 oid:mine @ 60000', 'bob: sell 0.5 @ 60000')
  const amend = (trigger: string) =>
    exchange.must({
      kind: 'amend-order',
      uid: exchange.uid('alice'),
      order: { orderId: undefined, clientOid: 'mine' },
      category: undefined,
      instrument: undefined,
      price: undefined,
      quantity: undefined,
      attachedTpsl: {
        takeProfit: undefined,
        stopLoss: { trigger: ticksOf(exchange.instrument(), trigger), execute: 0, by: 'last' },
      },
      autoCancel: false,
      requestId: '',
    })
  amend('54000')
  exchange.given('bob: sell 0.1 @ 60000')
  expect(waiting(exchange, 'alice')).toEqual(['stop-loss 0.0999 at 54000'])
  amend('55000')
  exchange.given('bob: sell 0.2 @ 60000')
  expect(waiting(exchange, 'alice')).toEqual(['stop-loss 0.0999 at 54000', 'stop-loss 0.1998 at 55000'])
})

scenario('a TP/SL of a margin order sells no more than is there', (exchange) => {
  unifieds(exchange, 'bob', 'carol', 'dave').join('alice', { mode: 'unified', funds: { uta: '20000 USDT' } }).market =
    'BTC/USDT'
  exchange.given('bob: sell 0.5 @ 60000')
  withPresets(exchange, 'alice: buy 0.5 on-margin @ 60000', 'loss 54000')
  expect(exchange.debt('alice', 'uta', 'USDT')).toBe('10000 + 0.05')
  exchange.given('bob: buy 0.3 @ 60000', 'alice: sell 0.3 @ 60000')
  last(exchange, '54000')
  expect(endedTriggers(exchange)).toEqual(['stop-loss failed insufficient-available'])
  expect(exchange.debt('alice', 'uta', 'BTC')).toBe('0 + 0')
})

table(
  'a TP/SL is changed within its side of the price, in the unit that it counts',
  `
    side | trigger | quantity | answer
    buy  | 55000   | -        | modified
    buy  | 60000   | -        | refused trigger-not-below
    buy  | 55000   | 0.2      | modified
    buy  | 55000   | 0        | refused quantity-below-minimum
    sell | 65000   | -        | modified
    sell | 60000   | -        | refused trigger-not-above
    sell | 65000   | 0.2      | refused quantity-unit-unsuitable
  `,
  (exchange, { side, trigger, quantity, answer }) => {
    stage(exchange, '30000 USDT, 0.5 BTC')
    exchange.given(`bob: ${side === 'buy' ? 'sell' : 'buy'} 0.5 @ 60000`)
    withPresets(exchange, `alice: ${side} 0.5 @ 60000`, `loss ${side === 'buy' ? '54000' : '66000'}`)
    const uid = exchange.uid('alice')
    const ask = { kind: 'triggers', uid, interface: 'v2', category: 'SPOT', instrument: undefined, kinds: [] } as const
    const [tpsl] = exchange.query(ask)
    const reply = exchange.apply({
      kind: 'modify-trigger',
      uid,
      order: { orderId: tpsl?.orderId, clientOid: '' },
      kinds: ['stop-loss'],
      trigger: ticksOf(exchange.instrument(), trigger),
      by: 'last',
      execute: 0,
      quantity: quantity === '' ? undefined : { unit: 'lots', lots: lotsOf(exchange.instrument(), quantity) },
      takeProfit: undefined,
      stopLoss: undefined,
    })
    expect(outcomeOf(reply)).toBe(answer)
  },
)
