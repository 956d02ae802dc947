/**
 * The house's money: whether every coin adds up, and the insurance funds.
 *
 * Adds up   wallets + house accounts = deposits − withdrawals, exactly, at any moment between two commands
 * Source    design.md §2; risk-engine.md §14, §15, §20
 */
import { formatAmount } from '../../api/api.ts'
import type { CoinSums } from '../../engine/protocol/query.ts'
import type { Core } from '../../runtime/runtime.ts'

/**
 * Per coin what came in and where it is. Looks at every wallet, and says how long that took: the venue stood still for it.
 * Answers  `deposited` (deposits less withdrawals), `accounts` (all wallets), `house` (by account), and `difference`: what
 *          is there beyond what came in, "0" when the coin is balanced
 */
export function conservationShown(core: Core) {
  const began = performance.now()
  const sums = core.query({ kind: 'coin-sums' })
  return { tookMs: Math.ceil(performance.now() - began), coins: sums.map(coinShown) }
}

function coinShown({ coin, sum, accounts, house: { external, ...house } }: CoinSums) {
  return {
    coin,
    deposited: formatAmount(-external),
    accounts: formatAmount(accounts),
    house: Object.fromEntries(Object.entries(house).map(([name, units]) => [name, formatAmount(units)])),
    difference: formatAmount(sum),
  }
}

/** Per coin the insurance fund, the highest that it has been, and whether counterparties are deleveraged in its place. */
export function insuranceFundsShown(core: Core) {
  const { coins } = core.query({ kind: 'catalog' })
  return core.query({ kind: 'insurance-funds' }).map(({ coin, balance, highest, deleveraging }) => ({
    coin: coins[coin].name,
    balance: formatAmount(balance),
    highest: formatAmount(highest),
    deleveraging,
  }))
}
