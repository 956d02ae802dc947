/** People with more money than any table needs: where money itself is not the matter. */
import type { Exchange, Funds } from './exchange.ts'

const coins = '1000 BTC, 10000 ETH, 100000 SOL, 50000000 USDT, 50000000 USDC'

/** In every wallet that a classic account trades from. */
export const plenty: Funds = {
  spot: coins,
  crossed_margin: coins,
  usdt_futures: '50000000 USDT',
  coin_futures: '1000 BTC',
  usdc_futures: '50000000 USDC',
}

/** Main accounts, classic and in one-way mode. */
export function traders(exchange: Exchange, ...names: readonly string[]): Exchange {
  for (const name of names) exchange.join(name, { funds: plenty })
  return exchange
}

/** The same in hedge mode. */
export function hedgers(exchange: Exchange, ...names: readonly string[]): Exchange {
  traders(exchange, ...names)
  for (const name of names) {
    exchange.must({ kind: 'set-hold-mode', uid: exchange.uid(name), line: undefined, holdMode: 'hedge_mode' })
  }
  return exchange
}

/** Main accounts in unified mode. */
export function unifieds(exchange: Exchange, ...names: readonly string[]): Exchange {
  for (const name of names) exchange.join(name, { mode: 'unified', funds: { uta: coins, spot: coins } })
  return exchange
}
