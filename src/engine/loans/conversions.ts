/**
 * What is published when one coin of a wallet became another.
 *
 * Source  risk-engine.md §17; wire/v3-endpoints.md §4 (`convert-records`)
 */
import type { Conversion } from '../protocol/event.ts'
import type { Account, State } from '../state/state.ts'
import type { WalletType } from '../vocabulary.ts'

type Converted = Pick<Conversion, 'fromCoin' | 'fromAmount' | 'toCoin' | 'toAmount' | 'price'>

/** What changed nothing is not published. Answers its number, or that of the next one. */
export function publishConversion(
  state: State,
  { account, wallet }: { readonly account: Account; readonly wallet: WalletType },
  converted: Converted,
): number {
  if (converted.fromAmount <= 0n || converted.toAmount <= 0n) return state.counters.flow
  const id = state.counters.flow++
  state.emit({
    kind: 'conversion',
    id,
    uid: account.uid,
    wallet,
    ...converted,
    at: state.at,
  })
  return id
}
