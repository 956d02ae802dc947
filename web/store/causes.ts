/**
 * Why orders exist that their owner did not send as they are, by order number: noted from every order that is pushed or read.
 * Fills and closed positions ask here what they do not say themselves.
 *
 * Bounds   the latest thousand
 */
import { signal } from '@preact/signals'
import type { Account, Page } from '../venue/account.ts'
import type { ClosedPosition, Fill, Order, OrderStep } from '../venue/account-records.ts'
import type { Category } from '../venue/categories.ts'
import { type Cause, isForced } from '../venue/causes.ts'

const notedMax = 1_000
/** Of ended orders that are read for one page of fills or closed positions. */
const pagesMax = 3

type Noted = Pick<Order, 'id' | 'category' | 'symbol' | 'side' | 'updatedAt'> & { readonly cause: Cause }

const noted = signal<ReadonlyMap<string, Noted>>(new Map())

export function noteCauses(orders: readonly (Order | OrderStep)[]): void {
  const news = orders.filter(({ id, cause }) => cause !== undefined && noted.peek().get(id)?.cause !== cause)
  if (news.length === 0) return
  const all = new Map(noted.peek())
  for (const { id, category, symbol, side, updatedAt, cause } of news) {
    // A push of v2 may say less than a list: what is known stays.
    if (cause !== undefined) all.set(id, { id, category, symbol, side, updatedAt, cause })
  }
  noted.value = new Map([...all].slice(-notedMax))
}

export function forgetCauses(): void {
  noted.value = new Map()
}

export function causeOfFill({ cause, orderId }: Fill): Cause | undefined {
  return cause ?? noted.value.get(orderId)?.cause
}

/** Of the forced order that closed the last of it. */
export function causeOfClosing({ category, symbol, side, closedAt }: ClosedPosition): Cause | undefined {
  const away = side === 'long' ? 'sell' : 'buy'
  return [...noted.value.values()].find(
    (order) =>
      isForced(order.cause) &&
      order.category === category &&
      order.symbol === symbol &&
      order.side === away &&
      order.updatedAt === closedAt,
  )?.cause
}

/** A page with the causes of the orders behind it, as far back as its oldest row. */
export async function withCauses<T extends { readonly category: Category }>(
  account: Account,
  page: Page<T>,
  timeOf: (row: T) => number,
): Promise<Page<T>> {
  const rowsOf = Map.groupBy(page.rows, ({ category }) => category)
  // Cross margin of a classic account is read pair by pair, which takes longer than it is worth.
  const meant = [...rowsOf].filter(([category]) => account.walletOf(category) !== 'crossed_margin')
  const reads = meant.map(([category, rows]) => readCauses(account, category, Math.min(...rows.map(timeOf))))
  await Promise.all(reads).catch(() => {}) // the rows are shown without
  return page
}

async function readCauses(account: Account, category: Category, since: number): Promise<void> {
  let cursor: string | undefined
  for (let count = 0; count < pagesMax; count++) {
    const { rows, next } = await account.endedOrders(category, cursor)
    noteCauses(rows)
    if (next === undefined || (rows.at(-1)?.createdAt ?? 0) < since) return
    cursor = next
  }
}
