/**
 * What a classic account has open and had: orders, triggers, positions, fills, page by page.
 *
 * Fills   their numbers rise over the whole venue, so that lists of several fields can be put together by them
 * Margin  cross margin is read pair by pair: margin-lists.ts
 * Source  interface.md E5, E13; wire/client-endpoints.md §4
 */
import type { Account, Page } from '../account.ts'
import type { ClosedPosition, Fill, FundingPayment, Order, Position, Trigger } from '../account-records.ts'
import type { Bill, BillCategory } from '../bills.ts'
import { type Category, isFuturesLine } from '../categories.ts'
import type { Access } from './access.ts'
import { everyPage } from './every-page.ts'
import {
  type MarginBillRecord,
  marginBillOf,
  type MixBillRecord,
  mixBillOf,
  type SpotBillRecord,
  spotBillOf,
} from './bill-records.ts'
import * as futures from './futures-records.ts'
import * as pairs from './pair-records.ts'

const pageSize = 50
/** Its bills are asked for from a time on, of 90 days at most. */
const marginBillsMs = 89 * 86_400_000
/** Five calls a second are taken, three are made at a time, and some are late. */
const positionsEveryMs = 1_500

type Lists = Pick<
  Account,
  | 'orders'
  | 'triggers'
  | 'positions'
  | 'endedOrders'
  | 'fills'
  | 'closedPositions'
  | 'fundingPayments'
  | 'billCategories'
  | 'bills'
>

