/**
 * What stands behind a position of a cross pool besides its own profit: Eq·V_i/ΣV, in whole units, less that profit.
 * Source  risk-engine.md §6
 */
import { worth } from './catalog.ts'
import { type Pool, marginStateOf } from './pools.ts'
import { markPrice } from './prices.ts'
import { down, type Fraction, fraction, sum, towardZero, zero } from './rational.ts'
import { unrealized } from './value.ts'
import { type Desk, type Position, positionsOf, type World } from './world.ts'

export function backingIn(world: World, pool: Pool, { market }: Desk, position: Position): Fraction {
  const dollars = (coin: string) => (pool.coin === undefined ? world.usdOf(coin) : fraction(1))
  const valueOf = (other: Desk['market'], quantity: Fraction) =>
    down(worth(other, quantity, markPrice(world, other))).times(dollars(other.settle))
  const total = sum(
    pool.desks.flatMap((desk) => positionsOf(desk).map(({ quantity }) => valueOf(desk.market, quantity))),
  )
  const inCoin = towardZero(marginStateOf(world, pool).equity.over(dollars(market.settle)))
  const share = total.isZero() ? zero : towardZero(inCoin.times(valueOf(market, position.quantity)).over(total))
  return share.minus(unrealized(market, position, markPrice(world, market)))
}
