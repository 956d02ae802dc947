/**
 * Writes the leverage at which an account borrows a coin. Whether it fits: lending/coin-leverage.ts.
 *
 * Source    interface.md E6 `coinConfigList`; wire/v3-endpoints.md §4 set-leverage; risk-engine.md §17
 */
import { admitCoinLeverage, placeOf } from '../lending/lending.ts'
import type { SetCoinLeverage } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'

export function setCoinLeverage(state: State, command: SetCoinLeverage): Reply {
  const decided = admitCoinLeverage(state, command)
  if ('kind' in decided) return refused(decided)

  const { account, coin, leverage } = decided
  state.coinLeverages.set(placeOf(account.handle, coin.id), leverage)
  return done
}
