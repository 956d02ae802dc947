/**
 * Orders that come of trigger orders, and the quantities that plans are set with.
 * Source  interface E3 presets; design §4.11; risk-engine §18.3
 */
import { expect } from 'vitest'
import type { Amount } from '../../src/engine/numbers/numbers.ts'
import type { Exchange } from './support/exchange.ts'
import { instrumentId } from './support/exchange.ts'
import { units } from './support/figures.ts'
import { hedgers, traders, unifieds } from './support/people.ts'
import { scenario, table } from './support/table.ts'
import { setTpsl } from './support/triggers.ts'

table(
  'in hedge mode v2 names what closes a position by its direction, v3 by the side of the book',
  `
    version | position | side | book side
    v2      | long     | buy  | sell
    v2      | short    | sell | buy
    v3      | long     | sell | sell
    v3      | short    | buy  | buy
  `,
  (exchange, { version, position, side, bookSide }) => {
    const long = position === 'long'
    if (version === 'v2') hedgers(exchange, 'alice')
    else {
      unifieds(exchange, 'alice')
      const uid = exchange.uid('alice')
      exchange.must({ kind: 'set-hold-mode', uid, line: 'USDT-FUTURES', holdMode: 'hedge_mode' })
    }
    traders(exchange, 'bob', 'carol')
    const means = version === 'v2' ? 'open' : `v3 ${position}`
    exchange.given(`bob: ${long ? 'sell' : 'buy'} 10 @ 100`, `alice: ${long ? 'buy' : 'sell'} 10 ${means} @ 100`)
    setTpsl(exchange, 'alice', [long ? 'loss 97 mark' : 'loss 103 mark'], long ? 'long' : 'short')
    exchange.given('carol: buy 20 @ 96', 'carol: sell 20 @ 104')
    exchange.prices({ SOL: long ? '97' : '103' })
    const ended = exchange.ended().find(({ cause }) => cause === 'position-stop-loss')
    expect(ended).toMatchObject({ side, bookSide, status: 'filled' })
    expect(exchange.holds('alice')).toBe('flat')
  },
)

scenario('a plan in base coin of an inverse contract keeps its amount, and is at least one contract', (exchange) => {
  exchange.market = 'BTCUSD'
  traders(exchange, 'alice')
  expect(inBase(exchange, units('0.5'))).toBe('accepted')
  const ask = { kind: 'triggers', uid: exchange.uid('alice'), interface: 'v2', kinds: [] } as const
  const [waits] = exchange.query({ ...ask, category: undefined, instrument: undefined })
  expect(waits).toMatchObject({ quantity: 0, baseAmount: units('0.5'), quoteAmount: 0n })
  expect(inBase(exchange, 1n as Amount)).toBe('quantity-below-minimum')
})

function inBase(exchange: Exchange, amount: Amount) {
  const { uid, category, side, stpMode, marginMode, price } = exchange.order('alice: buy 1 @ 61000')
  return exchange.refusal({
    kind: 'place-trigger',
    uid,
    interface: 'v2',
    category,
    instrument: instrumentId(exchange.market),
    trigger: price as Exclude<typeof price, 0>,
    by: 'mark',
    execute: 0,
    side,
    quantity: { unit: 'base', amount },
    positionSide: undefined,
    tradeSide: undefined,
    reduceOnly: false,
    marginMode,
    marginCoin: undefined,
    stpMode,
    clientOid: '',
    takeProfit: undefined,
    stopLoss: undefined,
    channelCode: '',
  })
}
