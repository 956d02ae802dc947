/**
 * What is published when one coin of a wallet with debt became another.
 *
 * Source  risk-engine.md §17; wire/v3-endpoints.md §4 (`convert-records`)
 */
import type { Conversion } from '../protocol/event.ts'
import type { Account, State } from '../state/state.ts'
import type { WalletType } from '../vocabulary.ts'

type Converted = Pick<Conversion, 'fromCoin' | 'fromAmount' | 'toCoin' | 'toAmount'>

/** What changed nothing is not published. */
export function publishConversion(
  state: State,
  { account, wallet }: { readonly account: Account; readonly wallet: WalletType },
  converted: Converted,
): void {
  if (converted.fromAmount <= 0n || converted.toAmount <= 0n) return
  state.emit({
    kind: 'conversion',
    id: state.counters.flow++,
    uid: account.uid,
    wallet,
    ...converted,
    at: state.at,
  })
}
