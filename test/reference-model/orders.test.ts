/**
 * Single orders in the model and in the engine: both come to what the row says, and agree to the unit.
 *
 * Before   ann, ben and hal have money in every wallet; hal holds BTCUSDT in hedge mode
 * Says     `filled 0.1, rests 0.2`, `filled 0.1, canceled no-liquidity`, `refused nothing-to-reduce`
 */
import { expect, test } from 'vitest'
import { orderLines } from '../support/order-language.ts'
import { textTable } from '../support/text-table.ts'
import type { Answer, Command, Place } from './commands.ts'
import { Comparison } from './comparison.ts'
import { EngineSide } from './engine-side.ts'
import { Model } from './model.ts'
import { placeOrder, placeText } from './order-commands.ts'
import { type Fraction, fraction, sum } from './rational.ts'
import { coins, markets } from './venue.ts'

/** Midnight of 1 January 2026, UTC. */
const firstDay = 1_767_225_600_000

class Sides {
  private readonly engine = new EngineSide(coins, markets, firstDay)
  private readonly model = new Model(coins, markets, firstDay)
  private readonly comparison = new Comparison(this.engine, this.model.world)
  private at = firstDay
  private orders = 0

  constructor(names: readonly string[]) {
    for (const owner of names) {
      this.engine.join(owner, owner, false, this.at)
      this.model.join(owner, owner, false)
      for (const { wallet, coin, money } of funds) {
        this.apply({ kind: 'deposit', owner, wallet, coin, money: fraction(money) })
      }
    }
  }

  apply(command: Command): Answer {
    this.at += 1
    const answer = this.model.apply(command, this.at)
    this.comparison.same('answer', this.engine.apply(command, this.at), answer)
    this.comparison.compareEvents()
    for (const { name } of this.model.world.accounts) this.comparison.compareAccount(name)
    this.comparison.compareMarkets()
    this.comparison.compareHouse()
    this.comparison.compareBooks()
    expect(this.comparison.faults).toEqual([])
    return answer
  }

  /** Places an order and answers what came of it. */
  place(line: string): string {
    this.orders += 1
    const command = placeOrder(line, `o${this.orders}`)
    const answer = this.apply(command)
    return answer === 'accepted' ? this.outcome(command) : `refused ${answer}`
  }

  private outcome({ id }: Place): string {
    const { fills, ended, orders } = this.model.world
    const filled = sum(fills.filter(({ order }) => order === id).map(({ quantity }) => quantity))
    const end = ended.find(({ order }) => order === id)
    const rest = orders.find((order) => order.id === id)
    const parts = [
      filled.isZero() ? undefined : `filled ${shown(filled)}`,
      rest === undefined ? undefined : `rests ${shown(rest.remaining)}`,
      end?.status === 'canceled' ? `canceled ${end.reason}` : undefined,
    ]
    return parts.filter((part) => part !== undefined).join(', ')
  }
}

function shown(quantity: Fraction): string {
  return quantity.toString().replace(/\.?0+$/, '')
}

const funds = [
  { wallet: 'spot', coin: 'USDT', money: '100000' },
  { wallet: 'spot', coin: 'BTC', money: '2' },
  { wallet: 'usdt_futures', coin: 'USDT', money: '100000' },
  { wallet: 'coin_futures', coin: 'BTC', money: '2' },
] as const

const rows = textTable(`
  before                                 | order                                         | outcome
  -                                      | ben: buy 0.1 BTCUSDT @ 60000                  | rests 0.1
  ann: sell 0.1 BTCUSDT @ 60000          | ben: buy 0.3 BTCUSDT @ 60000                  | filled 0.1, rests 0.2
  ann: sell 0.1 BTCUSDT @ 60000          | ben: buy 0.3 BTCUSDT ioc @ 60000              | filled 0.1, canceled no-liquidity
  ann: sell 0.1 BTCUSDT @ 60000          | ben: buy 0.3 BTCUSDT fok @ 60000              | canceled no-liquidity
  ann: sell 0.1 BTCUSDT @ 60000;         | ben: buy 0.3 BTCUSDT fok @ 60010              | filled 0.3
  sell 0.2 BTCUSDT @ 60010               |                                               |
  ann: sell 0.1 BTCUSDT @ 60000          | ben: buy 0.1 BTCUSDT post-only @ 60000        | canceled post-only
  ann: sell 0.1 BTCUSDT @ 60000          | ben: buy 0.3 BTCUSDT                          | filled 0.1, canceled no-liquidity
  ann: sell 0.1 BTCUSDT @ 60000          | ann: buy 0.1 BTCUSDT stp:cancel-taker @ 60000 | canceled self-trade
  ann: sell 0.1 BTCUSDT @ 60000          | ann: buy 0.1 BTCUSDT stp:cancel-maker @ 60000 | rests 0.1
  -                                      | ben: buy 0.1 BTCUSDT reduce-only @ 60000      | refused nothing-to-reduce
  ann: sell 0.1 BTCUSDT @ 60000;         | ben: sell 0.3 BTCUSDT reduce-only @ 61000     | rests 0.1
  ben: buy 0.1 BTCUSDT @ 60000           |                                               |
  ann: sell 0.1 BTCUSDT @ 60000;         | ben: sell 0.3 BTCUSDT @ 59900                 | filled 0.3
  ben: buy 0.1 BTCUSDT @ 60000;          |                                               |
  ann: buy 1 BTCUSDT @ 59900             |                                               |
  ann: sell 0.1 BTCUSDT isolated @ 60000 | ben: buy 0.1 BTCUSDT isolated @ 60000         | filled 0.1
  ann: sell 0.1 BTCUSDT @ 60000;         | hal: buy 0.2 BTCUSDT close @ 61000            | refused insufficient-position
  hal: buy 0.1 BTCUSDT open @ 60000      |                                               |
  ann: sell 0.1 BTCUSDT @ 60000;         | hal: sell 0.2 BTCUSDT open @ 61000            | rests 0.2
  hal: buy 0.1 BTCUSDT open @ 60000      |                                               |
  -                                      | hal: buy 0.1 BTCUSDT @ 60000                  | refused position-side-required
  -                                      | ben: buy 10000 BTCUSDT @ 60000                | refused position-tier-exceeded
  ann: sell 1000 BTCUSD @ 60000          | ben: buy 0.01 BTCUSD BTC @ 60000              | filled 600
  ann: sell 0.5 BTC/USDT @ 60000         | ben: buy 6000 BTC/USDT USDT                   | filled 0.1
  -                                      | ben: buy 2 BTC/USDT @ 60000                   | refused insufficient-available
`)

test.each(rows)('$before | $order | $outcome', ({ before, order, outcome }) => {
  const sides = new Sides(['ann', 'ben', 'hal'])
  sides.apply({ kind: 'set-hold-mode', owner: 'hal', line: 'USDT-FUTURES', hedged: true })
  for (const line of orderLines(before)) expect(sides.place(line)).not.toMatch(/^refused/)
  expect(sides.place(order)).toBe(outcome)
})

test.each(rows)('a report says the same order: $order', ({ order }) => {
  const command = placeOrder(order, 'o1')
  expect(placeOrder(placeText(command), 'o1')).toEqual(command)
})
