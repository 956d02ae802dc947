/**
 * What an account has at this moment: wallets, margin, positions, open orders and triggers, and what all of it is worth.
 *
 * Words     positions, orders and trigger orders as v3 writes them, those of classic accounts too
 * Margin    a pool for each thing that is liquidated as one; equity and maintenance in `unit`, ratio 1: it is liquidated
 * Worth     in USDT at index prices, rounded down, as `all-account-balance` adds it up: for the eye, it decides nothing
 */
import { CatalogIndex, equityOf, formatAmount, formatRate, v3 } from '../../api/api.ts'
import { productLines } from '../../engine/catalog/catalog.ts'
import type { TriggerRecord } from '../../engine/protocol/event.ts'
import type { AccountView, BalanceView, MarginPoolView } from '../../engine/protocol/query.ts'
import { type Uid, walletTypes } from '../../engine/vocabulary.ts'
import type { Core } from '../../runtime/runtime.ts'
import { unknownThing } from './refusals.ts'

/** A hybrid account has some of it behind either version of the interface, others have the same behind both. */
const versions = ['v3', 'v2'] as const

/** Wallets and coins of which there is nothing are left out; orders newest first. */
export function holdingsShown(core: Core, uid: Uid) {
  const account = core.query({ kind: 'account', uid })
  if (account === undefined) throw unknownThing('uid', uid, 'account')
  const catalog = new CatalogIndex(core.query({ kind: 'catalog' }))
  const wallets = walletTypes.flatMap((wallet) =>
    core
      .query({ kind: 'balances', uid, wallet })
      .filter(({ balance, principal }) => balance !== 0n || principal !== 0n)
      .map((balance) => ({ wallet, coin: catalog.coinName(balance.coin), ...balanceShown(balance) })),
  )
  const positions = versions.flatMap((version) =>
    productLines.flatMap((line) =>
      core.query({ kind: 'positions', uid, interface: version, line, instrument: undefined }),
    ),
  )
  const orders = versions.flatMap((version) =>
    core.query({ kind: 'open-orders', uid, interface: version, category: undefined, instrument: undefined }),
  )
  const triggers = versions.flatMap((version) =>
    core.query({ kind: 'triggers', uid, interface: version, category: undefined, instrument: undefined, kinds: [] }),
  )
  return {
    uid: String(uid),
    equityUsdt: equityUsdt(core, catalog, account),
    wallets,
    pools: core.query({ kind: 'margin-pools', uid }).map((pool) => poolShown(pool, catalog)),
    positions: once(positions, ({ positionId }) => positionId).map((position) => v3.positionRecord(position, catalog)),
    orders: once(orders, ({ orderId }) => orderId).map((order) => v3.openOrderRecord(order, catalog)),
    triggers: triggersShown(
      once(triggers, ({ orderId }) => orderId),
      catalog,
    ),
  }
}

/** A pool of collateral; `symbol`, `category` and `posSide` of an isolated position, null of any other. */
export function poolShown(pool: MarginPoolView, catalog: CatalogIndex) {
  const instrument = pool.instrument === undefined ? undefined : catalog.instrument(pool.instrument)
  return {
    wallet: pool.wallet,
    unit: pool.coin === undefined ? 'USD' : catalog.coinName(pool.coin),
    category: instrument?.category ?? null,
    symbol: instrument?.symbol ?? null,
    posSide: pool.side ?? null,
    equity: formatAmount(pool.equity),
    maintenance: formatAmount(pool.maintenance),
    marginRatio: formatRate(pool.ratio),
    halted: pool.halted,
  }
}

/** Two that were set together are one, under the first one's number. */
function triggersShown(triggers: readonly TriggerRecord[], catalog: CatalogIndex) {
  const byNumber = new Map(triggers.map((trigger) => [trigger.orderId, trigger]))
  return triggers
    .map((trigger) => ({ trigger, partner: byNumber.get(trigger.partner) }))
    .filter(({ trigger, partner }) => partner === undefined || trigger.orderId < partner.orderId)
    .map(({ trigger, partner }) => v3.strategyRecord(trigger, catalog, partner))
}

/** All wallets of an account with its open positions. */
export function equityUsdt(core: Core, catalog: CatalogIndex, account: AccountView): string {
  return formatAmount(equityOf({ core, catalog, account }))
}

function balanceShown({ balance, held, available, principal, interest }: BalanceView) {
  return {
    balance: formatAmount(balance),
    held: formatAmount(held),
    available: formatAmount(available),
    debt: formatAmount(principal + interest),
  }
}

function once<Row>(rows: readonly Row[], idOf: (row: Row) => number): Row[] {
  return [...new Map(rows.map((row) => [idOf(row), row])).values()]
}
