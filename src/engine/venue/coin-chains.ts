/** Terms of a coin on a network, as the operator sets them. What is under way goes on by the old ones. */
import type { SetCoinChain } from '../protocol/command.ts'
import { done, refused, type Reply } from '../protocol/reply.ts'
import type { State } from '../state/state.ts'
import { admitCoinChain, inOrder } from '../venue-rules/venue-rules.ts'

export function setCoinChain(state: State, command: SetCoinChain): Reply {
  const decided = admitCoinChain(state, command)
  if ('kind' in decided) return refused(decided)

  const { catalog } = state
  const changed = inOrder({ ...decided.coin, chains: decided.chains })
  const coins = catalog.coins.map((listed) => (listed.id === changed.id ? changed : listed))
  state.catalog = { ...catalog, version: catalog.version + 1, coins }
  state.emit({ kind: 'catalog-changed' })
  return done
}
