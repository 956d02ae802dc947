/**
 * What the operator does to one account beyond its money, and the bills that say how its money moved.
 *
 * Freeze   apart from the main account's freeze of its sub-accounts: neither undoes the other. What is open goes on
 * Cancel   a command for each category that has something open, behind either version of the interface; of a frozen
 *          account, too
 */
import { CatalogIndex, formatAmount } from '../../api/api.ts'
import type { Category } from '../../engine/catalog/catalog.ts'
import type { Interface } from '../../engine/vocabulary.ts'
import type { Core } from '../../runtime/runtime.ts'
import { call, submit } from './call.ts'
import { body, optional, uid, wallet, wholeNumber, word } from './fields.ts'
import { unknownThing } from './refusals.ts'

const versions: readonly Interface[] = ['v3', 'v2']
const pageLimitDefault = 50

export const accountCalls = [
  call(
    'POST /operator/accounts/freeze',
    body({ uid, frozen: word(['yes', 'no']) }),
    async ({ uid: of, frozen }, { core }) => {
      await submit(core, { kind: 'freeze-account', uid: of, frozen: frozen === 'yes' })
      const account = core.query({ kind: 'account', uid: of })
      return {
        uid: String(of),
        frozen: account?.frozen === true,
        frozenByOperator: account?.frozenByOperator === true,
      }
    },
  ),
  call('POST /operator/accounts/cancel-orders', body({ uid }), async ({ uid: of }, { core }) => {
    if (core.query({ kind: 'account', uid: of }) === undefined) throw unknownThing('uid', of, 'account')
    const before = openNumbers(core, of)
    for (const version of versions) {
      for (const category of categoriesOf(openOrders(core, of, version))) {
        await submit(core, { kind: 'cancel-orders', uid: of, interface: version, category, instrument: undefined })
      }
      for (const category of categoriesOf(openTriggers(core, of, version))) {
        const all = { instrument: undefined, kinds: [] }
        await submit(core, { kind: 'cancel-triggers', uid: of, interface: version, category, ...all })
      }
    }
    const left = openNumbers(core, of)
    return {
      uid: String(of),
      orders: before.orders.size - left.orders.size,
      triggers: before.triggers.size - left.triggers.size,
    }
  }),
  call(
    'GET /operator/accounts/bills',
    body({
      uid,
      wallet,
      before: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
      limit: optional(wholeNumber(1, 100)),
    }),
    async ({ uid: of, wallet: from, before, limit = pageLimitDefault }, { core, history }) => {
      if (core.query({ kind: 'account', uid: of }) === undefined) throw unknownThing('uid', of, 'account')
      const catalog = new CatalogIndex(core.query({ kind: 'catalog' }))
      const { rows, next } = await history.bills({ uid: of, wallet: from, beforeId: before, limit })
      return {
        bills: rows.map((bill) => ({
          billId: String(bill.id),
          at: bill.at,
          type: bill.type,
          coin: catalog.coinName(bill.coin),
          symbol: bill.instrument === undefined ? null : catalog.instrument(bill.instrument).symbol,
          amount: formatAmount(bill.amount),
          fee: formatAmount(bill.fee),
          balance: formatAmount(bill.balance),
        })),
        next: next ?? null,
      }
    },
  ),
]

function openOrders(core: Core, of: number, version: Interface) {
  return core.query({ kind: 'open-orders', uid: of, interface: version, category: undefined, instrument: undefined })
}

function openTriggers(core: Core, of: number, version: Interface) {
  const any = { category: undefined, instrument: undefined, kinds: [] }
  return core.query({ kind: 'triggers', uid: of, interface: version, ...any })
}

/** Of an account that both versions show the same, each is there once. */
function openNumbers(core: Core, of: number) {
  return {
    orders: new Set(versions.flatMap((version) => openOrders(core, of, version).map(({ orderId }) => orderId))),
    triggers: new Set(versions.flatMap((version) => openTriggers(core, of, version).map(({ orderId }) => orderId))),
  }
}

function categoriesOf(orders: readonly { readonly category: Category }[]): Set<Category> {
  return new Set(orders.map(({ category }) => category))
}