export function listsOf(access: Access): Lists {
  /** When positions may be asked for again. */
  let positionsFrom = 0
  return {
    async orders(): Promise<Order[]> {
      const lists = await Promise.all([
        ...access.lines.map(async (line) => {
          const path = '/api/v2/mix/order/orders-pending'
          const rows = await everyPage(
            (query) => access.entrusted<futures.OrderRecord>(path, { productType: line, ...query }),
            ({ orderId }) => orderId,
          )
          return access.read(line, rows, access.orderReader(line))
        }),
        access.seesSpot
          ? everyPage(
              (query) => access.caller.get<pairs.OpenSpotRecord[]>('/api/v2/spot/trade/unfilled-orders', query),
              ({ orderId }) => orderId,
            ).then((rows) => rows.map(pairs.openSpotOf))
          : [],
        access.seesMargin ? access.margin.open().then((rows) => rows.map(pairs.marginOrderOf)) : [],
      ])
      return lists.flat()
    },

    async triggers(): Promise<Trigger[]> {
      const lists = await Promise.all([
        ...access.lines.flatMap((line) =>
          (['normal_plan', 'track_plan', 'profit_loss'] as const).map(async (planType) => {
            const path = '/api/v2/mix/order/orders-plan-pending'
            const rows = await everyPage(
              (query) => access.entrusted<futures.PlanRecord>(path, { productType: line, planType, ...query }),
              ({ orderId }) => orderId,
            )
            return access.read(line, rows, (instrument, row) =>
              futures.planOf(line, instrument, row, access.entryPrice(line, row.symbol, row.posSide)),
            )
          }),
        ),
        access.seesSpot
          ? everyPage(
              async (query) =>
                (
                  await access.caller.get<{ orderList: pairs.SpotPlanRecord[] }>(
                    '/api/v2/spot/trade/current-plan-order',
                    query,
                  )
                ).orderList,
              ({ orderId }) => orderId,
            ).then((rows) => rows.map(pairs.spotPlanOf))
          : [],
      ])
      return lists.flat()
    },

    /** One after the other as often as the venue takes them: a call for each line. */
    async positions(): Promise<Position[]> {
      const wait = positionsFrom - performance.now()
      positionsFrom = Math.max(positionsFrom, performance.now()) + positionsEveryMs
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      await Promise.all(
        access.lines.map(async (line) => {
          const path = '/api/v2/mix/position/all-position'
          access.keepPositions(line, await access.caller.get<futures.PositionRecord[]>(path, { productType: line }))
        }),
      )
      return access.allPositions()
    },

    async endedOrders(category: Category, cursor: string | undefined): Promise<Page<Order>> {
      const query = { limit: pageSize, idLessThan: cursor }
      if (isFuturesLine(category)) {
        const path = '/api/v2/mix/order/orders-history'
        const rows = await access.entrusted<futures.OrderRecord>(path, { productType: category, ...query })
        return pageOf(access.read(category, rows, access.orderReader(category)))
      }
      if (category === 'SPOT') {
        const rows = await access.caller.get<pairs.EndedSpotRecord[]>('/api/v2/spot/trade/history-orders', query)
        return pageOf(rows.map(pairs.endedSpotOf))
      }
      return pageOf((await access.margin.ended(cursor)).map(pairs.marginOrderOf))
    },

    async fills(cursor: string | undefined): Promise<Page<Fill>> {
      const query = { limit: pageSize, idLessThan: cursor }
      const lists = await Promise.all([
        ...access.lines.map(async (line) => {
          const { fillList } = await access.caller.get<{ fillList: futures.FillRecord[] }>('/api/v2/mix/order/fills', {
            productType: line,
            ...query,
          })
          return access.read(line, fillList, (instrument, row) => futures.fillOf(line, instrument, row))
        }),
        access.seesSpot
          ? access.caller
              .get<pairs.PairFillRecord[]>('/api/v2/spot/trade/fills', query)
              .then((rows) => rows.map((row) => pairs.pairFillOf('SPOT', row.symbol ?? '', row)))
          : [],
        access.seesMargin ? access.margin.fills(cursor) : [],
      ])
      return pageOf(
        lists
          .flat()
          .sort((a, b) => Number(b.id) - Number(a.id))
          .slice(0, pageSize),
      )
    },

    async closedPositions(category: Category, cursor: string | undefined): Promise<Page<ClosedPosition>> {
      if (!isFuturesLine(category)) return { rows: [], next: undefined }
      const { list, endId } = await access.caller.get<{ list: futures.ClosedPositionRecord[]; endId: string }>(
        '/api/v2/mix/position/history-position',
        { productType: category, limit: pageSize, idLessThan: cursor },
      )
      const rows = access.read(category, list, (instrument, row) => futures.closedPositionOf(category, instrument, row))
      return { rows, next: endId === '' ? undefined : endId }
    },

    async fundingPayments(category: Category): Promise<FundingPayment[]> {
      const { bills } = await access.caller.get<{ bills: futures.BillRecord[] }>('/api/v2/mix/account/bill', {
        productType: category,
        businessType: 'contract_settle_fee',
        limit: 100,
      })
      return bills.map(futures.fundingPaymentOf)
    },

    billCategories: [
      ...(access.seesSpot ? (['SPOT'] as const) : []),
      ...(access.seesMargin ? (['MARGIN'] as const) : []),
      ...access.lines,
    ],

    async bills(category: BillCategory, cursor: string | undefined): Promise<Page<Bill>> {
      const query = { limit: pageSize, idLessThan: cursor }
      if (category === 'SPOT') {
        const rows = await access.caller.get<SpotBillRecord[]>('/api/v2/spot/account/bills', query)
        return pageOf(rows.map(spotBillOf))
      }
      if (category === 'MARGIN') {
        const path = '/api/v2/margin/crossed/financial-records'
        const from = { startTime: Date.now() - marginBillsMs }
        const { resultList } = await access.caller.get<{ resultList: MarginBillRecord[] | null }>(path, {
          ...query,
          ...from,
        })
        return pageOf((resultList ?? []).map(marginBillOf))
      }
      const path = '/api/v2/mix/account/bill'
      const { bills } = await access.caller.get<{ bills: MixBillRecord[] }>(path, { productType: category, ...query })
      return pageOf(bills.map(mixBillOf))
    },
  }
}

/** A whole page may not be the last one. */
function pageOf<T extends { readonly id: string }>(rows: readonly T[]): Page<T> {
  return { rows, next: rows.length < pageSize ? undefined : rows.at(-1)?.id }
}
