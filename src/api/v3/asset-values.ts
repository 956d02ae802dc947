/**
 * What a unified account is worth: its coins and open positions in US dollars.
 *
 *   equity of a coin = balance − principal − interest + Σ margin of isolated positions + Σ unrealized profit, of what it settles
 *   locked           = held by orders + what isolated positions are worth, so that available + locked = equity where nothing is owed
 *                      and no cross position is open
 *   account equity   = Σ equity × index price
 *
 * Units     1e-8 of a dollar, or of the coin named
 * Rounding  down at every step: for display only
 * Standing  how far the account is from its margin is not added up here: these are the engine's own sums, which decide
 * Source    risk-engine.md §16, §21; wire/v3-endpoints.md §4
 */
import { type CoinId, type FuturesInstrument, productLines } from '../../engine/catalog/catalog.ts'
import { amount, divFloor, oneCoin } from '../../engine/numbers/numbers.ts'
import type { AccountView, Answer, BalanceView } from '../../engine/protocol/query.ts'
import { lineWallets, modeRead } from '../../engine/vocabulary.ts'
import type { Core } from '../../runtime/core.ts'
import type { CatalogIndex } from '../catalog-index.ts'
import type { PrivateContext } from '../endpoint.ts'

const classicWallets = [...Object.values(lineWallets), 'crossed_margin'] as const

interface CoinValue {
  readonly balance: BalanceView
  readonly equity: bigint
  readonly locked: bigint
  readonly usdValue: bigint
}

export interface AccountValue {
  readonly coins: readonly CoinValue[]
  readonly equityUsd: bigint
  readonly unrealizedUsd: bigint
  /** What decides: adjusted equity, and what it has to cover. */
  readonly standing: Answer<'unified-margin'>
  /** Dollars in units of another coin; zero when the venue does not know it. */
  inCoin(usd: bigint, coinName: string): bigint
}

/** An account, and whom to ask about it. */
export type AccountContext = Pick<PrivateContext, 'account' | 'catalog'> & { readonly core: Pick<Core, 'query'> }

/** Coins without a balance are left out, unless they are to be `shown`. */
export function accountValue(
  { core, catalog, account }: AccountContext,
  shown: ReadonlySet<CoinId> = new Set(),
): AccountValue {
  const prices = new CoinPrices(core, catalog)
  const positions = productLines.flatMap((line) =>
    core.query({ kind: 'positions', uid: account.uid, interface: 'v3', line, instrument: undefined }),
  )
  const unrealized = new Map<CoinId, bigint>()
  const isolated = new Map<CoinId, bigint>()
  const isolatedWorth = new Map<CoinId, bigint>()
  for (const position of positions) {
    const { settle } = catalog.instrument(position.instrument) as FuturesInstrument
    unrealized.set(settle, (unrealized.get(settle) ?? 0n) + position.unrealizedPnl)
    if (position.marginMode !== 'isolated') continue
    isolated.set(settle, (isolated.get(settle) ?? 0n) + position.margin)
    isolatedWorth.set(settle, (isolatedWorth.get(settle) ?? 0n) + position.margin + position.unrealizedPnl)
  }
  const coins = balancesRead(core, account)
    .map((balance): CoinValue => {
      const debt = balance.principal + balance.interest
      const inPositions = (isolated.get(balance.coin) ?? 0n) + (unrealized.get(balance.coin) ?? 0n)
      const equity = balance.balance - debt + inPositions
      const locked = balance.held + (isolatedWorth.get(balance.coin) ?? 0n)
      return { balance, equity, locked, usdValue: prices.usd(balance.coin, equity) }
    })
    .filter(({ balance, equity }) => {
      const { coin, balance: units, principal } = balance
      return equity !== 0n || units !== 0n || principal !== 0n || shown.has(coin)
    })
  let unrealizedUsd = 0n
  for (const [coin, units] of unrealized) unrealizedUsd += prices.usd(coin, units)
  return {
    coins,
    equityUsd: coins.reduce((sum, { usdValue }) => sum + usdValue, 0n),
    unrealizedUsd,
    get standing() {
      return core.query({ kind: 'unified-margin', uid: account.uid })
    },
    inCoin: (usd, coinName) => prices.inCoin(usd, coinName),
  }
}

/** While a classic account becomes unified its money is still in the wallets that it traded from: they are shown as one. */
function balancesRead(core: AccountContext['core'], account: AccountView): readonly BalanceView[] {
  const wallets = modeRead(account) === 'classic' ? classicWallets : (['uta'] as const)
  return wallets
    .map((wallet) => core.query({ kind: 'balances', uid: account.uid, wallet }))
    .reduce((sums, balances) => sums.map((sum, coin) => addedTo(sum, balances[coin])))
}

function addedTo(sum: BalanceView, more: BalanceView): BalanceView {
  return {
    coin: sum.coin,
    balance: amount(sum.balance + more.balance),
    held: amount(sum.held + more.held),
    available: amount(sum.available + more.available),
    transferable: amount(sum.transferable + more.transferable),
    principal: amount(sum.principal + more.principal),
    interest: amount(sum.interest + more.interest),
  }
}

/** Index prices of all coins at one moment. */
export class CoinPrices {
  readonly #usdE8: readonly bigint[]
  readonly #catalog: CatalogIndex

  constructor(core: AccountContext['core'], catalog: CatalogIndex) {
    this.#usdE8 = core.query({ kind: 'index-prices' })
    this.#catalog = catalog
  }

  usd(coin: CoinId, units: bigint): bigint {
    return divFloor(units * this.#usdE8[coin], oneCoin)
  }

  /** Dollars in units of another coin; zero when the venue does not know it. */
  inCoin(usd: bigint, coinName: string): bigint {
    const coin = this.#catalog.coinNamed(coinName)
    const price = coin === undefined ? 0n : this.#usdE8[coin.id]
    return price === 0n ? 0n : divFloor(usd * oneCoin, price)
  }

  inUsdt(usd: bigint): bigint {
    return this.inCoin(usd, 'USDT')
  }
}
