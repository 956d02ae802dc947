/**
 * What stands behind a position of a cross pool besides its own profit: Eq·V_i/ΣV, in whole units, less that profit.
 * Source  risk-engine.md §6
 */
import { worth } from './catalog.ts'
import { type Pool, standingOf } from './pools.ts'
import { markPrice } from './prices.ts'
import { down, type Fraction, fraction, sum, towardZero, zero } from './rational.ts'
import { unrealized } from './value.ts'
import { type Desk, type Position, positionsOf, type World } from './world.ts'

export function backingIn(world: World, pool: Pool, { market }: Desk, position: Position): Fraction {
  const dollars = (coin: string) => (pool.coin === undefined ? world.usdOf(coin) : fraction(1))
  const valueOf = (one: Desk['market'], quantity: Fraction) =>
    down(worth(one, quantity, markPrice(world, one))).times(dollars(one.settle))
  const total = sum(pool.desks.flatMap((one) => positionsOf(one).map(({ quantity }) => valueOf(one.market, quantity))))
  const inCoin = towardZero(standingOf(world, pool).equity.over(dollars(market.settle)))
  const share = total.isZero() ? zero : towardZero(inCoin.times(valueOf(market, position.quantity)).over(total))
  return share.minus(unrealized(market, position, markPrice(world, market)))
}
